// Settles obligations of a contract: one transaction, all or nothing, with the ledger last.
import { usd_asset } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  chargeLines,
  entriesOfLines,
  isBetweenTenants,
  keepObligations,
  keepReferences,
  keepSettlement,
  type Obligation,
  openContract,
  payable,
  postCovered,
  progress,
  type RailReference,
  requireState,
  type SettledLine,
  type Settlement,
  type StoredContract,
  settledLine,
  tell,
} from '../contracts/api.ts'
import { type Asset, balancesOf, type Entry, findAssets, issuedSince, type Journal } from '../ledger/api.ts'
import { tradeIsSettled } from '../market/api.ts'
import { requireL2 } from './contract-footing.ts'
import { type Chosen, chooseObligations } from './settlement-choice.ts'
import type { SettleInput, SettleOutput } from './settlement-schema.ts'

const day_ms = 86_400_000
/** 10,000 USD: what one charter member of the operator may create in 24 hours. */
const issue_micro_usd_max = 10_000_000_000n

export async function settle(
  input: SettleInput,
  context: OperationContext<'charter' | 'engine' | 'requireAuthority'>,
): Promise<SettleOutput> {
  const { contract, journals: lapsed } = await openContract(context, input.contract_id)
  requireState(contract, 'settle', payable)
  if (isBetweenTenants(contract)) requireL2(context.caller, 'Settling between organizations')
  const chosen = chooseObligations(contract, {
    caller_did: context.caller.did,
    now: new Date(context.now),
    obligation_ids: input.obligation_ids && [...new Set(input.obligation_ids)],
    amount: input.amount === undefined ? undefined : BigInt(input.amount),
    met: await conditionsMet(contract, context),
  })
  const asset_ids = chosen.map(({ obligation }) => obligation.asset_id)
  const assets = await findAssets(context.db, asset_ids)
  const uncharged = await linesOf(contract, chosen, assets, input, context)
  const settlement_id = context.newId()
  if (input.rail_reference !== undefined)
    await keepReferences(
      context.db,
      context.tenant_id,
      settlement_id,
      input.rail_reference,
      railsOf(uncharged, assets),
    )
  const lines = await chargeLines(context.db, contract, uncharged, context.tenant_id)
  const journals = journalsOf(contract, lines, context)
  const moved = chosen.map(({ obligation }) => obligation)
  const posted = await postCovered(context.db, contract, moved, [...lapsed, ...journals])
  const settlement = settlementOf(settlement_id, posted.slice(lapsed.length), lines, assets, input, context)
  await keepSettlement(context.db, contract, settlement)
  const after = await keepPaid(contract, chosen, settlement, context)
  return await answerSettled(
    context,
    after,
    settlement,
    journals.flatMap(({ entries }) => entries),
  )
}

/** Trades are visible to this tenant; attestations cannot be verified yet. */
async function conditionsMet(
  { obligations }: StoredContract,
  { db }: OperationContext,
): Promise<Set<string>> {
  const met = new Set<string>()
  for (const { condition, ended } of obligations) {
    const { kind, ref = '' } = condition
    if (kind === 'trade' && ended === null && (await tradeIsSettled(db, ref))) met.add(ref)
  }
  return met
}

/** Issuing money is an act of the whole organization, so it needs a charter seat. */
async function linesOf(
  contract: StoredContract,
  chosen: readonly Chosen[],
  assets: ReadonlyMap<string, Asset>,
  { rail_reference, authority }: SettleInput,
  context: OperationContext<'charter' | 'requireAuthority'>,
): Promise<SettledLine[]> {
  const lines = chosen.map(({ obligation, amount }) => {
    const issuer = assets.get(obligation.asset_id)!.tenant_id
    const is_issued = rail_reference !== undefined && issuer === contract[obligation.from].tenant_id
    return settledLine(contract, obligation, amount, is_issued)
  })
  const issued = lines.find(({ source }) => source === 'issuance')
  if (!issued) return lines
  requireL2(context.caller, `Issuing ${issued.asset_id}`)
  if (await context.charter.has(context.caller.did)) {
    await requireIssueLimit(contract, lines, authority, context)
    return lines
  }
  throw refuse(
    'policy_denied',
    `Settling ${issued.asset_id} against a rail_reference issues it, which only charter members of its issuer may; ` +
      'let one of them do it, or pay from what you hold without a reference.',
    { reason: 'charter member required to issue', asset_id: issued.asset_id },
  )
}

