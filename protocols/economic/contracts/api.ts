// What others may use of contracts.

export {
  type ContractChange,
  type Debt,
  leftUnderRuling,
  type Order,
  type Ordered,
  payAward,
} from './award.ts'
export { closeContract, disputeContract, isBetween, proveContract, resumeContract } from './award-contract.ts'
export { forcePerformance, type Impossible, type Performed, reverseUnderRuling } from './award-performance.ts'
export { dealingsOf } from './contract-dealings.ts'
export { contract_migrations } from './contract-migrations.ts'
export { changesOf, openContract, progress, requireState, tell } from './contract-progress.ts'
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
  openContractsUnder,
  type StoredContract,
} from './contract-store.ts'
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
  otherSide,
  type Party,
  payable,
  restOf,
  type Side,
  sideOf,
  sides,
} from './contract-terms.ts'
export {
  entriesOfConsent,
  entriesOfEscrow,
  entriesOfLine,
  entriesOfRelease,
  entriesOfReversal,
  type SettledLine,
  settledLine,
} from './settlement.ts'
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
