// Posts the journals of a contract; if an account does not cover them, says which obligations are meant.
import type { Database } from '@svc/contract/database'
import { Refusal, refuse } from '@svc/contract/refusal'
import { type Journal, postJournals } from '../ledger/api.ts'
import type { Contract, Obligation } from './contract-terms.ts'

/** `obligations`: those whose amounts are moved. All journals are posted or none. */
export async function postCovered(
  db: Database,
  contract: Contract,
  obligations: readonly Obligation[],
  journals: readonly Journal[],
): Promise<string[]> {
  try {
    return await postJournals(db, journals)
  } catch (error) {
    throw uncovered(contract, obligations, error) ?? error
  }
}

/** Undefined if the refusal is about something else. */
function uncovered(
  contract: Contract,
  obligations: readonly Obligation[],
  error: unknown,
): Refusal | undefined {
  if (!(error instanceof Refusal) || error.details.reason !== 'insufficient funds') return undefined
  const { holder, asset_id, needed, account } = error.details
  const legs = obligations.filter(({ from, asset_id: owed }) => {
    return account === 'available' && contract[from].did === holder && owed === asset_id
  })
  const [leg] = legs
  if (!leg) return undefined
  const obligation_ids = legs.map(({ id }) => id)
  return refuse(
    'policy_denied',
    `Nothing was moved, because the ${leg.from} does not have ${needed} of ${asset_id}, which ` +
      `${obligation_ids.join(', ')} and the fee need; let the ${leg.from} pay in first, or owe less.`,
    { ...error.details, reason: 'insufficient funds', obligation_ids, from: leg.from },
  )
}
