// Asks OSV, which has the advisories of GitHub, npm and RustSec, for what is known about exact versions.
const address = 'https://api.osv.dev'
/** OSV's own limit. */
const queries_max = 1000
const advisories_shown_max = 5
const not_osv = 'what answers is not OSV'

export interface Version {
  readonly ecosystem: 'npm' | 'crates.io'
  readonly name: string
  readonly version: string
}

/** Sentences about affected packages; or why nobody could be asked. */
export type Advisories =
  | { readonly affected: readonly string[]; readonly count: number }
  | { readonly not_looked_up: string }

interface Answer {
  readonly results: readonly { readonly vulns?: readonly { readonly id: string }[] }[]
}

export async function lookUp(versions: readonly Version[], at = address): Promise<Advisories> {
  const affected: string[] = []
  for (let from = 0; from < versions.length; from += queries_max) {
    const batch = versions.slice(from, from + queries_max)
    const answer = await ask(batch, at)
    if (typeof answer === 'string') return { not_looked_up: answer }
    for (const [index, { vulns = [] }] of answer.results.entries()) {
      const { name, version } = batch[index]!
      if (vulns.length > 0) affected.push(`${name} ${version} is affected by ${listOf(vulns)}.`)
    }
  }
  return { affected, count: versions.length }
}

/** Its answer, or why there is none. */
async function ask(batch: readonly Version[], at: string): Promise<Answer | string> {
  const queries = batch.map(({ ecosystem, name, version }) => ({ package: { ecosystem, name }, version }))
  try {
    const response = await fetch(`${at}/v1/querybatch`, {
      method: 'POST',
      body: JSON.stringify({ queries }),
    })
    if (!response.ok) return `OSV answers with status ${response.status}`
    const answer = (await response.json()) as Partial<Answer>
    // One result for each query: fewer would pass over packages in silence.
    if (answer.results?.length !== batch.length) return not_osv
    return answer as Answer
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string } }
    return name === 'SyntaxError' ? not_osv : `OSV is not reachable (${cause?.code ?? name})`
  }
}

function listOf(vulns: readonly { readonly id: string }[]): string {
  const shown = vulns.slice(0, advisories_shown_max).map(({ id }) => `https://osv.dev/${id}`)
  const more = vulns.length - shown.length
  return [...shown, ...(more > 0 ? [`${more} more`] : [])].join(', ')
}
