// Sources with a record: questions are opened, forecast by each of them, and resolved by somebody else with a citation.

const at_once = 20

type Run = (operation: string, input: unknown, as: { did: string; tenant_id: string }) => Promise<unknown>

export interface RecordOf {
  readonly did: string
  /** One for each question. */
  readonly probabilities: readonly number[]
}

interface Parties {
  readonly resolver: { readonly did: string; readonly tenant_id: string }
  readonly topic?: string
  readonly outcomes: readonly boolean[]
  readonly locks_at: string
  readonly sources: readonly RecordOf[]
}

/** `run` takes operations by their full names: MANTIC and MAVEN are needed. */
export async function giveRecords(run: Run, { resolver, topic, outcomes, locks_at, sources }: Parties) {
  const { tenant_id } = resolver
  const questions = await together(outcomes, async (_, place) => {
    const statement = `Question ${place} about ${topic}?`
    const question = { statement, kind: 'binary', resolver: resolver.did, locks_at, ...(topic && { topic }) }
    const opened = await run('MANTIC.open_question', question, resolver)
    return (opened as { question_ref: string }).question_ref
  })
  for (const { did, probabilities } of sources) {
    const forecasts = questions.map((question_ref, place) => ({
      question_ref,
      probability: probabilities[place],
    }))
    await run('MANTIC.forecast', { forecasts }, { did, tenant_id })
  }
  const claim = { claim: `What came about: ${topic}.`, evidence: [{ content: 'The minutes.' }] }
  const { claim_ref } = (await run('MAVEN.attest', claim, resolver)) as { claim_ref: string }
  await together(questions, (question_ref, place) => {
    const resolution = { question_ref, outcome: outcomes[place], citation: { source_ref: claim_ref } }
    return run('MANTIC.resolve', resolution, resolver)
  })
}

/** A few at a time: each citation waits for the audit log. */
async function together<Item, Result>(
  items: readonly Item[],
  work: (item: Item, place: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (let from = 0; from < items.length; from += at_once) {
    const some = items.slice(from, from + at_once)
    results.push(...(await Promise.all(some.map((item, place) => work(item, from + place)))))
  }
  return results
}
