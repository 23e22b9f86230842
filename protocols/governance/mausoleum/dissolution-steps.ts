// The steps of a dissolution, each inside one transaction of the engine's role.

import type { Database } from '@svc/contract/database'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Tick } from '@svc/contract/tick'
import {
  closeUsage,
  type Estate,
  findOpenContracts,
  forgiveUsage,
  handOver,
  hasBalances,
  hasOpenOrders,
  hasUnsettledInvoices,
  openEstate,
  payEstate,
  releaseAll,
} from '../../economic/estate/api.ts'
import { awardsAgainst, openCasesOf } from '../cases/api.ts'
import { terminateTreaty, treatiesOf } from '../moat/api.ts'
import { publishSeal, type Signer } from './chain-seal.ts'
import { type Dissolution, dissolutionRef, type Step } from './dissolution.ts'
import { archiveAuditLog } from './dissolution-archive.ts'
import { tellOf } from './dissolution-changes.ts'
import { divide, heirsOf } from './distribution.ts'

export interface Undertaking extends Tick {
  readonly db: Database
  readonly dissolution: Dissolution
  readonly operator_tenant_id: string
  /** With the operator's audit key. */
  readonly sign: Signer
}

type Done = Record<string, unknown>

const treaties_page = 100
const treaties_max = 10_000
const told_max = 200

export const work: Readonly<Record<Exclude<Step, 'seal'>, (undertaking: Undertaking) => Promise<Done>>> = {
  orders: async ({ db, dissolution }) => {
    if (await hasOpenOrders(db, dissolution.tenant_id)) throw blocked('orders are still open')
    return {}
  },
  holds: async ({ db, dissolution, ...tick }) => ({ ...(await releaseAll(db, dissolution.tenant_id, tick)) }),
  usage: async (undertaking) => {
    const invoice_id = await closeUsage(undertaking.db, billedOf(undertaking))
    return invoice_id === undefined ? {} : { invoice_id }
  },
  distribution: distribute,
  obligations: transfer,
  treaties: endTreaties,
  publication: publishSeal,
  archive: async (undertaking) => {
    // The operator bears the cost of the dissolution itself: nobody is left to pay.
    const forgiven = await forgiveUsage(undertaking.db, billedOf(undertaking))
    return { ...(await archiveAuditLog(undertaking)), forgiven_micro_usd: String(forgiven) }
  },
}

function blocked(reason: string): Refusal {
  return refuse('policy_denied', `The dissolution cannot continue yet: ${reason}.`, { reason })
}

function billedOf({ dissolution, operator_tenant_id, now, newId }: Undertaking) {
  return { tenant_id: dissolution.tenant_id, operator_tenant_id, now, newId }
}

/** Creditors by rank, then heirs; all or nothing. Also for assets received after the first run. */
export async function distribute(undertaking: Undertaking): Promise<Done> {
  const { db, dissolution } = undertaking
  const { tenant_id, dissolution_id, schedule } = dissolution
  const cases = await openCasesOf(db, tenant_id)
  if (cases.length > 0) throw blocked(`${cases.length} cases are open; the oldest is ${cases[0]!.case_id}`)
  const awards = new Set((await awardsAgainst(db, tenant_id)).map(({ contract_id }) => contract_id))
  const wishes = { awards, transfers: schedule.obligation_transfer }
  const estate = await openEstate(db, billedOf(undertaking), wishes)
  const in_the_way = [...estate.waiting, ...estate.put_aside]
  if (in_the_way.length > 0) throw blocked(in_the_way.slice(0, told_max).join('; '))
  const decided = { ref: dissolutionRef(dissolution_id), ...decide(estate, dissolution) }
  const journal_ids = await payEstate(db, billedOf(undertaking), estate, decided)
  const paid = decided.paid.map(({ ref, amount }) => ({ ref, amount: String(amount) }))
  const shares = decided.shares.map((share) => ({ ...share, amount: String(share.amount) }))
  const secured = estate.secured.map(({ debt }) => ({ ref: debt.ref, amount: String(debt.rest) }))
  const meta = {
    dissolution_id,
    journal_ids: journal_ids.slice(0, told_max),
    paid: [...secured, ...paid].slice(0, told_max),
    shares: shares.slice(0, told_max),
  }
  const creditors = [...estate.creditors, ...estate.secured.map(({ debt }) => debt.payee)]
  const tenants = [
    ...creditors.map((creditor) => creditor.tenant_id),
    ...decided.shares.map(({ did }) => did.split(':')[2]!),
  ]
  await tellOf(undertaking, 'AssetsDistributed', meta, [tenant_id, ...tenants])
  return meta
}

