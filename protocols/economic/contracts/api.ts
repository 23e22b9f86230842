// Contracts between two parties: terms, obligations and settlements, and the effects of a court ruling.

// Pays what a court ruling awards, and makes a contract for the part the debtor cannot pay.
export {
  type ContractChange,
  type Debt,
  leftUnderRuling,
  type Order,
  type Ordered,
  payAward,
} from './award.ts'
// Pauses, resumes, closes or verifies a contract that is before a court.
export { closeContract, disputeContract, isBetween, proveContract, resumeContract } from './award-contract.ts'
// Forces a payment under a contract, or reverses one, because a ruling says so.
export { forcePerformance, type Impossible, type Performed, reverseUnderRuling } from './award-performance.ts'
// How an identity has settled its contracts, computed from the rows.
export { dealingsOf } from './contract-dealings.ts'
// The tables of contracts, obligations and settlements.
export { contract_migrations, exchange_migrations } from './contract-migrations.ts'
// Opens a contract under lock, applies what time changed, and records it for both parties.
export { changesOf, openContract, progress, requireState, tell } from './contract-progress.ts'
// Reads and writes contracts, their obligations and signatures.
export {
  type ContractSignature,
  findContract,
  findContractsUnder,
  findDue,
  findTerms,
  keepActivation,
  keepAdvanced,
  keepContract,
  keepObligations,
  keepSignatures,
  type ListedContract,
  listContracts,
  lockContract,
  lockContracts,
  openContractsUnder,
  type StoredContract,
} from './contract-store.ts'
// The states and rules of contracts and obligations, without I/O.
export {
  type Advanced,
  advance,
  askedFrom,
  type Contract,
  condition_kinds,
  contract_states,
  default_after_ms,
  isBetweenTenants,
  type Obligation,
  obligation_states,
  obligationState,
  openLegsWith,
  otherSide,
  type Party,
  payable,
  restOf,
  type Side,
  sideOf,
  sides,
  unitOf,
} from './contract-terms.ts'
// The ledger entries of escrow, payment, release and reversal.
export {
  entriesOfConsent,
  entriesOfEscrow,
  entriesOfLine,
  entriesOfLines,
  entriesOfRelease,
  entriesOfReversal,
  type SettledLine,
  settledLine,
} from './settlement.ts'
// Charges the fees of a settlement.
export { chargeLines } from './settlement-fees.ts'
// Reads and writes settlements and the references of external payments.
export {
  findSettlement,
  keepReferences,
  keepReversal,
  keepSettlement,
  lapsedConsents,
  linesTo,
  type RailReference,
  type Settlement,
  settlementsOf,
} from './settlement-store.ts'
// Posts journals, and names the obligations that are not covered.
export { postCovered } from './uncovered-legs.ts'
