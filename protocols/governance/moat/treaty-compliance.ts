// May A use this capability of B? Answered by the code of stage 4, and only to those concerned.

import { TreatyLimits, TreatyState } from '@svc/contract/authority/treaty'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import { parseDid } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import { usdText } from '@svc/contract/money/money'
import type { CrossTenantVerdict } from '@svc/contract/needs/treaties'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, described, Hash, ListOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { judgesBetween } from '../cases/api.ts'
import { Party } from './treaty-input.ts'

export const ComplianceInput = Closed({
  party_a: described(Party, 'Calling side: a tenant, or one of its DIDs.'),
  party_b: described(Party, 'Called side: a tenant, or one of its DIDs.'),
  capability: described(CapabilityName, 'Capability that party_a would use.'),
  at: Type.Optional(described(Timestamp, 'Time to judge by; default now.')),
})

const left = { minimum: 0, description: 'Null if the treaty sets no such limit.' }
const CallsLeft = Type.Union([Type.Integer(left), Type.Null()])
const MoneyLeft = Type.Union([Type.String(), Type.Null()])

export const ComplianceOutput = Closed({
  active: Type.Boolean({ description: 'Whether the call would be allowed.' }),
  treaty_id: Type.Optional(described(Hash, 'Treaty that decided; absent if there is none.')),
  reason: Type.Optional(Type.String({ description: 'Why not; absent if active.' })),
  caveats: described(ListOf(Text(200), 0, 17), 'Conditions of the grant.'),
  limits: described(TreatyLimits, 'Bounds of the grant; empty if it has none.'),
  remaining: Closed(
    {
      per_hour: described(CallsLeft, 'Calls left in this hour; null: no limit.'),
      per_day: described(CallsLeft, 'Calls left in this UTC day; null: no limit.'),
      weekly_budget_usd: described(MoneyLeft, 'Decimal USD left in this ISO week; null: no budget.'),
      weekly_budget_micro_usd: described(MoneyLeft, 'Micro-USD left in this ISO week; null: no budget.'),
    },
    { description: 'What is left of each limit now.' },
  ),
  expires_at: Type.Optional(described(Timestamp, 'When the treaty ends.')),
  state: Type.Optional(TreatyState),
})
type ComplianceOutput = Static<typeof ComplianceOutput>

const nothing: ComplianceOutput = {
  active: false,
  reason: 'no active treaty',
  caveats: [],
  limits: {},
  remaining: { per_hour: null, per_day: null, weekly_budget_usd: null, weekly_budget_micro_usd: null },
}

export async function queryCompliance(
  { party_a, party_b, capability, at = '' }: Static<typeof ComplianceInput>,
  context: OperationContext<'engine' | 'treaties'>,
): Promise<ComplianceOutput> {
  const moment = at || context.now
  if (!isMoment(moment)) throw noMoment(moment)
  const [from_tenant, to_tenant] = [tenantOf(party_a), tenantOf(party_b)]
  if (!(await concerns(context, from_tenant, to_tenant))) return nothing
  const at_ms = Date.parse(moment)
  return answerOf(await context.treaties.judge({ from_tenant, to_tenant, capability, at_ms }), at_ms)
}

function tenantOf(party: string): string {
  return parseDid(party)?.namespace ?? party
}

/** Both parties, their arbiters and the operator. For everybody else the treaty does not exist. */
async function concerns(
  context: OperationContext<'engine'>,
  from_tenant: string,
  to_tenant: string,
): Promise<boolean> {
  const {
    tenant_id,
    caller,
    engine: { operator_tenant_id },
    db,
  } = context
  const home = parseDid(caller.did)?.namespace
  if ([from_tenant, to_tenant].some((party) => party === tenant_id || party === home)) return true
  if (tenant_id === operator_tenant_id && home === operator_tenant_id) return true
  return judgesBetween(db, caller.did, from_tenant, to_tenant)
}

function answerOf(
  { active, reason, treaty, grant, remaining }: CrossTenantVerdict,
  at_ms: number,
): ComplianceOutput {
  const { per_hour, per_day, weekly_budget_micro_usd: week } = remaining
  const caveats = grant?.caveats ?? []
  return {
    ...nothing,
    active,
    reason,
    caveats: [...caveats],
    limits: grant?.limits ?? {},
    remaining: {
      per_hour: per_hour === null ? null : Number(per_hour),
      per_day: per_day === null ? null : Number(per_day),
      weekly_budget_usd: week === null ? null : usdText(week),
      weekly_budget_micro_usd: week === null ? null : String(week),
    },
    ...(treaty && {
      treaty_id: treaty.id,
      expires_at: treaty.expires_at,
      state: treatyStateAt(treaty, at_ms),
    }),
  }
}

function noMoment(moment: string) {
  return refuse('invalid_payload', `at is ${moment}, which is not a valid time; send another.`, {
    reason: 'no_such_moment',
    faults: [{ pointer: '/at', message: 'is not a valid time' }],
  })
}
