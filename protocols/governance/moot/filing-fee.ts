// The fee of a filing: owed to the other side if the panel finds the lost case frivolous, or if it is taken back too late or again.
import type { Database } from '@svc/contract/database'
import { usdText } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { leftUnderRuling, type Order, payAward } from '../../economic/contracts/api.ts'
import type { Journal } from '../../economic/ledger/api.ts'
import {
  type Case,
  feeContractsOf,
  hasWithdrawnBefore,
  keepFeeOwed,
  otherCaseSide,
  type Ruling,
} from '../cases/api.ts'
import { panel_kept_ms } from './same-dispute.ts'

const share_bps = 100n
const bps_whole = 10_000n
const fee_micro_usd_min = 10_000_000n
const fee_micro_usd_max = 1_000_000_000n

/** One percent of the amount claimed, at least 10 USD and at most 1,000. */
export function filingFee(requested_micro_usd: bigint | null): bigint {
  const share = ((requested_micro_usd ?? 0n) * share_bps) / bps_whole
  if (share < fee_micro_usd_min) return fee_micro_usd_min
  return share > fee_micro_usd_max ? fee_micro_usd_max : share
}

/**
 * Once the other side has answered, whoever takes a case back owes it the fee: otherwise a frivolous one would end unjudged and at
 * no cost. Before that the first is free, and each further one within a year is not.
 */
async function isWithdrawnAtCost(db: Database, dispute: Case): Promise<boolean> {
  if (dispute.state !== 'WITHDRAWN') return false
  if (dispute.answered_at !== null) return true
  if (dispute.appeal_of !== null) return false
  return hasWithdrawnBefore(db, dispute, new Date(dispute.filed_at.getTime() - panel_kept_ms))
}

/** Who still owes the fee of an earlier case files no other. */
export async function requireNoFeeOwed({ db, tenant_id }: OperationContext): Promise<void> {
  for (const contract_id of await feeContractsOf(db, tenant_id)) {
    const left = await leftUnderRuling(db, contract_id)
    if (left.length === 0) continue
    const owed = usdText(left.reduce((sum, { amount }) => sum + amount, 0n))
    throw refuse(
      'policy_denied',
      `${tenant_id} still owes ${owed} USD, the filing fee of a case that was found frivolous or was withdrawn; pay it with MADE economic_contract_settle, then file.`,
      { reason: 'filing fee owed', denying_policy: 'MOOT fee', contract_id, owed_usd: owed },
    )
  }
}

/** With the remedy, in one transaction: what is available is paid, the rest is owed under a contract. */
export async function forfeitFee(
  db: Database,
  dispute: Case,
  ruling: Ruling | undefined,
  order: Order,
  posted_with: readonly Journal[],
) {
  const is_due = ruling?.body.frivolous || (await isWithdrawnAtCost(db, dispute))
  if (!is_due || dispute.fee_micro_usd === 0n) return { journals: [], changes: [] }
  const debtor = dispute[dispute.filed_by]
  const creditor = dispute[otherCaseSide(dispute.filed_by)]
  const award = await payAward(db, debtor, creditor, dispute.fee_micro_usd, order, posted_with)
  if (award.contract_id !== null) await keepFeeOwed(db, dispute.case_id, debtor.tenant_id, award.contract_id)
  return award
}