/** Money that anybody must take is not made by one person alone: beyond a day's limit the charter decides. */
async function requireIssueLimit(
  { contract_id }: StoredContract,
  lines: readonly SettledLine[],
  authority: string | undefined,
  context: OperationContext<'requireAuthority'>,
): Promise<void> {
  const created = lines.filter(({ source, asset_id }) => source === 'issuance' && asset_id === usd_asset)
  if (created.length === 0) return
  const { db, tenant_id, now } = context
  const since = new Date(Date.parse(now) - day_ms)
  const before = await issuedSince(db, { tenant_id, asset_id: usd_asset }, since)
  const amount = created.reduce((sum, line) => sum + line.amount, 0n)
  if (before + amount > issue_micro_usd_max)
    await context.requireAuthority('MADE.economic_contract_settle', contract_id, authority)
}

function railsOf(lines: readonly SettledLine[], assets: ReadonlyMap<string, Asset>): RailReference[] {
  return lines.map(({ asset_id, source }) => {
    const { tenant_id, rail } = assets.get(asset_id)!
    return { issuer_tenant: tenant_id, rail, is_issued: source === 'issuance' }
  })
}

function journalsOf(
  contract: StoredContract,
  lines: readonly SettledLine[],
  { tenant_id, invoke, now: at, engine: { operator_tenant_id } }: OperationContext<'engine'>,
): Journal[] {
  const { correlation_id } = invoke
  const ref = `made://contract/${contract.contract_id}`
  return entriesOfLines(contract, lines, operator_tenant_id).map((entries) => {
    return { tenant_id, kind: 'settlement', ref, correlation_id, at, entries }
  })
}

function settlementOf(
  settlement_id: string,
  journal_ids: readonly string[],
  lines: readonly SettledLine[],
  assets: ReadonlyMap<string, Asset>,
  { rail_reference = null }: { readonly rail_reference?: string | null },
  { caller, now }: OperationContext,
): Settlement {
  const finality_s = Math.max(...lines.map(({ asset_id }) => assets.get(asset_id)!.finality_s))
  return {
    settlement_id,
    settled_by: caller.did,
    lines,
    journal_ids,
    rail_reference,
    state: 'POSTED',
    consents: [],
    posted_at: new Date(now),
    final_at: new Date(Date.parse(now) + finality_s * 1000),
  }
}

/** Stores the payment: obligations, contract state and both audit logs. */
async function keepPaid(
  contract: StoredContract,
  chosen: readonly Chosen[],
  settlement: Settlement,
  context: OperationContext,
): Promise<StoredContract> {
  const paid = chosen.map(({ obligation, amount }): Obligation => {
    const settled = obligation.settled + amount
    const is_whole = settled === obligation.amount
    return is_whole
      ? { ...obligation, settled, ended: 'SETTLED', ended_at: new Date(context.now) }
      : { ...obligation, settled }
  })
  await keepObligations(context.db, contract.contract_id, paid)
  const obligations = contract.obligations.map((one) => paid.find(({ id }) => id === one.id) ?? one)
  const { settlement_id, final_at, lines, journal_ids, rail_reference } = settlement
  const after = { ...contract, obligations, settlements: [...contract.settlements, settlement] }
  tell(context, after, 'ContractSettled', {
    contract_id: contract.contract_id,
    settlement_id,
    journal_ids,
    settled: lines.map(toldLine),
    final_at: final_at.toISOString(),
    ...(rail_reference !== null && { rail_reference }),
  })
  return await progress(context, after)
}

function toldLine({ obligation_id, asset_id, amount, fee }: SettledLine) {
  return { obligation_id, asset_id, amount: String(amount), fee: String(fee) }
}

/** Returns only the caller's organization's balances of the accounts that moved. */
export async function answerSettled(
  context: OperationContext,
  contract: StoredContract,
  settlement: Settlement,
  entries: readonly Entry[],
): Promise<SettleOutput> {
  const own = entries.filter(({ tenant_id }) => tenant_id === context.tenant_id)
  const balances = await balancesOf(context.db, own)
  const { settlement_id, journal_ids, lines, final_at, state, consents } = settlement
  const is_final = state === 'POSTED' && final_at <= new Date(context.now)
  return {
    settlement_id,
    journal_ids: [...journal_ids],
    settled: lines.map(toldLine),
    state: is_final ? 'FINAL' : state,
    contract_state: contract.state,
    final_at: final_at.toISOString(),
    balances: balances.map(({ tenant_id: _own, balance, ...account }) => ({
      ...account,
      balance: String(balance),
    })),
    ...(consents.length > 0 && { reversal_signed_by: consents.map(({ signed_by }) => signed_by) }),
  }
}
