// Enacts a policy: valid, newer than the version it replaces, without lockout, and decided by the charter.

import { type CedarFault, checkCedar, type PolicySet } from '@svc/contract/authority/policy'
import {
  momentsFrom,
  type PolicyVersion,
  policy_states,
  policySetAt,
  policyStateAt,
} from '@svc/contract/authority/policy-timeline'
import type { Database } from '@svc/contract/database'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import {
  isLaterVersion,
  keepSets,
  keepVersion,
  lockPolicies,
  newestVersion,
  PolicyVersionName,
  readTimeline,
} from '../policies/api.ts'
import { requireNoLockout } from './policy-guard.ts'
import { eventOf, momentMeta } from './policy-sweep.ts'

const body_length_max = 65_536
const policies_in_text_max = 64
/** Per organization: versions in force or planned, and the total length of their texts. */
const versions_standing_max = 256
const characters_standing_max = 262_144
const backdated_ms_max = 5 * 60_000
const planned_ms_max = 366 * 86_400_000

export const PolicyId = Type.String({ pattern: '^[a-z0-9._-]{1,96}$', description: 'Name of a policy.' })

export const PolicyBody = Type.String({
  maxLength: body_length_max,
  description: `Cedar: 1 to ${policies_in_text_max} static policies of namespace Svc; empty to retire the policy.`,
})

export const AuthorInput = Closed({
  policy_id: PolicyId,
  policy_body: PolicyBody,
  version: described(PolicyVersionName, 'Semantic version; greater than all before.'),
  active_from: described(Timestamp, 'When it takes effect; at most a year ahead.'),
  authority: Type.Optional(described(Ref, 'Verdict of your charter; absent: a fitting unused one is taken.')),
  retire: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'True: the policy ends with this version; its body is empty.',
    }),
  ),
  rationale: Type.Optional(Text(4000, { description: 'Why, for those who read it later.' })),
})
type AuthorInput = Static<typeof AuthorInput>

export const AuthorOutput = Closed({
  policy_id: PolicyId,
  version: PolicyVersionName,
  digest: described(Hash, 'Hash of policy, version and start; the charter verdict binds it.'),
  state: described(
    OneOf(...policy_states),
    'SCHEDULED: takes effect later. SUPERSEDED: a later version is in force.',
  ),
  active_from: described(Timestamp, 'When it takes effect.'),
  set_digest: described(Hash, 'Hash of all policies in force from then on.'),
  warnings: described(ListOf(Type.String(), 0, 64), 'Possible mistakes that Cedar found.'),
  lockout_checked: Type.Literal(true, {
    description: 'Always true: charter members can still govern under it.',
  }),
})

/** What a council decides on before authoring: exactly these fields, the time with milliseconds. */
export function policyDigest(input: AuthorInput): string {
  const { policy_id, version, policy_body, active_from, retire = false } = input
  return contentHash({
    policy_id,
    version,
    policy_body,
    active_from: new Date(active_from).toISOString(),
    retire,
  })
}

export async function author(
  input: AuthorInput,
  context: OperationContext<
    'authority' | 'charter' | 'compute' | 'policies' | 'register' | 'requireAuthority'
  >,
): Promise<Static<typeof AuthorOutput>> {
  const now_ms = Date.parse(context.now)
  await requireMember(context)
  requireTime(input.active_from, now_ms)
  const warnings = await requireSound(input, context)
  const { db, tenant_id } = context
  await lockPolicies(db, tenant_id)
  const standing = await readTimeline(db, tenant_id, new Date(now_ms))
  const version = await nextVersion(input, now_ms, db, tenant_id)
  const timeline = [...standing, version]
  requireRoom(timeline)
  await requireNoLockout(setsFrom(timeline, version.active_from_ms), context)
  const authority = await requireVerdict(input, version.digest, context)
  const state = policyStateAt(version, [version], now_ms)
  const event = eventOf(state)
  await keepVersion(db, tenant_id, version, {
    authored_by: context.caller.did,
    authority,
    rationale: input.rationale ?? null,
    authored_at: new Date(now_ms),
    announced_at: event ? new Date(now_ms) : null,
  })
  await keepSets(db, tenant_id, setsFrom(timeline, now_ms))
  await sql`SELECT svc_tell_books(${tenant_id})`.execute(db)
  const { set_digest } = policySetAt(timeline, version.active_from_ms)
  const meta = momentMeta(version)
  context.audit('PolicyAuthored', { ...meta, set_digest, authority, retires: version.retires })
  if (event) context.audit(event, meta)
  await register(version, authority, context)
  const { policy_id, digest } = version
  return { ...meta, policy_id, digest, state, set_digest, warnings, lockout_checked: true }
}

