// May A use this capability of B? Answered by the code of stage 4, and only to those concerned.

import { TreatyLimits, treaty_states } from '@svc/contract/authority/treaty'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import { parseDid } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import { usdText } from '@svc/contract/money/money'
import type { CrossTenantVerdict } from '@svc/contract/needs/treaties'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { CapabilityName, Closed, Hash, ListOf, OneOf, Text, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { judgesBetween } from '../cases/api.ts'
import { Party } from './treaty-input.ts'

export const ComplianceInput = Closed({
  party_a: Party,
  party_b: Party,
  capability: CapabilityName,
  at: Type.Optional(Timestamp),
})

const left = { minimum: 0, description: 'Null if the treaty sets no such limit.' }
const CallsLeft = Type.Union([Type.Integer(left), Type.Null()])
const MoneyLeft = Type.Union([Type.String(), Type.Null()])

export const ComplianceOutput = Closed({
  active: Type.Boolean(),
  treaty_id: Type.Optional(Hash),
  reason: Type.Optional(Type.String()),
  caveats: ListOf(Text(200), 0, 17),
  limits: TreatyLimits,
  remaining: Closed({
    per_hour: CallsLeft,
    per_day: CallsLeft,
    weekly_budget_usd: MoneyLeft,
    weekly_budget_micro_usd: MoneyLeft,
  }),
  expires_at: Type.Optional(Timestamp),
  state: Type.Optional(OneOf(...treaty_states)),
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
