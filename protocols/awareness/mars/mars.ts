import { invalidCursor } from '@svc/contract/list-page'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { SceneStep } from '@svc/contract/scene'
import {
  AnyObject,
  CapabilityName,
  Closed,
  described,
  Hash,
  ListOf,
  OneOf,
  TenantId,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { Type } from 'typebox'
import {
  type EntryFilter,
  EntrySignature,
  EntryState,
  entry_kinds,
  type FoundEntry,
  findPage,
  readCursor,
  stateAt,
  stateNow,
  writeCursor,
} from '../registry/api.ts'
import { AgentInput, agentStatement, requireFitting, requireRightToRegister, Tag } from './agent-entry.ts'
import { DiscoveryInput, DiscoveryOutput, discover } from './discovery.ts'
import { type Registered, registerEntry, withdrawEntry } from './registration.ts'

const Entry = Closed({
  hash: described(Hash, 'Names the entry: the hash of its body.'),
  kind: described(OneOf(...entry_kinds), 'What is registered.'),
  subject: Type.String({
    description: 'Id of what is registered: the DID of an agent, the id of a treaty, and so on.',
  }),
  tenant_id: described(TenantId, 'Organization that registered it.'),
  version: Type.Integer({ minimum: 1, description: 'Counts the versions of this subject, from 1.' }),
  previous: Type.Union([Hash, Type.Null()], {
    description: 'Entry this version replaced; null for the first.',
  }),
  state: described(
    EntryState,
    'LIVE, STALE after its time to live, SUPERSEDED by a newer version, or WITHDRAWN.',
  ),
  body: described(AnyObject, 'Content that was hashed and signed.'),
  signature: described(EntrySignature, 'Who signed the body, and with which key.'),
  registered_at: described(Timestamp, 'When this version was registered.'),
  expires_at: Type.Optional(described(Timestamp, 'When it becomes STALE; absent where it does not.')),
  hash_valid: Type.Literal(true, {
    description: 'The body was hashed again just now and matched; others are not returned.',
  }),
})

const translator = {
  name: 'Translator',
  summary: 'Translates contracts between German and English.',
  entity_kind: 'Agent',
  capabilities: ['svc.mars.query_registry'],
  service_endpoints: [{ kind: 'external', url: 'https://translator.example/a2a', protocols: ['a2a'] }],
  tags: ['translation'],
}
const translator_registered: readonly SceneStep[] = [{ call: 'MARS.register_agent', input: translator }]

export const mars = protocol({
  id: 'MARS',
  version: 'v1.0.0',
  plane: 'awareness',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'The registry: who and what exists, signed, content-addressed, and never lost.',

  operations: {
    register_agent: operation({
      summary: 'Make an agent findable, keep its entry alive, or withdraw it.',
      effect: 'write',
      level: 'L0',
      meters: ['seconds'],
      needs: ['audit_log', 'authority', 'charter', 'custody'],
      input: AgentInput,
      output: Closed({
        entry: described(Hash, 'Names the entry: the hash of its body.'),
        version: Type.Integer({
          minimum: 1,
          description: "Counts the versions of this agent's entry, from 1.",
        }),
        previous: Type.Optional(described(Hash, 'Entry this version replaced; absent for the first.')),
        state: described(EntryState, 'LIVE, or WITHDRAWN after withdraw.'),
        expires_at: Type.Optional(
          described(Timestamp, 'When it becomes STALE unless it is registered again.'),
        ),
        unchanged: Type.Boolean({
          description: 'Same content as before: only its time to live was extended.',
        }),
      }),
      example: translator,

      async handle(input, context) {
        const did = input.agent_did ?? context.caller.did
        const authority = await requireRightToRegister(did, context)
        const may_sign = [did, authority.identity.creator_did, context.caller.did]
        const signers = [...new Set(may_sign)].filter((signer) => signer !== undefined)
        const { signature, public_key } = input
        const proof = { signature, public_key, signers }
        if (input.withdraw) return answer(await withdrawEntry(context, 'agent', did, proof), did, context)
        requireFitting(input, did, authority, context)
        const statement = agentStatement(input, did)
        return answer(await registerEntry(context, statement, proof), did, context)
      },
    }),

    query_registry: operation({
      summary: 'Look entries up exactly, now or as they stood at a moment, with their history on request.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['telemetry'],
      input: Closed({
        entry: Type.Optional(described(Hash, 'Exactly this entry, by its hash.')),
        subject: Type.Optional(
          Text(256, { description: "Exact id of what is registered, such as an agent's DID." }),
        ),
        kind: Type.Optional(described(OneOf(...entry_kinds), 'Only entries of this kind.')),
        name_prefix: Type.Optional(Text(128, { description: 'Only entries whose name starts with this.' })),
        tag: Type.Optional(described(Tag, 'Only entries with this tag.')),
        tenant_id: Type.Optional(described(TenantId, 'Only entries of this organization.')),
        capability: Type.Optional(described(CapabilityName, 'Only agents that offer this capability.')),
        as_of: Type.Optional(described(Timestamp, 'As the registry stood then; default now.')),
        history: Type.Optional(
          Type.Boolean({
            default: false,
            description: 'Also return versions that were superseded or withdrawn.',
          }),
        ),
        limit: Type.Optional(
          Type.Integer({ minimum: 1, maximum: 200, default: 50, description: 'Entries per page.' }),
        ),
        cursor: Type.Optional(
          Type.String({
            pattern: '^[A-Za-z0-9_-]{1,128}$',
            description: 'next_cursor of the previous page.',
          }),
        ),
      }),
      output: Closed({
        entries: described(ListOf(Entry, 0, 200), 'Entries you may see that match every field given.'),
        next_cursor: Type.Optional(
          Type.String({ description: 'Pass it as cursor for the next page; absent on the last.' }),
        ),
      }),
      example: { kind: 'agent', tag: 'translation' },
      scene: translator_registered,

      async handle(input, context) {
        requireSelector(input)
        const { as_of, history = false, limit = 50, cursor, ...selectors } = input
        requireMoment(as_of)
        const stateOf = (entry: FoundEntry) =>
          as_of === undefined ? stateNow(entry, new Date(context.now)) : stateAt(entry, new Date(as_of))
        const filter: EntryFilter = {
          ...selectors,
          versions: versionsOf(as_of, history, input.entry !== undefined),
          after: requireCursor(cursor),
        }
        const page = await findPage(context, filter, limit)
        return {
          entries: page.entries.map((found_entry) => entryOf(found_entry, stateOf(found_entry))),
          next_cursor: page.next && writeCursor(page.next),
        }
      },
    }),

    discovery: operation({
      summary: 'Find who can do something for you, best first, and whether you could call them now.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      needs: ['authority', 'telemetry'],
      input: DiscoveryInput,
      output: DiscoveryOutput,
      example: { need: 'translate a contract', min_level: 'L0', limit: 5 },
      scene: translator_registered,

      async handle(input, context) {
        return { candidates: await discover(input, context) }
      },
    }),
  },
})

/** A heartbeat is not recorded; a change of the registry is. */
function answer({ expires_at, previous, ...rest }: Registered, agent_did: string, context: OperationContext) {
  const { entry, version, state, unchanged } = rest
  if (!unchanged) context.audit('AgentRegistered', { agent_did, entry, version, previous, state })
  return {
    ...rest,
    previous: previous ?? undefined,
    expires_at: expires_at?.toISOString(),
  }
}

const selectors = ['entry', 'subject', 'kind', 'name_prefix', 'tag', 'tenant_id', 'capability'] as const

function requireSelector(input: Partial<Record<(typeof selectors)[number], unknown>>): void {
  if (selectors.some((selector) => input[selector] !== undefined)) return
  throw refuse('invalid_payload', `Name at least one of ${selectors.join(', ')}.`, { reason: 'no_selector' })
}

/** By address, or as history, entries in every state are found; otherwise only those in force. */
function versionsOf(
  as_of: string | undefined,
  history: boolean,
  by_address: boolean,
): EntryFilter['versions'] {
  if (as_of !== undefined) return history ? { known_at: as_of } : { in_force_at: as_of }
  return history || by_address ? 'all' : 'current'
}

function requireMoment(as_of: string | undefined): void {
  if (as_of === undefined || isMoment(as_of)) return
  throw refuse('invalid_payload', `as_of is ${as_of}, a moment that does not exist; name a real one.`, {
    reason: 'no_such_moment',
    faults: [{ pointer: '/as_of', message: 'is no moment that exists' }],
  })
}

function requireCursor(cursor: string | undefined): EntryFilter['after'] {
  if (cursor === undefined) return undefined
  const after = readCursor(cursor)
  if (after) return after
  throw invalidCursor()
}

function entryOf(entry: FoundEntry, state: EntryState) {
  const { hash, kind, subject, tenant_id, version, previous, body, signature } = entry
  return {
    hash,
    kind,
    subject,
    tenant_id,
    version,
    previous,
    state,
    body: { ...body },
    signature,
    registered_at: entry.registered_at.toISOString(),
    expires_at: entry.expires_at?.toISOString(),
    hash_valid: true as const,
  }
}