/** The distinct sets in force from a time on. */
function setsFrom(timeline: readonly PolicyVersion[], from_ms: number): PolicySet[] {
  const sets = momentsFrom(timeline, from_ms).map((at_ms) => policySetAt(timeline, at_ms))
  return [...new Map(sets.map((set) => [set.set_digest, set])).values()]
}

async function requireMember(context: OperationContext<'charter'>): Promise<void> {
  if (await context.charter.has(context.caller.did)) return
  throw refuse(
    'policy_denied',
    `Only a charter member of ${context.tenant_id} may author its policies; ask one of them.`,
    { reason: 'charter member required', denying_policy: 'MAXIM charter', appeal_path: 'MACE convene' },
  )
}

function requireTime(active_from: string, now_ms: number): void {
  const fault = isMoment(active_from) ? outOfBounds(Date.parse(active_from), now_ms) : 'is not a valid date'
  if (!fault) return
  throw refuse('invalid_payload', `active_from ${fault}; choose another moment.`, {
    reason: 'active_from out of bounds',
    faults: [{ pointer: '/active_from', message: fault }],
  })
}

function outOfBounds(active_from_ms: number, now_ms: number): string | undefined {
  if (active_from_ms < now_ms - backdated_ms_max) return 'is more than 5 minutes in the past'
  return active_from_ms > now_ms + planned_ms_max ? 'is more than a year in the future' : undefined
}

/** Returns warnings; refuses errors. */
export async function requireSound(
  { policy_body, retire }: Pick<AuthorInput, 'policy_body' | 'retire'>,
  context: OperationContext<'compute' | 'policies'>,
): Promise<string[]> {
  const { policies, faults, warnings } = await checkCedar(context, policy_body)
  const all = [...faults]
  if (faults.length === 0 && retire && policies > 0)
    all.push({ message: 'must be empty when the policy is retired' })
  if (faults.length === 0 && !retire && policies === 0)
    all.push({ message: 'must contain at least one policy' })
  if (policies > policies_in_text_max)
    all.push({ message: `may contain at most ${policies_in_text_max} policies` })
  if (all.length === 0) return warnings.map(said)
  throw refuse(
    'invalid_payload',
    `policy_body cannot be enacted: ${said(all[0]!)}. Correct it at the positions in details.faults (UTF-16 units).`,
    { reason: 'cedar', faults: all.map((fault) => ({ pointer: '/policy_body', ...fault })) },
  )
}

function said({ message, from, to }: CedarFault): string {
  return from === undefined ? message : `${message} (at ${from} to ${to})`
}

async function nextVersion(
  input: AuthorInput,
  now_ms: number,
  db: Database,
  tenant_id: string,
): Promise<PolicyVersion> {
  const { policy_id, version, policy_body: body, retire: retires = false, active_from } = input
  const newest = await newestVersion(db, tenant_id, policy_id)
  if (newest && !isLaterVersion(version, newest.version)) {
    const message = `must be greater than ${newest.version}`
    throw refuse(
      'invalid_payload',
      `Version ${version} of policy ${policy_id} ${message}, the latest version; versions are never edited.`,
      { reason: 'version_conflict', latest: newest.version, faults: [{ pointer: '/version', message }] },
    )
  }
  if (!newest && retires)
    throw refuse('invalid_payload', `There is no policy ${policy_id} to retire; check policy_id.`, {
      reason: 'not_found',
    })
  return {
    policy_id,
    version,
    ordinal: (newest?.ordinal ?? 0) + 1,
    body,
    digest: policyDigest(input),
    retires,
    // Never before it was authored: earlier decisions were made without it.
    active_from_ms: Math.max(Date.parse(active_from), now_ms),
  }
}

function requireRoom(timeline: readonly PolicyVersion[]): void {
  const characters = timeline.reduce((sum, { body }) => sum + body.length, 0)
  if (timeline.length <= versions_standing_max && characters <= characters_standing_max) return
  throw refuse(
    'policy_denied',
    `An organization may have at most ${versions_standing_max} versions in force or planned, with ${characters_standing_max} characters in total; merge some policies.`,
    { reason: 'too many policies', denying_policy: 'MAXIM limits' },
  )
}

/** The refusal names what a motion must bind, so that one can be convened from it. */
async function requireVerdict(
  input: AuthorInput,
  subject: string,
  context: OperationContext<'requireAuthority'>,
): Promise<string> {
  try {
    return await context.requireAuthority('MAXIM.author', subject, input.authority)
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown
    throw refuse(thrown.code, thrown.message, { ...thrown.details, operation: 'MAXIM.author', subject })
  }
}

async function register(
  version: PolicyVersion,
  authority: string,
  context: OperationContext<'register'>,
): Promise<void> {
  const { body, retires } = version
  await context.register({
    kind: 'policy',
    subject: version.policy_id,
    visibility: 'tenant',
    content: { ...momentMeta(version), policy_body: body, retire: retires, authority },
  })
}
