// A statement in an answer: exact sums as text, quantities in common units.
import { MicroUsd, UsdText, usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Hash, ListOf, OneOf, Period, TenantId, Timestamp } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { findEnvelope } from '../mana/api.ts'
import { monthStart, periodOf } from './billing-period.ts'
import { billingOf } from './billing-store.ts'
import { advance, settlement_statuses, settlementStatus } from './invoice.ts'
import { findInvoices } from './invoice-store.ts'
import { RateView, viewRate } from './rate-change.ts'
import {
  type Amounts,
  type GroupWord,
  group_words,
  groupStatement,
  statementOf,
  type UsageSum,
} from './statement.ts'
import { readUsage } from './statement-store.ts'

const groups_max = 10_000
const uwh_per_kwh = 1_000_000_000

export const StatementInput = Closed({
  tenant_id: described(TenantId, 'Organization whose usage is added up.'),
  period: Period,
  include_breakdown: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Adds a group for each operation where no other is asked for.',
    }),
  ),
  group_by: Type.Optional(
    described(ListOf(OneOf(...group_words), 0, 3), 'Also return sums for each combination of these.'),
  ),
})
type StatementInput = Static<typeof StatementInput>

const group_meanings: Readonly<Record<GroupWord, string>> = {
  protocol: 'Protocol that was called.',
  operation: 'Operation that was called.',
  agent: 'DID of the caller.',
  department: 'Department whose envelope paid; null where none did.',
  day: 'Day in UTC, as YYYY-MM-DD.',
  origin: 'Where the calls came from, such as http or mcp; null where unknown.',
}

const amounts = {
  calls: Type.Integer({ description: 'Number of calls.' }),
  tokens: Type.Integer({ description: 'Tokens read and written.' }),
  seconds: Type.Number({ description: 'Time the calls took.' }),
  watts_kWh: Type.Number({ description: 'Energy in kilowatt-hours.' }),
  amount_usd: UsdText,
  amount_micro_usd: described(MicroUsd, 'What it costs, in whole millionths of a US dollar.'),
}

export const StatementOutput = Closed({
  totals: Closed(
    { ...amounts, quanta: Type.String({ description: 'Before rounding, in 10^-19 USD.' }) },
    { description: 'Sums over the period.' },
  ),
  by_protocol: described(
    ListOf(Closed({ protocol: Type.String({ description: 'Protocol id.' }), ...amounts }), 0, 1024),
    'Sums for each protocol; they add up to the totals.',
  ),
  groups: Type.Optional(
    described(
      ListOf(
        Closed({
          key: Closed(
            Object.fromEntries(
              group_words.map((word) => [
                word,
                Type.Optional(
                  Type.Union([Type.String(), Type.Null()], { description: group_meanings[word] }),
                ),
              ]),
            ),
            { description: 'What the group has in common.' },
          ),
          ...amounts,
        }),
        0,
        groups_max,
      ),
      'Sums for each combination of group_by.',
    ),
  ),
  settlement_status: described(
    OneOf(...settlement_statuses),
    'State of the invoices of the period; open while a part of it has none.',
  ),
  next_invoice_at: described(Timestamp, 'When the next invoice is issued.'),
  rate_versions: described(ListOf(RateView, 0, 1024), 'Rates that were applied.'),
  event_count: Type.Integer({ description: 'Metered events in the period.' }),
  events_root: described(Hash, 'Merkle root of the metered events of the period.'),
  statement_hash: described(Hash, 'Hash of this statement; the same usage gives the same hash.'),
})

export async function answerStatement(
  input: StatementInput,
  context: OperationContext<'audit_log'>,
): Promise<Static<typeof StatementOutput>> {
  requireOwn(input, context)
  const { db, tenant_id } = context
  const period = periodOf(input.period)
  const by = [...new Set(input.group_by ?? [])]
  const words = by.length > 0 || !input.include_breakdown ? by : (['protocol', 'operation'] as const)
  await context.audit_log.settled()
  const usage = await readUsage(db, tenant_id, period, { by: words })
  const statement = statementOf(usage)
  const { totals } = statement
  return {
    totals: { ...viewAmounts(totals), quanta: String(totals.quanta) },
    by_protocol: statement.by_protocol.map(({ protocol, ...line }) => ({ protocol, ...viewAmounts(line) })),
    ...(words.length > 0 && {
      groups: groupStatement(totals, await nameDepartments(usage.sums, context), words).map(
        ({ key, ...group }) => ({ key, ...viewAmounts(group) }),
      ),
    }),
    settlement_status: await statusOf(context, period),
    next_invoice_at: new Date(monthStart(Date.parse(context.now), 1)).toISOString(),
    rate_versions: statement.rate_versions.map(viewRate),
    event_count: Number(statement.event_count),
    events_root: statement.events_root,
    statement_hash: statement.statement_hash,
  }
}

async function statusOf(
  { db, tenant_id, now }: OperationContext,
  period: ReturnType<typeof periodOf>,
): Promise<Static<typeof StatementOutput>['settlement_status']> {
  const { rolled_micro_usd } = await billingOf(db, tenant_id)
  const invoices = await findInvoices(db, tenant_id, period)
  const now_ms = Date.parse(now)
  return settlementStatus(
    period,
    invoices.map((invoice) => ({
      period: invoice.period,
      state: advance(invoice, now_ms, rolled_micro_usd),
    })),
  )
}

/** Events have envelopes; users know departments. */
async function nameDepartments(
  sums: readonly UsageSum[],
  { db, tenant_id }: OperationContext,
): Promise<UsageSum[]> {
  const names = new Map<string | null, string | null>([[null, null]])
  for (const { department } of sums) {
    if (names.has(department)) continue
    names.set(department, (await findEnvelope(db, tenant_id, department!))?.department ?? department)
  }
  return sums.map((sum) => ({ ...sum, department: names.get(sum.department) ?? null }))
}

function viewAmounts({ calls, tokens, ms, uwh, amount_micro_usd }: Amounts) {
  return {
    calls: Number(calls),
    tokens: Number(tokens),
    seconds: Number(ms) / 1000,
    watts_kWh: Number(uwh) / uwh_per_kwh,
    amount_usd: usdText(amount_micro_usd),
    amount_micro_usd: String(amount_micro_usd),
  }
}

function requireOwn({ tenant_id }: StatementInput, context: OperationContext): void {
  if (tenant_id === context.tenant_id) return
  throw refuse(
    'policy_denied',
    'The payload names another tenant than the call; ask under the tenant you mean.',
    { reason: 'payload tenant does not match context tenant' },
  )
}
