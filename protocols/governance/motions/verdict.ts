// A council's decision as a verifiable document: all final positions, and the dissent.

import type { KeyEvent } from '@svc/contract/identity/key-events'
import { canonicalJson, contentHash, sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Bind, CharterEffect, Motion } from './motion.ts'
import { type Counted, type Outcome, type Position, tally } from './motion-tally.ts'
import { isVoteOf } from './position-signature.ts'
import { type TakenPosition, type VoteSignature, votesOf } from './position-store.ts'

const day_ms = 86_400_000

export interface FinalPosition {
  readonly did: string
  readonly position: Position
  readonly position_id: string
  readonly reasoning_hash: string
  readonly signed: VoteSignature | null
}

export interface VerdictBody extends Pick<Counted, 'counts' | 'attendance' | 'majority' | 'dissent'> {
  readonly v: 1
  readonly tenant_id: string
  /** Null if the only charter member acted alone. */
  readonly motion_id: string | null
  readonly motion_hash: string | null
  readonly title: string
  readonly outcome: Outcome
  readonly charter_level: boolean
  readonly sole_member: boolean
  readonly binds: readonly Bind[]
  readonly executor_did: string | null
  readonly max_uses: number
  readonly effects_applied: readonly CharterEffect[]
  readonly positions: readonly FinalPosition[]
  readonly tallied_at: string
  readonly valid_until: string
}

export interface Verdict extends VerdictBody {
  readonly verdict_id: string
  readonly ref: string
  readonly uses: number
  /** Its address in the registry. */
  readonly registered: string | null
}

const ref_prefix = 'mace://verdict/'

export function refOf(verdict_id: string): string {
  return `${ref_prefix}${verdict_id}`
}

/** Undefined if it is not a verdict reference. */
export function idOfRef(ref: string): string | undefined {
  const verdict_id = ref.slice(ref_prefix.length)
  return ref.startsWith(ref_prefix) && /^sha256:[0-9a-f]{64}$/.test(verdict_id) ? verdict_id : undefined
}

export function bodyOf(
  { body, motion_hash }: Motion,
  taken: readonly TakenPosition[],
  effects_applied: readonly CharterEffect[],
  tallied_at: string,
): VerdictBody {
  const { outcome, counts, attendance, majority, dissent } = tally(body, votesOf(taken))
  const { tenant_id, motion_id, title, charter_level, binds, executor_did, max_uses } = body
  return {
    v: 1,
    tenant_id,
    motion_id,
    motion_hash,
    title,
    outcome,
    charter_level,
    sole_member: false,
    binds,
    executor_did,
    max_uses,
    effects_applied,
    positions: taken.map(finalOf),
    counts,
    attendance,
    majority,
    dissent,
    tallied_at,
    valid_until: new Date(Date.parse(tallied_at) + body.authority_ttl_days * day_ms).toISOString(),
  }
}

interface Sole {
  readonly tenant_id: string
  readonly did: string
  readonly bind: Bind
  readonly at: string
  /** Makes each use a separate decision. */
  readonly position_id: string
}

/** Vote of a sole member: written by the engine, for one use. */
export function soleVerdict({ tenant_id, did, bind, at, position_id }: Sole): VerdictBody {
  const reasoning_hash = sha256Hex('sole member')
  return {
    v: 1,
    tenant_id,
    motion_id: null,
    motion_hash: null,
    title: `${bind.protocol} ${bind.operation}`,
    outcome: 'PASSED',
    charter_level: true,
    sole_member: true,
    binds: [bind],
    executor_did: null,
    max_uses: 1,
    effects_applied: [],
    positions: [{ did, position: 'for', position_id, reasoning_hash, signed: null }],
    counts: { for: 1, against: 0, abstain: 0, recused: 0, absent: 0 },
    attendance: { present: 1, needed: 1 },
    majority: [did],
    dissent: [],
    tallied_at: at,
    valid_until: at,
  }
}

function finalOf({ did, position, position_id, reasoning, signed }: TakenPosition): FinalPosition {
  return { did, position, position_id, reasoning_hash: sha256Hex(reasoning), signed }
}

/** Recounted from the stored votes, so that a changed row is detected. */
export function isRecomputable(
  verdict: Verdict,
  motion: Motion,
  taken: readonly TakenPosition[],
  keyEventsOf: (did: string) => readonly KeyEvent[] = () => [],
): boolean {
  const { verdict_id, ref: _, uses: __, registered: ___, ...kept } = verdict
  const again = bodyOf(motion, taken, kept.effects_applied, kept.tallied_at)
  return (
    contentHash(motion.body) === motion.motion_hash &&
    contentHash(kept) === verdict_id &&
    canonicalJson(again) === canonicalJson(kept) &&
    (!kept.charter_level || taken.every((one) => isVoteOf(motion, one, keyEventsOf(one.did))))
  )
}

/** Two thirds of the votes; charter level implies more than half of all seats. */
export function isSupermajority({ outcome, charter_level, counts }: VerdictBody): boolean {
  return outcome === 'PASSED' && charter_level && counts.for * 3 >= (counts.for + counts.against) * 2
}
