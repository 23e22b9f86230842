// Selects passages: close to the question and different from each other (maximal marginal relevance).
import { computation } from '@svc/contract/needs/computation'
import { cosine } from '@svc/contract/needs/embedding'
import type { InquirySource } from './inquiry-source.ts'
import { type Passage, type Reading, shareOf } from './passage.ts'

const lambda = 0.7
/** Passages at least this similar say the same. */
const same_min = 0.97
/** Below this, a passage is unrelated: it shares no words or meaning, or far less than the best. */
const relevance_min = 0.2
const relative_min = 0.45
const alike_min = 0.8
const considered_max = 500
export const citations_max = 10

export interface Candidate {
  readonly source: InquirySource
  readonly passage: Passage
  readonly reading: Reading
  readonly vector: Int8Array
  /** 0 to 1. */
  readonly relevance: number
}

/** A selected passage, with others that say the same. */
export interface Chosen extends Candidate {
  readonly also: readonly Candidate[]
}

export function relevanceOf(share: number, similarity: number): number {
  return Math.min(1, Math.max(0, 0.5 * share + 0.5 * Math.max(0, similarity)))
}

export interface ChoiceWish {
  /** By question. */
  readonly candidates: readonly (readonly Candidate[])[]
  readonly chosen_max: number
}

export const choice_job = computation<ChoiceWish, Chosen[][]>(new URL(import.meta.url))

export function compute({ candidates, chosen_max }: ChoiceWish): Chosen[][] {
  return candidates.map((group) => chooseDiverse(group, chosen_max))
}

/** Best first. Passages that repeat an earlier one are attached to it. */
export function chooseDiverse(candidates: readonly Candidate[], chosen_max: number): Chosen[] {
  const best_of_all = candidates.reduce((most, { relevance }) => Math.max(most, relevance), 0)
  const floor = Math.max(relevance_min, relative_min * best_of_all)
  let open = candidates
    .filter(({ relevance }) => relevance >= floor)
    .sort((a, b) => b.relevance - a.relevance || orderOf(a, b))
    .slice(0, considered_max)
    .map((candidate) => ({ candidate, nearest: 0 }))
  const chosen: Chosen[] = []
  while (open.length > 0 && chosen.length < chosen_max) {
    const best = open.reduce((one, other) => (gainOf(other) > gainOf(one) ? other : one))
    const also: Candidate[] = []
    open = open.filter((item) => {
      if (item === best) return false
      const near = nearness(best.candidate, item.candidate)
      item.nearest = Math.max(item.nearest, near)
      if (near < same_min || !isAlike(best.candidate, item.candidate)) return true
      also.push(item.candidate)
      return false
    })
    chosen.push({ ...best.candidate, also: othersOf(best.candidate, also) })
  }
  return chosen
}

/** Each other source once. */
function othersOf({ source }: Candidate, also: readonly Candidate[]): Candidate[] {
  const by_ref = new Map(also.toReversed().map((one) => [one.source.ref, one]))
  by_ref.delete(source.ref)
  return [...by_ref.values()].reverse().slice(0, citations_max - 1)
}

function gainOf({ candidate, nearest }: { candidate: Candidate; nearest: number }): number {
  return lambda * candidate.relevance - (1 - lambda) * nearest
}

function nearness(one: Candidate, other: Candidate): number {
  return one.passage.text === other.passage.text ? 1 : Math.max(0, cosine(one.vector, other.vector))
}

/** Similar passages differ if a number, a name, a negation or their validity differs. */
function isAlike(one: Candidate, other: Candidate): boolean {
  const [a, b] = [one.reading, other.reading]
  return (
    one.source.status === other.source.status &&
    shareOf(a.words, b.words) >= alike_min &&
    shareOf(b.words, a.words) >= alike_min &&
    a.negated === b.negated &&
    isEqual(a.numbers, b.numbers) &&
    isEqual(a.labels, b.labels) &&
    isEqual(a.names, b.names)
  )
}

function isEqual(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && one.isSubsetOf(other)
}

function orderOf(a: Candidate, b: Candidate): number {
  if (a.source.ref !== b.source.ref) return a.source.ref < b.source.ref ? -1 : 1
  return a.passage.start - b.passage.start
}
