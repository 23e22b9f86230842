// The sentences of a synthesis: by a model if its text is supported, otherwise quoted from the sources.
import type { OperationContext } from '@svc/contract/operation-context'
import type { Stance } from './inquire-input.ts'
import type { Spent } from './inquiry-question.ts'
import type { SourceStatus } from './inquiry-source.ts'
import { citations_max } from './passage-choice.ts'
import {
  countWords,
  compute as findPoints,
  fitPoints,
  type Point,
  points_job,
  poolConfidence,
  type Side,
  supportOf,
} from './synthesis.ts'
import { type Wording, wordByModel } from './synthesis-model.ts'
import type { Looked, ReadStatement, Reread } from './synthesis-reading.ts'

/** Up to this many are compared inline; more in a worker thread. */
const statements_here_max = 50
const comparing_ms_max = 30_000

export interface Draft {
  readonly section: number
  readonly text: string
  readonly citations: readonly Looked[]
  readonly confidence: number
  readonly stance: Stance
}

export interface Dissent {
  readonly text: string
  readonly citations: readonly Looked[]
  readonly confidence: number
  readonly status: SourceStatus
}

export interface Composed {
  readonly sentences: readonly Draft[]
  readonly dissent: readonly Dissent[]
  readonly confidence: number
  readonly removed: number
  readonly method: 'extractive' | 'model'
}

interface Wish {
  readonly max_words: number
  readonly require_support: number
  readonly include_dissent: boolean
  readonly spent: Spent
}

export async function composeSynthesis(
  context: OperationContext<'compute' | 'model' | 'tokens'>,
  { statements, overruled, sections }: Reread,
  wish: Wish,
): Promise<Composed> {
  const { max_words, require_support } = wish
  const points =
    statements.length > statements_here_max
      ? await context.compute(points_job, statements, comparing_ms_max)
      : findPoints(statements)
  const founded = points.filter(({ side }) => supportOf(side) >= require_support)
  const worded = await wordByModel(
    context,
    { questions: sections, statements, max_words, require_support },
    wish.spent,
  )
  const own = worded && worded.sentences.length > 0 ? worded.sentences : undefined
  const [sentences, covered] = own
    ? besides(own, founded, max_words)
    : extractive(fitPoints(founded, max_words))
  const required = sentences.filter(({ is_required }) => is_required)
  return {
    sentences: sentences.map(({ is_required: _, ...draft }) => draft),
    dissent: wish.include_dissent ? dissentOf(covered, overruled) : [],
    confidence: required.length === 0 ? 0 : Math.min(...required.map(({ confidence }) => confidence)),
    removed: points.length - founded.length + (worded?.removed ?? 0),
    method: own ? 'model' : 'extractive',
  }
}

/** The weaker side of a contradiction is included without lowering the overall confidence. */
type Told = Draft & { readonly is_required: boolean }

function extractive(points: readonly Point[]): [Told[], readonly Point[]] {
  return [points.flatMap(sentencesOf), points]
}

function sentencesOf({ section, side, other }: Point): Told[] {
  const first = { ...draftOf(section, side), is_required: true }
  return other ? [first, { ...draftOf(section, other), is_required: false }] : [first]
}

function draftOf(section: number, { centre, support, confidence, stance }: Side): Draft {
  return { section, text: centre.text, citations: citationsOf(support), confidence, stance }
}

function citationsOf(support: Side['support']): Looked[] {
  const all = (support as readonly ReadStatement[]).flatMap(({ citations }) => citations)
  return [...new Map(all.map((one) => [`${one.ref} ${JSON.stringify(one.locator)}`, one])).values()].slice(
    0,
    citations_max,
  )
}

/** The model's text, plus every contradiction it did not report from both sides. */
function besides(
  worded: readonly Wording[],
  points: readonly Point[],
  max_words: number,
): [Told[], readonly Point[]] {
  const sentences = worded.map((one) => wordedDraft(one, points))
  const used = new Set(worded.flatMap(({ support }) => support.map(({ ref }) => ref)))
  const isTold = ({ support }: Side) => support.some(({ ref }) => used.has(ref))
  const quarrels = points.filter(({ other }) => other !== undefined)
  const missing = quarrels.filter(({ side, other }) => !isTold(side) || !isTold(other!))
  const words = sentences.reduce((sum, { text }) => sum + countWords(text), 0)
  const added = fitPoints(missing, Math.max(0, max_words - words))
  // One side of a contradiction is not included without the other.
  const lost = new Set(missing.filter((point) => !added.includes(point)).flatMap(refsOf))
  const remaining = sentences.filter(({ refs }) => !refs.some((ref) => lost.has(ref)))
  const all = [...remaining.map(({ refs: _, ...draft }) => draft), ...added.flatMap(sentencesOf)]
  return [
    all.sort((a, b) => a.section - b.section),
    quarrels.filter((point) => !missing.includes(point) || added.includes(point)),
  ]
}

function refsOf({ side, other }: Point): string[] {
  return [side, other!].flatMap(({ support }) => support.map(({ ref }) => ref))
}

function wordedDraft(
  { text, support }: Wording,
  points: readonly Point[],
): Told & { readonly refs: readonly string[] } {
  const refs = support.map(({ ref }) => ref)
  const has = (side: Side | undefined) => side?.support.some(({ ref }) => refs.includes(ref)) ?? false
  const against = points.flatMap(({ side, other }) => {
    if (!other) return []
    return has(side) ? [...other.support] : has(other) ? [...side.support] : []
  })
  const is_weaker = points.some(({ other }) => has(other))
  const citations = citationsOf(support)
  const { section, stance } = support[0]!
  const confidence = poolConfidence(support, against)
  return { refs, section, text, citations, confidence, stance, is_required: !is_weaker }
}

function dissentOf(points: readonly Point[], overruled: readonly ReadStatement[]): Dissent[] {
  const lost = points.flatMap(({ other }) => (other ? [other] : []))
  return [
    ...lost.map(({ centre, support, confidence }) => ({
      text: centre.text,
      citations: citationsOf(support),
      confidence,
      // That both have sources does not mean that both are right.
      status: 'contested' as const,
    })),
    ...overruled.map(({ text, citations, speakers }) => ({
      text,
      citations,
      confidence: Math.max(...speakers.map(({ confidence }) => confidence)),
      status: citations[0]!.status,
    })),
  ]
}
