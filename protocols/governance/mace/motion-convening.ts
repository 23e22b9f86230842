// Convenes a council: its seats, and whether it could decide at all.
import { parseDid } from '@svc/contract/identity/did'
import { meetsLevel, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  advance,
  type CharterEffect,
  fractionText,
  hashOf,
  isMajority,
  keepMotion,
  type Motion,
  type MotionBody,
  quorumOf,
  type Seat,
} from '../motions/api.ts'
import {
  type ConveneInput,
  hearing_ms_min,
  type MotionView,
  objection_ms_default,
  seats_max,
  viewOf,
  wordsOf,
} from './motion-input.ts'
import { notifySeats } from './motion-notice.ts'
import { mayVoteItself, vote_capability } from './position-right.ts'

/** Runs in the caller's transaction; other operations use it, too. */
export async function conveneMotion(
  context: OperationContext<'authority' | 'charter' | 'notify' | 'tokens'>,
  input: ConveneInput,
): Promise<MotionView> {
  const { tenant_id, caller, now } = context
  requireOwn(context)
  const words = wordsOf(input.motion)
  const quorum = quorumOf(input.quorum)
  if (!isMajority(quorum.threshold)) throw belowMajority(fractionText(quorum.threshold))
  const { min_delegates = 1 } = input.composition_rules
  if (words.charter_level) requireL2(caller, 'A charter-level motion')
  const members = await context.charter.members()
  const seats = words.charter_level
    ? charterSeats(input, members, caller.did)
    : chosenSeats(input, members, min_delegates)
  if (seats.length < min_delegates)
    throw unreachable(`${seats.length} seats cannot reach min_delegates ${min_delegates}`)
  if (!words.charter_level) await requireVoters(context, seats, members)
  const { objection_ms = objection_ms_default } = input
  if (words.charter_level && seats.length > 1 && Math.min(input.deadline_ms, objection_ms) < hearing_ms_min)
    throw unheard()
  for (const effect of words.effects) requireLastingCharter(effect, members, tenant_id)
  const body: MotionBody = {
    v: 1,
    tenant_id,
    motion_id: context.newId(),
    ...words,
    quorum,
    min_delegates,
    seats,
    convened_by: caller.did,
    convened_at: now,
    deadline_at: new Date(Date.parse(now) + input.deadline_ms).toISOString(),
    objection_ms,
  }
  const motion: Motion = { council_id: context.newId(), motion_hash: hashOf(body), state: 'CONVENED', body }
  await keepMotion(context.db, motion, advance(motion, new Date(now)).next_at)
  const read = body.title === body.text ? [body.text] : [body.title, body.text]
  context.tokens.use(await context.tokens.count(read), 0)
  announce(context, motion)
  notifySeats(context, body, 'seated')
  return viewOf(motion, new Map())
}

/** The event is the notice to the seats, who all read the chain. */
function announce(context: OperationContext, { body, council_id, motion_hash }: Motion): void {
  const { motion_id, charter_level, binds, deadline_at, seats } = body
  const facts = { motion_id, council_id, motion_hash, charter_level, binds, deadline_at }
  context.audit(
    'MotionConvened',
    { ...facts, seats: seats.map(({ did }) => did) },
    { also: [context.tenant_id] },
  )
}

/** A seat that nobody can fill could never be heard. Charter members are seated as they are. */
async function requireVoters(
  context: OperationContext<'authority'>,
  seats: readonly Seat[],
  members: readonly string[],
): Promise<void> {
  const { authority, now, tenant_id } = context
  for (const { did } of seats.filter((seat) => !members.includes(seat.did))) {
    const { identity, held } = await authority.of(did)
    const is_guest = parseDid(did)?.namespace !== tenant_id
    const may_vote = is_guest ? identity.auth_method !== 'unresolved' : mayVoteItself(held, now)
    if (identity.revoked || !may_vote) throw nobodyThere(did)
  }
}

function nobodyThere(did: string): Refusal {
  return refuse(
    'policy_denied',
    `${did} cannot take a seat: nobody with this DID could vote here; name an identity that exists and holds ${vote_capability} itself.`,
    { reason: 'delegate cannot vote', denying_policy: 'MACE composition' },
  )
}

