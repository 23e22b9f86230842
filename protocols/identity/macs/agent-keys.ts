// MACS create_key, list_keys and revoke_key: an agent's own API keys and sessions, and those of its descendants.
import { isWithin } from '@svc/contract/authority/attenuation'
import { covers, type HeldCapability, isCapabilityName, unexpired } from '@svc/contract/authority/capability'
import { readNetworks } from '@svc/contract/authority/network-list'
import { next_cursor, page_fields, page_max } from '@svc/contract/list-page'
import { listing } from '@svc/contract/listing'
import { keyWeek } from '@svc/contract/money/budget-counter'
import { microUsd, UsdText, usd_pattern, usdText } from '@svc/contract/money/money'
import type { ListedKey } from '@svc/contract/needs/keys'
import type { OperationContext } from '@svc/contract/operation-context'
import { requireAtHome as requireHome } from '@svc/contract/own-list'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { requireOwn } from './key-life.ts'

const day_ms = 24 * 3_600_000
const days_default = 90
const days_max = 366
const live_keys_max = 50
const names_max = 64
/** Of a key that names none; a role brings more than somebody would name. */
const held_max = 500
const key_id_form = /^[a-z0-9]{8}$/

const KeyId = Type.String({
  pattern: key_id_form.source,
  description: 'Names the key in lists, and to revoke it.',
})
const Network = Text(43, { description: 'An address block such as 10.0.0.0/8 or 2001:db8::/32.' })

export const CreateKeyInput = Closed({
  agent_did: Type.Optional(
    Type.String({ ...Did, description: 'Default: yourself. Or a descendant of yours.' }),
  ),
  label: Text(64, { description: 'What it is for, to recognise it in lists.' }),
  capabilities: Type.Optional(
    Type.Array(Text(128), {
      minItems: 1,
      maxItems: names_max,
      description: 'What it may be used for; default: all that its agent holds now.',
    }),
  ),
  expires_at: Type.Optional(
    Type.String({ ...Timestamp, description: `At most ${days_max} days ahead; default ${days_default}.` }),
  ),
  networks: Type.Optional(
    Type.Array(Network, { maxItems: 16, description: 'Where it may be used from; default: anywhere.' }),
  ),
  weekly_budget_usd: Type.Optional(
    Type.String({
      pattern: usd_pattern,
      description: 'What all calls with it may cost in an ISO week, UTC; default: what its agent may spend.',
    }),
  ),
})

const shown_key = {
  key_id: KeyId,
  agent_did: described(Did, 'Whose key it is.'),
  label: Type.Optional(Type.String({ description: 'What it is for.' })),
  capabilities: Type.Optional(
    described(
      ListOf(Type.String(), 0, held_max),
      'What it may be used for; absent: all that its agent holds.',
    ),
  ),
  networks: described(ListOf(Type.String(), 0, 16), 'Where it may be used from; empty: anywhere.'),
  weekly_budget_usd: Type.Optional(
    described(UsdText, 'What all calls with it may cost in an ISO week; absent: no own budget.'),
  ),
  expires_at: Type.Optional(described(Timestamp, 'When it ends; absent: it does not end by itself.')),
}

export const CreateKeyOutput = Closed({
  ...shown_key,
  api_key: Type.String({ description: 'Shown once: only its hash is stored.' }),
})

export const ListKeysInput = Closed({
  agent_did: Type.Optional(described(Did, 'Whose to list: a descendant of yours; default: your own.')),
  ...page_fields,
})
export const ListKeysOutput = Closed({
  items: described(
    ListOf(
      Closed({
        ...shown_key,
        spent_this_week_usd: Type.Optional({ ...UsdText, description: 'Of its weekly budget.' }),
        kind: described(
          OneOf('key', 'session'),
          'A key ends when revoked or expired; a session was proven with MACS verify_response.',
        ),
        state: described(OneOf('live', 'expired', 'revoked'), 'Only live ones are accepted.'),
        made_by: Type.Optional(described(Did, 'Who made it.')),
        created_at: described(Timestamp, 'When it was made.'),
        revoked_at: Type.Optional(described(Timestamp, 'When it was revoked.')),
        last_used_at: Type.Optional(described(Timestamp, 'When a call last used it; absent: never.')),
      }),
      0,
      page_max,
    ),
    'Keys and sessions, newest first; secrets are not stored.',
  ),
  next_cursor,
})

export const RevokeKeyInput = Closed({
  key_id: described(KeyId, 'The key or session to end; calls with it are refused at once.'),
  reason: Type.Optional(Text(500, { description: 'Why, for the audit log.' })),
})
export const RevokeKeyOutput = Closed({
  key_id: described(KeyId, 'The key that ended.'),
  agent_did: described(Did, 'Whose key it was.'),
  revoked_at: described(Timestamp, 'When it ended.'),
})

type KeyContext = OperationContext<'authority' | 'keys'>
type ListContext = OperationContext<'authority' | 'budgets' | 'keys'>

