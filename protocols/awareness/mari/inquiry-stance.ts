// Support and contradiction: by attacks between claims, exclusive values, negation and numbers.
import { computation } from '@svc/contract/needs/computation'
import type { Stance } from './inquire-input.ts'
import { isProposition } from './inquiry-question.ts'
import type { InquirySource } from './inquiry-source.ts'
import { doesDeny, doesMismatch, isSameMatter, type Reading, readPassage, shareOf } from './passage.ts'

export interface Voice {
  readonly source: Pick<InquirySource, 'ref' | 'kind' | 'said' | 'status' | 'occurred_at'>
  readonly reading: Reading
}

export type Quarrel = 'attack' | 'value' | 'negation' | 'number'

const quarrels_max = 500
const about_min = 0.5
const day_length = 10

export interface FoundQuarrel {
  readonly one: number
  readonly other: number
  readonly by: Quarrel
}

export interface QuarrelWish {
  readonly voices: readonly Voice[]
  readonly attacks: ReadonlySet<string>
}

export const quarrel_job = computation<QuarrelWish, FoundQuarrel[]>(new URL(import.meta.url))

/** Every contradicting pair, by index. */
export function compute({ voices, attacks }: QuarrelWish): FoundQuarrel[] {
  const quarrels: FoundQuarrel[] = []
  for (let one = 0; one < voices.length; one++)
    for (let other = one + 1; other < voices.length; other++) {
      const by = quarrelOf(voices[one]!, voices[other]!, attacks)
      if (by) quarrels.push({ one, other, by })
      if (quarrels.length === quarrels_max) return quarrels
    }
  return quarrels
}

/** Pairs of refs, in both directions. */
export function pairsOf(attacks: readonly { readonly from: string; readonly to: string }[]): Set<string> {
  return new Set(attacks.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]))
}

/** Undefined if both can be true, as far as can be determined. */
export function quarrelOf(one: Voice, other: Voice, attacks: ReadonlySet<string>): Quarrel | undefined {
  const [a, b] = [one.source, other.source]
  if (a.ref === b.ref) return undefined
  if (attacks.has(`${a.ref} ${b.ref}`)) return 'attack'
  if (isOtherValue(a, b)) return 'value'
  // Two facts differ by their values, not by their wording.
  if (a.said && b.said) return undefined
  if (a.kind === 'record' || b.kind === 'record' || areOtherTimes(a, b)) return undefined
  if (doesDeny(one.reading, other.reading)) return 'negation'
  return doesMismatch(one.reading, other.reading) ? 'number' : undefined
}

function isOtherValue(
  { said: one, status }: Voice['source'],
  { said: other, status: also }: Voice['source'],
): boolean {
  if (!one || !other || one.matter !== other.matter || one.value === other.value) return false
  return one.is_single || other.is_single || (status === 'contested' && also === 'contested')
}

/** Events on different days may differ without contradiction. */
function areOtherTimes(a: Voice['source'], b: Voice['source']): boolean {
  const are_events = a.kind === 'episodic' && b.kind === 'episodic'
  return are_events && a.occurred_at.slice(0, day_length) !== b.occurred_at.slice(0, day_length)
}

/** Relative to the statement asked about; for an open question, relative to the first voice. */
export function stancesOf(
  question: string,
  voices: readonly Voice[],
  attacks: ReadonlySet<string>,
): Stance[] {
  const [first] = voices
  if (!first) return []
  if (!isProposition(question)) return voices.map((voice) => stanceToward(first, voice, attacks))
  const passage = readPassage(question)
  const direct = voices.map((voice) => stanceOn(passage, voice.reading))
  // A voice that contradicts a supporter of the statement opposes it, and vice versa.
  return voices.map((voice, place) => {
    if (direct[place] !== 'neutral') return direct[place]!
    const against = voices.findIndex(
      (other, at) => direct[at] !== 'neutral' && quarrelOf(voice, other, attacks) !== undefined,
    )
    if (against < 0) return 'neutral'
    return direct[against] === 'supports' ? 'refutes' : 'supports'
  })
}

function stanceToward(first: Voice, voice: Voice, attacks: ReadonlySet<string>): Stance {
  if (voice === first) return 'supports'
  if (quarrelOf(first, voice, attacks) !== undefined) return 'refutes'
  return isSameMatter(first.reading, voice.reading) ? 'supports' : 'neutral'
}

function stanceOn(reading: Reading, statement: Reading): Stance {
  const is_about =
    shareOf(reading.words, statement.words) >= about_min && reading.labels.isSubsetOf(statement.labels)
  if (!is_about) return 'neutral'
  if (reading.negated !== statement.negated) return 'refutes'
  if (reading.numbers.size === 0 || reading.numbers.isSubsetOf(statement.numbers)) {
    // Only a passage with nearly all of the statement's words counts as support.
    return shareOf(reading.words, statement.words) >= 0.8 ? 'supports' : 'neutral'
  }
  return statement.numbers.size > 0 ? 'refutes' : 'neutral'
}
