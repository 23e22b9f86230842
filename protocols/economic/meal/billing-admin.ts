// Operator actions on other tenants: tier, credit, and closing and settling of periods.

import { usdOf, usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { payIntoRunway, tellBooks } from '../ledger/api.ts'
import { type AdminInput, type AdminOutput, type Ordered, required } from './billing-order.ts'
import { requireBillingRight } from './billing-right.ts'
import { setCreditLine, setTier } from './billing-store.ts'
import { closePeriod, isEndedMonth } from './invoice-closing.ts'
import { settleByContract, writeOff } from './invoice-settling.ts'

type Result = Omit<AdminOutput, 'action' | 'tenant_id' | 'authority'>

const does: Readonly<Record<AdminInput['action'], (ordered: Ordered) => Promise<Result>>> = {
  set_tier: moveTier,
  grant_credit: grantCredit,
  set_credit_line: moveCreditLine,
  close_period: closePeriod,
  mark_settled: settleByContract,
  write_off: writeOff,
}

export async function administer(
  input: AdminInput,
  context: OperationContext<'authority' | 'requireAuthority' | 'tenants'> & Ordered['context'],
): Promise<AdminOutput> {
  await requireBillingRight(context)
  const { action, tenant_id, authority, ...rest } = input
  if ((await context.tenants.tierOf(tenant_id)) === undefined) throw notFound('tenant', tenant_id)
  const is_ended_month = isEndedMonth(input, context.now)
  // That a month is over is a fact and needs no decision.
  if (is_ended_month) context.metadata.verdict = 'ended month'
  const verdict = is_ended_month
    ? undefined
    : await context.requireAuthority('MEAL.admin', contentHash({ action, tenant_id, ...rest }), authority)
  const result = await does[action]({ input, context, verdict })
  return { action, tenant_id, ...(verdict && { authority: verdict }), ...result }
}

async function moveTier({ input, context, verdict }: Ordered): Promise<Result> {
  const tier = required(input.tier, 'tier', input.action)
  const previous_tier = await setTier(context.db, input.tenant_id, tier)
  await tellBooks(context.db, input.tenant_id)
  const { tenant_id } = input
  context.audit('RateChanged', { tenant_id, tier, previous_tier, authority: verdict }, { also: [tenant_id] })
  return { tier, previous_tier }
}

async function grantCredit({ input, context, verdict }: Ordered): Promise<Result> {
  const { tenant_id } = input
  const micro_usd = amountOf(input)
  if (micro_usd === 0n) throw badAmount('is 0; grant at least 0.000001')
  const journal_id = await payIntoRunway(context.db, {
    tenant_id,
    operator_tenant_id: context.engine.operator_tenant_id,
    micro_usd,
    kind: 'credit-grant',
    ref: verdict!,
    correlation_id: context.invoke.correlation_id,
    at: context.now,
  })
  const amounts = { amount_usd: usdText(micro_usd), amount_micro_usd: String(micro_usd) }
  context.audit(
    'CreditGranted',
    { tenant_id, ...amounts, journal_id, authority: verdict },
    { also: [tenant_id] },
  )
  return { ...amounts, journal_id }
}

/** Without an amount, the tier's credit line applies again. */
async function moveCreditLine({ input, context, verdict }: Ordered): Promise<Result> {
  const { tenant_id } = input
  const line = input.amount_usd === undefined ? null : amountOf(input)
  await setCreditLine(context.db, tenant_id, line)
  await tellBooks(context.db, input.tenant_id)
  const credit_line_usd = line === null ? null : usdText(line)
  context.audit('CreditGranted', { tenant_id, credit_line_usd, authority: verdict }, { also: [tenant_id] })
  return { credit_line_usd }
}

function amountOf(input: AdminInput): bigint {
  const micro_usd = usdOf(required(input.amount_usd, 'amount_usd', input.action))
  if (micro_usd === undefined) throw badAmount('has more than six decimal places; give a string')
  return micro_usd
}

function badAmount(why: string) {
  return refuse('invalid_payload', `amount_usd ${why}.`, {
    reason: 'bad_amount',
    faults: [{ pointer: '/amount_usd', message: why }],
  })
}