export async function createKey(input: Static<typeof CreateKeyInput>, context: KeyContext) {
  const { agent_did = context.caller.did, label, networks = [] } = input
  requireHome(context, 'keys')
  await requireOwn(agent_did, context)
  const expires_at = endOf(input.expires_at, context.now)
  if (networks.length > 0 && !readNetworks(networks.join(',')))
    throw faulty('networks', 'holds something that is no address block; write one as 10.0.0.0/8')
  const budget = input.weekly_budget_usd === undefined ? undefined : microUsd(input.weekly_budget_usd)
  const usable_for = await boundsOf(agent_did, input.capabilities, context)
  if ((await context.keys.lockAndCount(agent_did)) >= live_keys_max)
    throw refuse(
      'policy_denied',
      `This agent has ${live_keys_max} live keys; revoke one that is not used any more.`,
      { reason: 'too many keys' },
    )
  const new_key = { did: agent_did, label, usable_for, expires_at, networks }
  const issued = await context.keys.issue({ ...new_key, weekly_budget_micro_usd: budget })
  const { key_id, api_key, ...bounds } = issued
  const shown = {
    key_id,
    agent_did,
    capabilities: [...usable_for],
    ...bounds,
    networks: [...bounds.networks],
    ...(budget !== undefined && { weekly_budget_usd: usdText(budget) }),
  }
  context.audit('KeyCreated', shown)
  return { ...shown, label, api_key }
}

export async function listKeys(
  { agent_did = '', ...page }: Static<typeof ListKeysInput>,
  context: ListContext,
) {
  const did = agent_did || context.caller.did
  await requireOwn(did, context)
  return listing(page, context, {
    own: 'keys',
    id_form: key_id_form,
    read: (bounds) => context.keys.list(did, bounds),
    placeOf: ({ created_at, key_id }) => ({ at: created_at.toISOString(), id: key_id }),
    view: (keys) =>
      Promise.all(
        keys.map(async (key) => ({ ...keyView(key, context.now), ...(await spendingOf(key, context)) })),
      ),
  })
}

export async function revokeKey({ key_id, reason }: Static<typeof RevokeKeyInput>, context: KeyContext) {
  const key = await context.keys.find(key_id)
  if (!key) throw notFound('key', key_id)
  if (key.made_by !== context.caller.did) await requireOwn(key.did, context, () => notFound('key', key_id))
  if (!key.revoked_at) {
    await context.keys.revoke(key_id)
    context.audit('KeyRevoked', { agent_did: key.did, key_id }, { supplied: { reason } })
  }
  return { key_id, agent_did: key.did, revoked_at: key.revoked_at?.toISOString() ?? context.now }
}

/** Never more than the caller may do with the credential it came with, nor more than a descendant holds. */
async function boundsOf(did: string, requested: readonly string[] | undefined, context: KeyContext) {
  const own = unexpired((await context.authority.ofCaller()).held, context.now)
  const theirs =
    did === context.caller.did ? own : unexpired((await context.authority.of(did)).held, context.now)
  const names = requested ?? [...new Set(theirs.map(({ name }) => name))]
  if (names.length > held_max)
    throw faulty('capabilities', `must be given: its agent holds more than ${held_max}`)
  for (const name of names) {
    const is_held = isCapabilityName(name) && theirs.some((grant) => covers(grant.name, name))
    if (is_held && (did === context.caller.did || isNoMore(name, theirs, own))) continue
    const reason = isCapabilityName(name) ? `capability amplification: ${name}` : 'capability amplification'
    throw refuse(
      'policy_denied',
      `You cannot make a key for ${name}: you or its agent hold no capability that covers it; name what is held.`,
      { reason },
    )
  }
  return names
}

/** A key of a descendant is under its bounds and not under the caller's, so that these may not be narrower. */
function isNoMore(name: string, theirs: readonly HeldCapability[], own: readonly HeldCapability[]): boolean {
  return theirs.every((grant) => {
    if (covers(grant.name, name)) return isWithin({ ...grant, name }, own)
    return !covers(name, grant.name) || isWithin(grant, own)
  })
}

function endOf(requested: string | undefined, now: string): string {
  const now_ms = Date.parse(now)
  const end_ms = requested === undefined ? now_ms + days_default * day_ms : Date.parse(requested)
  if (end_ms > now_ms && end_ms <= now_ms + days_max * day_ms) return new Date(end_ms).toISOString()
  throw faulty('expires_at', `must be in the future, and at most ${days_max} days ahead`)
}

async function spendingOf({ key_id, weekly_budget_micro_usd: budget }: ListedKey, context: ListContext) {
  if (budget === null) return {}
  const { spent_micro_usd } = await context.budgets.counter(keyWeek(key_id, Date.parse(context.now)))
  return { weekly_budget_usd: usdText(BigInt(budget)), spent_this_week_usd: usdText(spent_micro_usd) }
}

function faulty(field: string, message: string) {
  return refuse('invalid_payload', `The input of svc.macs.create_key is invalid: /${field} ${message}.`, {
    reason: 'invalid key',
    faults: [{ pointer: `/${field}`, message }],
  })
}

function keyView(key: ListedKey, now: string) {
  const {
    key_id,
    did,
    label,
    made_by,
    usable_for,
    networks,
    created_at,
    expires_at,
    revoked_at,
    last_used_at,
  } = key
  const is_over = expires_at !== null && expires_at.getTime() <= Date.parse(now)
  const state = revoked_at ? ('revoked' as const) : is_over ? ('expired' as const) : ('live' as const)
  return {
    key_id,
    agent_did: did,
    kind: key.is_session ? ('session' as const) : ('key' as const),
    state,
    ...(label !== null && { label }),
    ...(made_by !== null && { made_by }),
    ...(usable_for && { capabilities: [...usable_for] }),
    networks: [...networks],
    created_at: created_at.toISOString(),
    ...(expires_at && { expires_at: expires_at.toISOString() }),
    ...(revoked_at && { revoked_at: revoked_at.toISOString() }),
    ...(last_used_at && { last_used_at: last_used_at.toISOString() }),
  }
}
