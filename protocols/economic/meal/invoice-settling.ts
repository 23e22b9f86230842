// How an invoice ends: paid under a contract, written off by the operator, or paid by roll-ups.

import { leaveInOutbox } from '@svc/audit/chain/outbox'
import type { Database } from '@svc/contract/database'
import { usd_asset, usdText } from '@svc/contract/money/money'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import type { Tick } from '@svc/contract/tick'
import { advance as advanceContract, type Contract, findContract } from '../contracts/api.ts'
import { payIntoRunway } from '../ledger/api.ts'
import { type AdminOutput, type Ordered, required } from './billing-order.ts'
import { periodOf } from './billing-period.ts'
import { billingOf } from './billing-store.ts'
import { advance, amountDue, type Invoice, invoiceId, viewInvoice } from './invoice.ts'
import { isContractUsed, lockUnsettled, settleInvoice } from './invoice-store.ts'

type Settled = Pick<AdminOutput, 'invoice' | 'journal_id'>

/** A contract between the operator and this tenant that moved exactly the amount due. */
export async function settleByContract(ordered: Ordered): Promise<Settled> {
  const { input, context } = ordered
  const contract_id = required(input.contract_id, 'contract_id', input.action)
  const { invoice, due } = await oldestUnsettled(ordered)
  const contract = await findContract(context.db, contract_id)
  if (!contract) throw notFound('contract', contract_id)
  const paid = paidUnder(contract, input.tenant_id, context.engine.operator_tenant_id, new Date(context.now))
  if (!paid || paid.micro_usd !== due) throw notPaid(invoice, due)
  if (await isContractUsed(context.db, contract_id)) throw usedContract(contract_id)
  // A payment to the operator's account is moved to the runway, where roll-ups take it from.
  const journal_id = paid.into_runway ? undefined : await payRunway(ordered, invoice, due, 'invoice-paid')
  return finish(ordered, invoice, { contract_id }, journal_id)
}

/** The operator pays it itself. */
export async function writeOff(ordered: Ordered): Promise<Settled> {
  const { invoice, due } = await oldestUnsettled(ordered)
  const journal_id = await payRunway(ordered, invoice, due, 'write-off')
  return finish(ordered, invoice, { written_off: true }, journal_id)
}

interface Paid {
  readonly micro_usd: bigint
  readonly into_runway: boolean
}

/** Undefined if the contract is not settled, or is about anything else. */
function paidUnder(
  contract: Contract,
  tenant_id: string,
  operator_tenant_id: string,
  now: Date,
): Paid | undefined {
  const { state } = advanceContract(contract, now)
  if (state !== 'SETTLED' && state !== 'FINAL') return undefined
  const payments = contract.obligations.map(({ from, asset_id, settled, credit_to }) => {
    const [payer, payee] =
      from === 'proposer'
        ? [contract.proposer.tenant_id, contract.counterparty.tenant_id]
        : [contract.counterparty.tenant_id, contract.proposer.tenant_id]
    if (asset_id !== usd_asset) return undefined
    if (payer === tenant_id && payee === operator_tenant_id && credit_to === 'available')
      return { settled, into_runway: false }
    if (payer === operator_tenant_id && payee === tenant_id && credit_to === 'runway')
      return { settled, into_runway: true }
    return undefined
  })
  const [first] = payments
  if (!first || payments.some((one) => one?.into_runway !== first.into_runway)) return undefined
  const micro_usd = payments.reduce((sum, one) => sum + one!.settled, 0n)
  return { micro_usd, into_runway: first.into_runway }
}

/** Invoices are settled in order, because roll-ups pay for the oldest usage first. */
async function oldestUnsettled({ input, context }: Ordered): Promise<{ invoice: Invoice; due: bigint }> {
  const { tenant_id } = input
  const period = periodOf(required(input.period, 'period', input.action))
  const { rolled_micro_usd } = await billingOf(context.db, tenant_id)
  const owed = (await lockUnsettled(context.db, tenant_id)).filter(
    (invoice) => advance(invoice, Date.parse(context.now), rolled_micro_usd) !== 'SETTLED',
  )
  const named = owed.find(
    ({ period: { from_ms, to_ms } }) => from_ms === period.from_ms && to_ms === period.to_ms,
  )
  if (!named) throw notFound('unsettled invoice of', `${input.period!.from} to ${input.period!.to}`)
  if (named !== owed[0]) throw notOldest(owed[0]!)
  return { invoice: named, due: amountDue(named, rolled_micro_usd) }
}

function payRunway({ input, context }: Ordered, invoice: Invoice, micro_usd: bigint, kind: string) {
  return payIntoRunway(context.db, {
    tenant_id: input.tenant_id,
    operator_tenant_id: context.engine.operator_tenant_id,
    micro_usd,
    kind,
    ref: invoiceId(invoice),
    correlation_id: context.invoke.correlation_id,
    at: context.now,
  })
}

async function finish(
  { input, context, verdict }: Ordered,
  invoice: Invoice,
  how: { readonly contract_id?: string; readonly written_off?: boolean },
  journal_id: string | undefined,
): Promise<Settled> {
  const at = new Date(context.now)
  const settled = await settleInvoice(context.db, invoice, { at, ...how })
  const { rolled_micro_usd } = await billingOf(context.db, input.tenant_id)
  const details = {
    invoice_id: invoiceId(invoice),
    tenant_id: input.tenant_id,
    journal_id,
    authority: verdict,
  }
  context.audit('InvoiceSettled', { ...details, ...how }, { also: [input.tenant_id] })
  return {
    invoice: viewInvoice(settled, at.getTime(), rolled_micro_usd),
    ...(journal_id && { journal_id }),
  }
}

/** Runs as the engine's role when booking: settles paid invoices and records it for both sides. */
export async function settlePaid(
  db: Database,
  tenant_id: string,
  operator_tenant_id: string,
  { now, newId }: Tick,
): Promise<number> {
  const { rolled_micro_usd } = await billingOf(db, tenant_id)
  const paid = (await lockUnsettled(db, tenant_id)).filter(
    (invoice) =>
      invoice.state === 'CLOSED' && advance(invoice, now.getTime(), rolled_micro_usd) === 'SETTLED',
  )
  for (const invoice of paid) {
    await settleInvoice(db, invoice, { at: now })
    const correlation_id = newId()
    for (const recipient of new Set([tenant_id, operator_tenant_id]))
      await leaveInOutbox(db, {
        id: newId(),
        event_type: 'InvoiceSettled',
        correlation_id,
        timestamp: now.toISOString(),
        tenant_id: recipient,
        caller_did: 'engine',
        outcome: 'success',
        latency_ms: 0,
        meta: { invoice_id: invoiceId(invoice), tenant_id, by: 'runway' },
      })
  }
  return paid.length
}

function notPaid(invoice: Invoice, due: bigint): Refusal {
  return refuse(
    'policy_denied',
    `The invoice is settled by a settled contract between the operator and ${invoice.tenant_id} for exactly ` +
      `${usdText(due)} USD, which this one is not.`,
    { reason: 'contract does not pay the invoice', due_usd: usdText(due) },
  )
}

function usedContract(contract_id: string): Refusal {
  return refuse('policy_denied', `The contract ${contract_id} has paid another invoice; name one for this.`, {
    reason: 'contract already used',
  })
}

function notOldest({ period }: Invoice): Refusal {
  const from = new Date(period.from_ms).toISOString()
  return refuse('policy_denied', `The invoice from ${from} is older and not settled; settle it first.`, {
    reason: 'an older invoice is not settled',
    oldest_from: from,
  })
}