/** Else whoever convenes could have a few vote at once, and the others would never be heard. */
function unheard(): Refusal {
  return refuse(
    'policy_denied',
    'A motion that binds the whole organization leaves its seats an hour to vote and to object; raise deadline_ms and objection_ms to at least 3600000. It closes sooner only if all vote.',
    { reason: 'too short to be heard', denying_policy: 'MACE hearing', minimum_ms: hearing_ms_min },
  )
}

function belowMajority(threshold: string): Refusal {
  return refuse(
    'policy_denied',
    `A threshold of ${threshold} lets a minority decide; ask for more than half of the votes.`,
    { reason: 'threshold below a majority', denying_policy: 'MACE quorum' },
  )
}

function requireOwn({ caller, tenant_id }: OperationContext): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse('policy_denied', `You do not belong to ${tenant_id}; convene in your own organization.`, {
    reason: 'not your organization',
  })
}

export function requireL2(caller: ResolvedAgentIdentity, what: string): void {
  if (meetsLevel(caller, 'L2')) return
  throw refuse('policy_denied', `${what} needs conformance level L2, which ${caller.did} has not proven.`, {
    reason: 'conformance L2 required',
    denying_policy: 'conformance L2',
  })
}

/** All charter members and nobody else, so convening needs no quorum of its own. */
function charterSeats(
  { composition_rules }: ConveneInput,
  members: readonly string[],
  caller_did: string,
): Seat[] {
  if (!members.includes(caller_did)) throw outsider(`${caller_did} is not a charter member`)
  const { delegates } = composition_rules
  const required = requiredOf(composition_rules)
  const stranger = [...required, ...(delegates ?? [])].find((did) => !members.includes(did))
  if (stranger !== undefined) throw outsider(`${stranger} is not a charter member`)
  if (delegates && delegates.length < members.length) throw outsider('delegates omits some of them')
  return seatsOf(members, required)
}

function chosenSeats(
  { composition_rules }: ConveneInput,
  members: readonly string[],
  min_delegates: number,
): Seat[] {
  const required = requiredOf(composition_rules)
  const seats = seatsOf([...(composition_rules.delegates ?? members), ...required], required)
  if (seats.length > 0) return seats
  throw unreachable(`it has no seats and needs ${min_delegates}`)
}

function requiredOf({ must_include_did = [] }: ConveneInput['composition_rules']): readonly string[] {
  return typeof must_include_did === 'string' ? [must_include_did] : must_include_did
}

function seatsOf(dids: readonly string[], required: readonly string[]): Seat[] {
  const seats = [...new Set(dids)].sort().map((did) => ({ did, required: required.includes(did) }))
  if (seats.length <= seats_max) return seats
  throw unreachable(`a council has at most ${seats_max} seats, not ${seats.length}`)
}

/** Checked before the vote and again when applied: the charter may change in between. */
function requireLastingCharter(
  { add, remove }: CharterEffect,
  members: readonly string[],
  tenant_id: string,
): void {
  const stranger = add.find((did) => parseDid(did)?.namespace !== tenant_id)
  if (stranger !== undefined)
    throw badCharter(`${stranger} does not belong to ${tenant_id}`, 'charter members are of the organization')
  const left = charterAfter(members, { add, remove })
  if (left.length === 0) throw badCharter('the charter would have no members', 'last charter member')
  if (left.length > seats_max)
    throw badCharter(`a charter has at most ${seats_max} members`, 'too many charter members')
}

export function charterAfter(
  members: readonly string[],
  { add, remove }: Pick<CharterEffect, 'add' | 'remove'>,
): readonly string[] {
  return [...new Set([...members, ...add])].filter((did) => !remove.includes(did))
}

function badCharter(why: string, reason: string): Refusal {
  return refuse('policy_denied', `The motion would make the charter invalid: ${why}; change its effects.`, {
    reason,
    denying_policy: 'MACE charter',
  })
}

function outsider(why: string): Refusal {
  return refuse(
    'policy_denied',
    `A charter-level motion is convened by a charter member for all members, but ${why}; let a member convene it ` +
      'and omit delegates.',
    { reason: 'charter members only', denying_policy: 'MACE charter' },
  )
}

function unreachable(why: string): Refusal {
  return refuse(
    'policy_denied',
    `The council could never decide: ${why}; name other delegates or a smaller min_delegates.`,
    { reason: 'composition cannot reach quorum', denying_policy: 'MACE composition' },
  )
}
