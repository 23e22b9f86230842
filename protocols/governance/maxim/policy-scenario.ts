// A hypothetical case in the terms of policies: who does what, when, and which facts are known.

import type { Scene } from '@svc/contract/authority/policy'
import { parseDid } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import {
  AnyObject,
  Closed,
  Did,
  described,
  Hash,
  OneOf,
  TenantId,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const levels = { L0: 0, L1: 1, L2: 2 } as const
/** Facts that a policy may use and a case may omit. */
const optional_facts = ['jurisdiction', 'amount_micro_usd', 'action_kind', 'treaty_id', 'input'] as const

export const Scenario = Closed({
  principal_did: described(Did, 'Who would call: an identity of your organization.'),
  protocol: Type.String({
    pattern: '^[A-Za-z]{1,32}$',
    description: 'Protocol id as in the catalogue: MARKET.',
  }),
  operation: Type.String({ pattern: '^[a-z][a-z0-9_.]{0,127}$', description: 'Operation of the protocol.' }),
  context: Type.Optional(
    Closed(
      {
        target_tenant: Type.Optional(
          described(TenantId, 'Organization in which the call would run; default your own.'),
        ),
        hour: Type.Optional(
          Type.Integer({ minimum: 0, maximum: 23, description: 'UTC hour of the day; default that of at.' }),
        ),
        weekday: Type.Optional(Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday.' })),
        origin: Type.Optional(
          described(
            OneOf('http', 'mcp', 'a2a', 'invoke', 'internal'),
            'How the call would arrive; default http.',
          ),
        ),
        jurisdiction: Type.Optional(
          Text(64, { description: 'Jurisdiction of the caller, such as DE; default that of its identity.' }),
        ),
        amount_micro_usd: Type.Optional(
          Type.String({
            pattern: '^(0|[1-9]\\d{0,17})$',
            description: 'Amount that the call moves, in micro-USD.',
          }),
        ),
        action_kind: Type.Optional(Text(128, { description: 'Kind of action, as caveats name it.' })),
        treaty_id: Type.Optional(described(Hash, 'Treaty under which the call would be made.')),
        input: Type.Optional(described(AnyObject, 'Input of the call, where policies read it.')),
      },
      { description: 'Facts of the call; what is absent may be reported as unknown.' },
    ),
  ),
  at: Type.Optional(described(Timestamp, 'When it would be made; default now.')),
  state_changing: Type.Optional(
    Type.Boolean({ default: true, description: 'If omitted, the operation counts as a write.' }),
  ),
})
export type Scenario = Static<typeof Scenario>

export interface Case {
  readonly scene: Scene
  /** Context facts that were not given. */
  readonly open: readonly string[]
}

/** Of an identity of this organization. */
export async function caseOf(scenario: Scenario, context: OperationContext<'authority'>): Promise<Case> {
  const { principal_did } = scenario
  if (parseDid(principal_did)?.namespace !== context.tenant_id) throw notFound('identity', principal_did)
  return await caseOfAnyone(scenario, context)
}

export async function caseOfAnyone(
  scenario: Scenario,
  context: OperationContext<'authority'>,
): Promise<Case> {
  const { principal_did, protocol, operation, context: stated = {}, at = context.now } = scenario
  const when = momentOf(at)
  const { identity } = await context.authority.of(principal_did)
  const { jurisdiction } = identity.extended
  const own_facts = typeof jurisdiction === 'string' ? { jurisdiction } : {}
  const { amount_micro_usd, ...said } = { ...own_facts, ...stated }
  const scene: Scene = {
    principal: {
      did: principal_did,
      tenant: parseDid(principal_did)?.namespace ?? context.tenant_id,
      kind: identity.entity_kind,
      level: levels[identity.conformance_level],
      lineage_verified: identity.lineage_verified,
      human_root: identity.human_root_did,
    },
    resource: {
      protocol: protocolName(protocol),
      operation,
      state_changing: scenario.state_changing ?? true,
    },
    context: {
      tenant: context.tenant_id,
      target_tenant: context.tenant_id,
      hour: when.getUTCHours(),
      weekday: when.getUTCDay() || 7,
      origin: 'http',
      ...said,
      ...(amount_micro_usd !== undefined && { amount_micro_usd: BigInt(amount_micro_usd) }),
    },
    at_ms: when.getTime(),
  }
  const { origin } = stated
  const open = optional_facts.filter((name) => scene.context[name] === undefined)
  return { scene, open: origin === undefined ? [...open, 'origin'] : open }
}

function momentOf(at: string): Date {
  if (isMoment(at)) return new Date(at)
  throw refuse('invalid_payload', `${at} is not a valid time; send another.`, {
    reason: 'schema',
    faults: [{ pointer: '/scenario/at', message: 'is not a valid date' }],
  })
}

/** Upper case, except for two names. */
function protocolName(written: string): string {
  return (
    ['Aegis', 'Arsenal'].find((name) => name.toLowerCase() === written.toLowerCase()) ?? written.toUpperCase()
  )
}
