// An operator's order about another tenant's billing: its schema, and the input of every action.

import { Tier } from '@svc/contract/authority/tier'
import { MicroUsd, Usd, UsdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, OneOf, Period, Ref, TenantId } from '@svc/contract/schema'
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
  action: OneOf(...actions),
  tenant_id: TenantId,
  authority: Type.Optional(Ref),
  tier: Type.Optional(Tier),
  amount_usd: Type.Optional(Usd),
  period: Type.Optional(Period),
  contract_id: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9:._-]{1,128}$' })),
})
export type AdminInput = Static<typeof AdminInput>

export const AdminOutput = Closed({
  action: OneOf(...actions),
  tenant_id: TenantId,
  authority: Type.Optional(Ref),
  tier: Type.Optional(Tier),
  previous_tier: Type.Optional(Tier),
  amount_usd: Type.Optional(UsdText),
  amount_micro_usd: Type.Optional(MicroUsd),
  credit_line_usd: Type.Optional(
    Type.Union([UsdText, Type.Null()], { description: 'Null: the default of the tier.' }),
  ),
  journal_id: Type.Optional(Type.String()),
  invoice: Type.Optional(InvoiceView),
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
