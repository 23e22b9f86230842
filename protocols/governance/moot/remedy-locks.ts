// Locks what executing a ruling may change, before any of it and in one order for all rulings, so that none waits for
// another in a circle: treaties, then contracts, then ledgers.
import type { Database } from '@svc/contract/database'
import { lockContracts } from '../../economic/contracts/api.ts'
import { lockLedgers } from '../../economic/ledger/api.ts'
import { type Case, takePendingRemedy } from '../cases/api.ts'
import { contractOf, treatyOf } from '../evidence/api.ts'
import { lockTreaties } from '../moat/api.ts'

export async function lockForRemedy(db: Database, dispute: Case): Promise<void> {
  const { case_id, treaty_id, contracts, claimant, respondent } = dispute
  const target = (await takePendingRemedy(db, case_id))?.target ?? null
  await lockTreaties(db, [treaty_id, treatyOf(target)])
  const proposers = await lockContracts(db, [...contracts, contractOf(target)?.contract_id])
  // Fees lock a ledger before the journals of the ruling are posted, some of them by the other side.
  await lockLedgers(db, [claimant.tenant_id, respondent.tenant_id, ...proposers])
}
