// Writes an answer with a citation for every sentence, from findings in their current state.
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import { commitTo, keepContent } from '../../cognition/content/api.ts'
import { citeSource } from '../../truth/maven/api.ts'
import { readFindings } from './finding-store.ts'
import { deadline_ms_default } from './inquire-input.ts'
import type { Spent } from './inquiry-question.ts'
import { type Composed, composeSynthesis, type Draft } from './synthesis-composing.ts'
import { draftAnswer, requireDrafting } from './synthesis-draft.ts'
import { formatAnswer } from './synthesis-format.ts'
import { type Looked, rereadFindings } from './synthesis-reading.ts'
import {
  refuseOddSynthesis,
  type SynthesizeOutput as Synthesis,
  type SynthesizeInput,
  words_default,
} from './synthesize-input.ts'

const hold_slack_ms = 5_000

export async function writeSynthesis(
  input: SynthesizeInput,
  context: OperationContext<
    'audit_log' | 'authority' | 'compute' | 'embedder' | 'model' | 'served' | 'tokens' | 'vault'
  >,
): Promise<Synthesis> {
  refuseOddSynthesis(input)
  if (input.publish_draft) await requireDrafting(context)
  await holdRows(input, context)
  const finding = await readFindings(context, input)
  const reread = await rereadFindings(context, finding)
  const spent: Spent = { tokens_in: 0, tokens_out: 0 }
  const composed = await composeSynthesis(context, reread, {
    max_words: input.max_words ?? words_default,
    require_support: input.require_support ?? 1,
    include_dissent: input.include_dissent ?? true,
    spent,
  })
  const synthesis_ref = `mari://synthesis/${context.record_id}`
  const bibliography = await citeAll(context, synthesis_ref, bibliographyOf(composed, reread.looked))
  const answer_parts = tellSynthesis(composed, reread.sections, bibliography)
  const answer = formatAnswer(input.format ?? 'brief', answer_parts)
  const questions = [...finding.inquiries.values()].map(({ question }) => question)
  await keepSynthesis(context, synthesis_ref, input, questions, composed)
  const sources = [synthesis_ref, ...bibliography.map(({ ref }) => ref)]
  const drafted = input.publish_draft
    ? await draftAnswer(context, { answer, questions, sources, method: composed.method })
    : undefined
  const { confidence, method, removed } = composed
  context.audit('SynthesisWritten', {
    synthesis_ref,
    inquiry_refs: [...finding.inquiries.keys()],
    method,
    confidence,
    sentences: answer_parts.sentences.length,
    dissent: answer_parts.dissent.length,
    sources: bibliography.length,
    unsupported_removed: removed,
  })
  return {
    synthesis_ref,
    sentences: answer_parts.sentences.map(({ section: _, ...sentence }) => sentence),
    answer,
    confidence,
    dissent: answer_parts.dissent,
    unsupported_removed: removed,
    bibliography,
    method,
    ...(drafted && { draft_id: drafted.draft_id }),
    usage: spent,
  }
}

/** Locks the rows while a model writes. */
async function holdRows(
  { budget }: SynthesizeInput,
  { db, model }: OperationContext<'model'>,
): Promise<void> {
  if (!model) return
  const idle_ms = String((budget?.deadline_ms ?? deadline_ms_default) + hold_slack_ms)
  await sql`SELECT set_config('idle_in_transaction_session_timeout', ${idle_ms}, true)`.execute(db)
}

/** Sources of the sentences in order, then those that are no longer valid and only listed. */
function bibliographyOf({ sentences, dissent }: Composed, looked: readonly Looked[]): Looked[] {
  const cited = [...sentences, ...dissent].flatMap(({ citations }) => citations)
  const gone = looked.filter(({ text }) => text === null)
  return [...new Map([...cited, ...gone].toReversed().map((one) => [sourceKey(one), one])).values()].reverse()
}

function sourceKey({ ref, version }: Pick<Looked, 'ref' | 'version'>): string {
  return `${ref} ${version}`
}

async function citeAll(
  context: OperationContext<'audit_log' | 'authority' | 'compute' | 'embedder' | 'vault'>,
  in_ref: string,
  sources: readonly Looked[],
): Promise<Synthesis['bibliography']> {
  const cited: Synthesis['bibliography'] = []
  for (const { ref, version, status } of sources) {
    const { content_hash, formatted } = await citeSource(context, { source_ref: ref, version, in_ref })
    cited.push({
      number: cited.length + 1,
      ref,
      version,
      content_hash,
      status,
      formatted: formatted as string,
    })
  }
  return cited
}

function tellSynthesis(
  { sentences, dissent }: Composed,
  sections: readonly string[],
  bibliography: Synthesis['bibliography'],
) {
  const number_of = new Map(bibliography.map((one) => [sourceKey(one), one.number]))
  const cite = ({ citations }: Pick<Draft, 'citations'>) =>
    citations.map(({ source: _, text: __, ...cited }) => ({
      ...cited,
      number: number_of.get(sourceKey(cited))!,
    }))
  return {
    sentences: sentences.map(({ text, confidence, stance, section, ...draft }) => ({
      text,
      citations: cite(draft),
      confidence,
      stance,
      section,
    })),
    dissent: dissent.map(({ text, confidence, status, ...draft }) => ({
      text,
      citations: cite(draft),
      confidence,
      status,
    })),
    sections,
    bibliography,
  }
}

/** Stores each sentence's sources and a commitment, not its text, which expires with the sources. */
async function keepSynthesis(
  context: OperationContext<'embedder' | 'vault'>,
  ref: string,
  { budget: _, ...asked }: SynthesizeInput,
  questions: readonly string[],
  { sentences, dissent, method, confidence }: Composed,
): Promise<void> {
  const salt = context.vault.salt()
  const body = {
    asked,
    method,
    confidence,
    salt: salt.toString('hex'),
    sentences: sentences.map((draft) => traceOf(draft, salt)),
    dissent: dissent.map((draft) => traceOf(draft, salt)),
  }
  const text = questions.join('\n') || 'A synthesis of findings.'
  await keepContent(context, {
    ref,
    kind: 'synthesis',
    body,
    index: { namespace: 'research', text, vector: false },
  })
}

function traceOf(
  { text, confidence, citations }: Pick<Draft, 'text' | 'confidence' | 'citations'>,
  salt: Uint8Array,
) {
  return {
    text_commitment: commitTo(salt, text),
    confidence,
    citations: citations.map(({ source: _, text: __, status: ___, ...cited }) => cited),
  }
}
