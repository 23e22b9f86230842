// What an agent may register about itself, and who may register it.
import { covers } from '@svc/contract/authority/capability'
import { parseDid } from '@svc/contract/identity/did'
import { AgentEntityKind, meetsLevel } from '@svc/contract/identity/identity'
import { kindSegment } from '@svc/contract/identity/lineage'
import type { Holdings } from '@svc/contract/needs/authority'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  CapabilityName,
  Closed,
  Did,
  described,
  ListOf,
  OneOf,
  PublicKey,
  Signature,
  Text,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { type Statement, visibilities } from '../registry/api.ts'
import { isExpired } from './callable.ts'
import { urlFault } from './endpoint-url.ts'

const ttl_seconds_default = 86_400

// People read names: no invisible characters and no change of reading direction.
const Name = Text(128, {
  pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f\\u200b\\u200e\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff]+$',
})
export const Tag = Type.String({ pattern: '^[a-z0-9][a-z0-9._:-]{0,63}$' })

export const AgentInput = Closed({
  agent_did: Type.Optional(described(Did, 'The agent to register; default yourself.')),
  name: described(Name, 'Name shown to people.'),
  summary: Type.Optional(
    Text(2000, { description: 'What the agent does, in words; discovery searches it.' }),
  ),
  entity_kind: described(AgentEntityKind, 'What kind of identity it is; must match its DID.'),
  capabilities: described(ListOf(CapabilityName, 0, 256), 'What it offers; it must hold each of them.'),
  service_endpoints: described(
    ListOf(
      Closed({
        kind: Text(64, { description: 'Type of endpoint; external ones are probed every 10 seconds.' }),
        url: Text(2048, { description: 'Address, https; http only on the same machine.' }),
        protocols: described(ListOf(Text(64), 0, 64), 'Protocols spoken there, e.g. a2a.'),
      }),
      0,
      16,
    ),
    'Where it can be reached.',
  ),
  tags: Type.Optional(described(ListOf(Tag, 0, 32), 'Words to find it by.')),
  visibility: Type.Optional(
    described(
      OneOf(...visibilities),
      'Who finds it: the own tenant (default), treaty partners too, or everyone.',
    ),
  ),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 60,
      maximum: 2_592_000,
      default: ttl_seconds_default,
      description: 'Seconds after which the entry becomes STALE unless it is registered again.',
    }),
  ),
  withdraw: Type.Optional(
    Type.Boolean({ default: false, description: 'Take the entry out of the registry; its history stays.' }),
  ),
  signature: Type.Optional(described(Signature, 'Signature over the entry, if you sign with your own key.')),
  public_key: Type.Optional(described(PublicKey, 'Key the signature was made with.')),
})
export type AgentInput = Static<typeof AgentInput>

/** The statement to be hashed and signed: the input with its defaults filled in. */
export function agentStatement(input: AgentInput, subject: string): Omit<Statement, 'tenant_id'> {
  const { name, summary, entity_kind, capabilities, service_endpoints, tags = [] } = input
  return {
    kind: 'agent',
    subject,
    visibility: input.visibility ?? 'tenant',
    ttl_seconds: input.ttl_seconds ?? ttl_seconds_default,
    content: {
      name,
      ...(summary === undefined ? {} : { summary }),
      entity_kind,
      capabilities,
      service_endpoints,
      tags,
    },
  }
}

/** Returns the agent's authority after checking that the caller may register it. */
export async function requireRightToRegister(
  did: string,
  context: OperationContext<'authority' | 'charter'>,
): Promise<Holdings> {
  const { caller, tenant_id } = context
  if (parseDid(did)?.namespace !== tenant_id) {
    throw refuse(
      'policy_denied',
      'The agent belongs to another organization; an agent is registered in its own.',
      { reason: 'agent of another tenant', did },
    )
  }
  const is_self = caller.did === did
  const authority = is_self ? await context.authority.ofCaller() : await context.authority.of(did)
  if (authority.identity.revoked)
    throw refuse('policy_denied', 'The identity was revoked, so it cannot be registered; register another.', {
      reason: 'identity revoked',
      did,
    })
  const is_parent = authority.identity.creator_did === caller.did
  if (!is_self && !is_parent && !(await context.charter.has(caller.did))) {
    throw refuse(
      'policy_denied',
      'Only the agent itself, its parent or a charter member may register it; ask one of them to do so.',
      { reason: 'not the agent, its parent or a charter member' },
    )
  }
  return authority
}

export function requireFitting(
  input: AgentInput,
  did: string,
  authority: Holdings,
  context: OperationContext,
) {
  requireOwnKind(input.entity_kind, did)
  requireUrls(input.service_endpoints)
  requireLevelFor(input.visibility ?? 'tenant', context)
  for (const capability of input.capabilities) {
    // Caveats do not prevent advertising: a capability usable only in the morning may be listed all day.
    if (authority.held.some((grant) => covers(grant.name, capability) && !isExpired(grant, context.now)))
      continue
    throw refuse(
      'policy_denied',
      `The agent does not hold ${capability}, so it cannot offer it; leave it out, or have it granted first.`,
      { reason: `advertised capability not held: ${capability}`, advertised_capability: capability },
    )
  }
}

/** The kind is part of the DID; the listing must match it. */
function requireOwnKind(entity_kind: string, did: string): void {
  const segment = parseDid(did)?.entity_kind
  if (kindSegment(entity_kind) === segment || entity_kind === `Unknown(${segment})`) return
  throw refuse(
    'invalid_payload',
    `The agent's DID names another kind than ${entity_kind}; name the kind that the DID has.`,
    {
      reason: 'the DID names another kind',
      faults: [{ pointer: '/entity_kind', message: 'is not the kind the DID names' }],
    },
  )
}

function requireUrls(endpoints: AgentInput['service_endpoints']): void {
  const faults = endpoints.flatMap((endpoint, index) => {
    const fault = urlFault(endpoint)
    return fault ? [{ pointer: `/service_endpoints/${index}/url`, message: fault }] : []
  })
  if (faults.length === 0) return
  throw refuse('invalid_payload', `An endpoint's url ${faults[0]!.message}; correct it and register again.`, {
    reason: 'endpoint url',
    faults,
  })
}

function requireLevelFor(visibility: Statement['visibility'], context: OperationContext): void {
  if (visibility === 'tenant' || meetsLevel(context.caller, 'L1')) return
  throw refuse(
    'policy_denied',
    `An entry that others may see needs a verified lineage (L1); prove it with MACS verify_response.`,
    { reason: 'verified lineage required', denying_policy: 'conformance L1' },
  )
}
