// An operator's order about another tenant's billing: its schema, and the input of every action.

import { Tier } from '@svc/contract/authority/tier'
import { MicroUsd, Usd, UsdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf, Period, Ref, TenantId } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { InvoiceView } from './invoice.ts'

const actions = [
  'set_tier',
  'grant_credit',
  'set_credit_line',
  'close_period',
  'mark_settled',
  'write_off',
] as const

export const AdminInput = Closed({
  action: described(OneOf(...actions), 'What to change: tier, credit, or the invoice of a period.'),
  tenant_id: described(TenantId, 'Organization that is billed.'),
  authority: Type.Optional(
    described(Ref, 'Charter verdict that allows it; not needed to close a month that has ended.'),
  ),
  tier: Type.Optional(described(Tier, 'New tier; for set_tier.')),
  amount_usd: Type.Optional(Usd),
  period: Type.Optional(Period),
  contract_id: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9:._-]{1,128}$',
      description: 'Settled MADE contract that paid the invoice; for mark_settled.',
    }),
  ),
})
export type AdminInput = Static<typeof AdminInput>

export const AdminOutput = Closed({
  action: described(OneOf(...actions), 'What was done.'),
  tenant_id: described(TenantId, 'Organization that is billed.'),
  authority: Type.Optional(described(Ref, 'Charter verdict that was used.')),
  tier: Type.Optional(described(Tier, 'Tier from now on; for set_tier.')),
  previous_tier: Type.Optional(described(Tier, 'Tier before; for set_tier.')),
  amount_usd: Type.Optional(UsdText),
  amount_micro_usd: Type.Optional(described(MicroUsd, 'The amount in whole millionths of a US dollar.')),
  credit_line_usd: Type.Optional(
    Type.Union([UsdText, Type.Null()], { description: 'Null: the default of the tier.' }),
  ),
  journal_id: Type.Optional(
    Type.String({ description: 'Ledger journal that booked it; absent where no money moved.' }),
  ),
  invoice: Type.Optional(described(InvoiceView, 'The invoice after the action.')),
})
export type AdminOutput = Static<typeof AdminOutput>

/** An authorised action; `verdict` is its authority. */
export interface Ordered {
  readonly input: AdminInput
  readonly context: OperationContext<'audit_log' | 'engine' | 'metering'>
  readonly verdict: string | undefined
}
export function required<T>(value: T | undefined, name: string, action: string): T {
  if (value !== undefined) return value
  throw refuse('invalid_payload', `${action} needs ${name}; add it.`, {
    reason: 'missing_field',
    faults: [{ pointer: `/${name}`, message: `is needed for ${action}` }],
  })
}