function decide({ holdings, creditors }: Estate, { schedule }: Dissolution) {
  const divisions = [...holdings].map(([asset_id, total]) => {
    const claims = creditors.filter((creditor) => creditor.asset_id === asset_id)
    const heirs = heirsOf(asset_id, schedule.asset_distribution, schedule.successor_did)
    const { paid, shares } = divide(total, claims, heirs)
    return { paid, shares: shares.map((share) => ({ asset_id, ...share })) }
  })
  return {
    paid: divisions.flatMap(({ paid }) => paid),
    shares: divisions.flatMap(({ shares }) => shares),
  }
}

async function transfer(undertaking: Undertaking): Promise<Done> {
  const { db, dissolution } = undertaking
  const { tenant_id, dissolution_id, schedule } = dissolution
  const { novated, discharged, left } = await handOver(
    db,
    tenant_id,
    schedule.obligation_transfer,
    undertaking,
  )
  if (left.length > 0)
    throw blocked(
      `other organizations still owe it ${left.slice(0, told_max).join(', ')}: settle, waive or transfer them`,
    )
  if (await hasUnsettledInvoices(db, tenant_id)) await forgiveUsage(db, billedOf(undertaking))
  const meta = {
    dissolution_id,
    novated: novated.slice(0, told_max),
    discharged: discharged.slice(0, told_max),
  }
  const takers = schedule.obligation_transfer.map(({ to_did }) => to_did.split(':')[2]!)
  await tellOf(undertaking, 'ObligationsTransferred', meta, [tenant_id, ...takers])
  return meta
}

/** Terminating a treaty notifies both parties. */
async function endTreaties({ db, dissolution, now, newId }: Undertaking): Promise<Done> {
  const { tenant_id, dissolution_id, reason } = dissolution
  const by = dissolutionRef(dissolution_id)
  let ended = 0
  for (let pages = 0; pages < treaties_max / treaties_page; pages++) {
    const treaties = await treatiesOf(db, tenant_id, { limit: treaties_page })
    if (treaties.length === 0) return { ended }
    for (const { id } of treaties) await terminateTreaty(db, id, { by, reason, at: now, newId })
    ended += treaties.length
  }
  throw blocked(`more than ${treaties_max} treaties bind it`)
}

/** What blocks the seal, as far as the current role can see. */
export async function sealBlockers(db: Database, tenant_id: string): Promise<string[]> {
  const [cases, contracts, treaties] = [
    await openCasesOf(db, tenant_id),
    await findOpenContracts(db, tenant_id),
    await treatiesOf(db, tenant_id, { limit: 1 }),
  ]
  return [
    ...(cases.length > 0 ? [`case ${cases[0]!.case_id} is open`] : []),
    ...(contracts.length > 0 ? [`contract ${contracts[0]} is open`] : []),
    ...(treaties.length > 0 ? [`treaty ${treaties[0]!.id} is ${treaties[0]!.state}`] : []),
    ...((await hasOpenOrders(db, tenant_id)) ? ['orders are open'] : []),
    ...((await hasBalances(db, tenant_id)) ? ['balances are not zero'] : []),
    ...((await hasUnsettledInvoices(db, tenant_id)) ? ['an invoice is not settled'] : []),
  ]
}
