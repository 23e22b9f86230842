// Who speaks for and who against: by the attacks among claims, by values that exclude each other, by denials and by numbers.
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

/** Every pair that cannot be true together, by their places. */
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

/** Pairs of refs, either way. */
export function pairsOf(attacks: readonly { readonly from: string; readonly to: string }[]): Set<string> {
  return new Set(attacks.flatMap(({ from, to }) => [`${from} ${to}`, `${to} ${from}`]))
}

/** Undefined where they can both be true, as far as can be told. */
export function quarrelOf(one: Voice, other: Voice, attacks: ReadonlySet<string>): Quarrel | undefined {
  const [a, b] = [one.source, other.source]
  if (a.ref === b.ref) return undefined
  if (attacks.has(`${a.ref} ${b.ref}`)) return 'attack'
  if (isOtherValue(a, b)) return 'value'
  // Whoever states facts differs by their values, not by the words between them.
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

/** What happened on different days may well be different. */
function areOtherTimes(a: Voice['source'], b: Voice['source']): boolean {
  const are_events = a.kind === 'episodic' && b.kind === 'episodic'
  return are_events && a.occurred_at.slice(0, day_length) !== b.occurred_at.slice(0, day_length)
}

/** Toward the statement asked about; for a question without one, toward the first of the voices. */
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
  // Whoever quarrels with one that supports the statement speaks against it, and the other way round.
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
    // Only what has all that was asked can be said to support it.
    return shareOf(reading.words, statement.words) >= 0.8 ? 'supports' : 'neutral'
  }
  return statement.numbers.size > 0 ? 'refutes' : 'neutral'
}
