// Executes a ruling as the engine, once, in the same transaction that marks the remedy as done.
import type { Database } from '@svc/contract/database'
import {
  type ContractChange,
  closeContract,
  forcePerformance,
  type Impossible,
  type Order,
  type Ordered,
  type Performed,
  payAward,
  resumeContract,
  reverseUnderRuling,
} from '../../economic/contracts/api.ts'
import { type Journal, postJournals } from '../../economic/ledger/api.ts'
import {
  type Case,
  contractsStillDisputed,
  type EndedRemedy,
  endRemedy,
  findRulingOf,
  otherCaseSide,
  type PendingRemedy,
  rulingRef,
  takePendingRemedy,
} from '../cases/api.ts'
import { contractOf, treatyOf } from '../evidence/api.ts'
import { findTreaty, resumeTreaty, terminateTreaty } from '../moat/api.ts'
import { forfeitFee } from './filing-fee.ts'

export interface Finished {
  /** Undefined if nothing was ordered, or a later court has decided. */
  readonly remedy: (EndedRemedy & { readonly ruling: string; readonly kind: string }) | undefined
  readonly changes: readonly ContractChange[]
}

interface Done {
  readonly ended: EndedRemedy
  readonly journals: readonly Journal[]
  readonly changes: readonly ContractChange[]
  /** Contracts that the remedy has ended. */
  readonly closes: readonly string[]
}

/** Executes the remedy and resumes paused contracts; posts to the ledger last, and once. */
export async function finishCase(db: Database, dispute: Case, order: Omit<Order, 'ref'>): Promise<Finished> {
  const now = new Date(order.at)
  const pending = await takePendingRemedy(db, dispute.case_id)
  const ruling = await findRulingOf(db, dispute.case_id)
  const ref = ruling ? rulingRef(ruling.ruling_id) : `moot://case/${dispute.case_id}`
  const ordered = { ...order, correlation_id: ruling?.correlation_id ?? order.correlation_id, ref }
  const binds = dispute.state === 'RULED' || dispute.state === 'SETTLED'
  const done = pending && binds ? await execute(db, dispute, pending, ordered) : undefined
  const after = await releaseContracts(db, dispute, done?.closes ?? [], ordered)
  if (pending) await endRemedy(db, pending.ruling_id, done?.ended ?? superseded, now)
  const before = [...(done?.journals ?? []), ...after.journals]
  const fee_order = { ...ordered, ref: `${ref}/fee` }
  const fee = await forfeitFee(db, dispute, binds ? ruling : undefined, fee_order, before)
  await postJournals(db, [...before, ...fee.journals])
  return {
    remedy: done && pending && { ...done.ended, ruling: ref, kind: pending.kind },
    changes: [...(done?.changes ?? []), ...after.changes, ...fee.changes],
  }
}

const superseded: EndedRemedy = { state: 'SUPERSEDED', result: {} }

async function execute(db: Database, dispute: Case, remedy: PendingRemedy, order: Order): Promise<Done> {
  switch (remedy.kind) {
    case 'pay':
      return await pay(db, dispute, remedy, order)
    case 'specific_performance': {
      const { contract_id, obligation_id } = contractOf(remedy.target)!
      const debtor = dispute[otherCaseSide(remedy.in_favour_of)]
      return performed(await forcePerformance(db, contract_id, obligation_id, debtor, order), [])
    }
    case 'reverse_settlement': {
      const { contract_id, settlement_id } = contractOf(remedy.target)!
      return performed(await reverseUnderRuling(db, contract_id, settlement_id, order), [contract_id])
    }
    case 'terminate_treaty':
      return await endTreaty(db, treatyOf(remedy.target)!, order)
    case 'restore_capability':
      return await restore(db, dispute, remedy, order)
    case 'declaratory':
      return said({ declared: true })
  }
}

/** A payment for a contract closes the contract, so that nothing is paid twice. */
async function pay(db: Database, dispute: Case, remedy: PendingRemedy, order: Order): Promise<Done> {
  const creditor = dispute[remedy.in_favour_of]
  const debtor = dispute[otherCaseSide(remedy.in_favour_of)]
  const settled = contractOf(remedy.target)
  // Close the contract first: it releases the escrow that pays the award.
  const over = settled ? await closeContract(db, settled.contract_id, order) : { journals: [], changes: [] }
  const award = await payAward(db, debtor, creditor, remedy.micro_usd!, order, over.journals)
  const { paid, owed, contract_id } = award
  const result = {
    paid_micro_usd: String(paid),
    owed_micro_usd: String(owed),
    ...(contract_id !== null && { owed_under: contract_id }),
  }
  const debtor_tenant = contract_id === null ? null : debtor.tenant_id
  return {
    ended: { state: 'EXECUTED', result, debtor_tenant, contract_id },
    journals: [...over.journals, ...award.journals],
    changes: [...over.changes, ...award.changes],
    closes: settled ? [settled.contract_id] : [],
  }
}

function performed(outcome: Performed | Impossible, closes: readonly string[]): Done {
  if ('impossible' in outcome) {
    const result = { reason: outcome.impossible }
    return { ended: { state: 'IMPOSSIBLE', result }, journals: [], changes: [], closes: [] }
  }
  const { journals, changes, result } = outcome
  return { ended: { state: 'EXECUTED', result }, journals, changes, closes }
}

async function endTreaty(db: Database, treaty_id: string, { ref, at, newId }: Order): Promise<Done> {
  // An ended treaty can still be found; one that cannot was never a treaty of this engine.
  if (!(await findTreaty(db, treaty_id)))
    return performed({ impossible: `there is no treaty ${treaty_id}` }, [])
  const ended = await terminateTreaty(db, treaty_id, { by: ref, reason: 'ordered by a court', at, newId })
  return said({ treaty_id: ended.treaty_id, state: ended.state })
}

/** Resumes a suspended treaty. Anything else is ordered of the respondent: revocations stay. */
async function restore(
  db: Database,
  dispute: Case,
  { target, in_favour_of }: PendingRemedy,
  { ref, at, newId }: Order,
): Promise<Done> {
  const treaty_id = treatyOf(target)
  const resumed = treaty_id !== undefined && (await resumeTreaty(db, treaty_id, { by: ref, at, newId }))
  const ordered_of = dispute[otherCaseSide(in_favour_of)].did
  return said({ ordered_of, grant_to: dispute[in_favour_of].did, target, resumed })
}

function said(result: Record<string, unknown>): Done {
  return { ended: { state: 'EXECUTED', result }, journals: [], changes: [], closes: [] }
}

/** Resumes contracts paused only for this case, except those the remedy has ended. */
async function releaseContracts(
  db: Database,
  dispute: Case,
  closes: readonly string[],
  order: Order,
): Promise<Ordered> {
  const disputed = dispute.contracts.length === 0 ? [] : await contractsStillDisputed(db, dispute)
  const journals: Journal[] = []
  const changes: ContractChange[] = []
  for (const contract_id of [...new Set([...dispute.contracts, ...closes])].sort()) {
    if (!closes.includes(contract_id) && disputed.includes(contract_id)) continue
    const change = closes.includes(contract_id) ? closeContract : resumeContract
    const after = await change(db, contract_id, order)
    journals.push(...after.journals)
    changes.push(...after.changes)
  }
  return { journals, changes }
}
