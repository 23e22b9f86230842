// Debts and claims of an organization being wound up: its contracts, and what of them can be paid.
import type { Database } from '@svc/contract/database'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import {
  type findContract,
  lockContract,
  type Obligation,
  openLegsWith,
  otherSide,
  type Party,
  restOf,
  type StoredContract,
} from '../contracts/api.ts'
import { tradeIsSettled } from '../market/api.ts'

/** More open contracts than this are not wound up in one transaction. */
const contracts_max = 2_000

/** An obligation of a contract, with a ref that is unique outside it. */
export interface Debt {
  readonly ref: string
  readonly contract: StoredContract
  readonly obligation: Obligation
  readonly payer: Party
  readonly payee: Party
  readonly rest: bigint
}

function obligationRef(contract_id: string, obligation_id: string): string {
  return `made://contract/${contract_id}/${obligation_id}`
}

const ref_form = /^made:\/\/contract\/(sha256:[0-9a-f]{64})\/([A-Za-z0-9._-]{1,64})$/

export function parseObligationRef(ref: string): { contract_id: string; obligation_id: string } | undefined {
  const parts = ref_form.exec(ref)
  return parts ? { contract_id: parts[1]!, obligation_id: parts[2]! } : undefined
}

/** Open contracts, by id; locked until the transaction ends, unless only read. */
export async function openContracts(
  db: Database,
  tenant_id: string,
  find: typeof findContract = lockContract,
): Promise<StoredContract[]> {
  const ids = await findOpenContracts(db, tenant_id)
  if (ids.length > contracts_max)
    throw refuse(
      'policy_denied',
      `${tenant_id} has more than ${contracts_max} open contracts; end some first.`,
      {
        reason: 'too many open contracts',
      },
    )
  const contracts: StoredContract[] = []
  for (const contract_id of ids) {
    const contract = await find(db, contract_id)
    if (contract) contracts.push(contract)
  }
  return contracts
}

/** One more than the limit, so that exceeding it is noticed. */
export async function findOpenContracts(db: Database, tenant_id: string): Promise<string[]> {
  const open = sql.raw(`state IN ('OFFERED', 'ACTIVE', 'PARTIALLY_SETTLED', 'DEFAULTED', 'DISPUTED')`)
  const rows = await sql<{ contract_id: string }>`
    SELECT contract_id FROM contracts WHERE tenant_id = ${tenant_id} AND ${open}
    UNION SELECT contract_id FROM contracts WHERE counterparty_tenant = ${tenant_id} AND ${open}
    ORDER BY contract_id LIMIT ${contracts_max + 1}`.all(db)
  return rows.map(({ contract_id }) => contract_id)
}

/** Open obligations of accepted contracts. */
export function debtsOf(contracts: readonly StoredContract[]): Debt[] {
  return contracts
    .filter(({ state }) => state !== 'OFFERED')
    .flatMap((contract) =>
      contract.obligations
        .filter(({ ended }) => ended === null)
        .map((obligation) => ({
          ref: obligationRef(contract.contract_id, obligation.id),
          contract,
          obligation,
          payer: contract[obligation.from],
          payee: contract[otherSide(obligation.from)],
          rest: restOf(obligation),
        })),
    )
}

/** What is not payable yet although the organization ends: someone must act first. */
export async function waitingFor(
  db: Database,
  { contract, obligation }: Debt,
  paid_now: ReadonlySet<string>,
): Promise<string | undefined> {
  const { kind, ref = '' } = obligation.condition
  if (contract.state === 'DISPUTED') return 'a dispute'
  const counter_leg = openLegsWith(contract, obligation).find(({ from }) => from !== obligation.from)
  if (counter_leg) return `${counter_leg.id}, with which it is exchanged`
  if (kind === 'none') return undefined
  if (kind === 'trade') return (await tradeIsSettled(db, ref)) ? undefined : `trade ${ref}`
  if (kind === 'attested') return `attestation ${ref}`
  const first = contract.obligations.find(({ id }) => id === ref)
  const is_met = first?.ended != null || paid_now.has(obligationRef(contract.contract_id, ref))
  return is_met ? undefined : `obligation ${ref}`
}
