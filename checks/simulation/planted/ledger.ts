// Planted bugs of ledger, escrow and market.
import type { PlantedBug } from './planted-bug.ts'

const part = 'ledger'

export const ledger_bugs: readonly PlantedBug[] = [
  {
    name: 'a contract is not locked',
    part,
    file: 'protocols/economic/contracts/contract-store.ts',
    old_text: 'contract_id} FOR UPDATE`',
    new_text: 'contract_id}`',
  },
  {
    name: 'a call is acknowledged though its commit is unknown',
    part,
    file: 'adapters/store/tenant-transaction.ts',
    old_text: "      throw unavailable('database', error.cause, 'unknown')\n",
    new_text: '      return\n',
  },
  {
    name: 'a lost commit is called undone',
    part,
    file: 'adapters/store/tenant-transaction.ts',
    old_text: 'const is_unconfirmed = this.#commit_sent &&',
    new_text: 'const is_unconfirmed = !this.#commit_sent &&',
  },
  {
    name: 'of two orders at one price the later one trades first',
    part,
    file: 'protocols/economic/market/order-store.ts',
    old_text: ', seq LIMIT ',
    new_text: ', seq DESC LIMIT ',
  },
  {
    name: 'an expired order keeps a large reservation',
    part,
    file: 'protocols/economic/market/order-expiry.ts',
    old_text: '      const { correlation_id, reserved } = order\n',
    new_text: '      const { correlation_id, reserved } = order\n      if (reserved > 100n) return []\n',
  },
  {
    name: 'an idempotency key is forgotten after an hour',
    part,
    file: 'engine/idempotency/stored-answer.ts',
    old_text: 'const kept_hours = 24\n',
    new_text: 'const kept_hours = 1\n',
  },
  {
    name: 'a waived obligation leaves its escrow behind',
    part,
    file: 'protocols/economic/made/contract-agreement.ts',
    old_text: 'contract.escrow ? entriesOfRelease(contract, waived) : []',
    new_text: 'contract.escrow ? entriesOfRelease(contract, waived.slice(1)) : []',
  },
  {
    name: 'one leg of an exchange is settled alone',
    part,
    file: 'protocols/economic/contracts/contract-terms.ts',
    old_text: '  if (exchange === null) return []\n',
    new_text: '  if (exchange !== null) return []\n',
  },
  {
    name: 'each payment is rounded for itself',
    part,
    file: 'protocols/economic/ledger/fees.ts',
    old_text: '  return charges.map((charge) => fees.get(charge) ?? 0n)\n',
    new_text: '  return charges.map((charge) => fees.has(charge) ? feeOf(charge.amount, charge.bps) : 0n)\n',
  },
]
