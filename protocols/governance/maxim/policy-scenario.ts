// A hypothetical case in the terms of policies: who does what, when, and which facts are known.

import type { Scene } from '@svc/contract/authority/policy'
import { parseDid } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, Hash, OneOf, TenantId, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const levels = { L0: 0, L1: 1, L2: 2 } as const
/** Facts that a policy may use and a case may omit. */
const optional_facts = ['jurisdiction', 'amount_micro_usd', 'action_kind', 'treaty_id'] as const

export const Scenario = Closed({
  principal_did: Did,
  protocol: Type.String({
    pattern: '^[A-Za-z]{1,32}$',
    description: 'Protocol id as in the catalogue: MARKET.',
  }),
  operation: Type.String({ pattern: '^[a-z][a-z0-9_.]{0,127}$' }),
  context: Type.Optional(
    Closed({
      target_tenant: Type.Optional(TenantId),
      hour: Type.Optional(Type.Integer({ minimum: 0, maximum: 23 })),
      weekday: Type.Optional(Type.Integer({ minimum: 1, maximum: 7, description: '1 is Monday.' })),
      origin: Type.Optional(OneOf('http', 'mcp', 'invoke', 'internal')),
      jurisdiction: Type.Optional(Text(64)),
      amount_micro_usd: Type.Optional(Type.String({ pattern: '^(0|[1-9]\\d{0,17})$' })),
      action_kind: Type.Optional(Text(128)),
      treaty_id: Type.Optional(Hash),
    }),
  ),
  at: Type.Optional(Timestamp),
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

export async function caseOf(scenario: Scenario, context: OperationContext<'authority'>): Promise<Case> {
  const { principal_did, protocol, operation, context: stated = {}, at = context.now } = scenario
  const when = momentOf(at)
  if (parseDid(principal_did)?.namespace !== context.tenant_id) throw notFound('identity', principal_did)
  const { identity } = await context.authority.of(principal_did)
  const { jurisdiction } = identity.extended
  const own_facts = typeof jurisdiction === 'string' ? { jurisdiction } : {}
  const { amount_micro_usd, ...said } = { ...own_facts, ...stated }
  const scene: Scene = {
    principal: {
      did: principal_did,
      tenant: context.tenant_id,
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
