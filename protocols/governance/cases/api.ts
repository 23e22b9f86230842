// Dispute cases and their rulings: state rules and rows.

// A case, its states, sides, deadlines and remedies, and its state at a given time.
export {
  advanceCase,
  appeal_ms,
  type Case,
  type CaseParty,
  type CaseSide,
  type CaseState,
  case_sides,
  case_states,
  type EvidenceCheck,
  otherCaseSide,
  plead_ms,
  pleadings_per_side_max,
  type Remedy,
  remedy_kinds,
  rule_ms,
  tenantsOf,
} from './case.ts'
// The tables of cases, pleadings, hearings, votes, rulings and remedies.
export { case_migrations, court_migrations, draw_party_migrations } from './case-migrations.ts'
// Reading, locking and writing the rows of cases.
export {
  appealsOf,
  asAdvanced,
  casesBetween,
  contractsStillDisputed,
  findDueCases,
  findUnserved,
  hasAppeal,
  judgesBetween,
  keepCase,
  keepProgress,
  keepService,
  keepServiceTried,
  listCases,
  lockCase,
  lockPair,
  openCasesOf,
  remedyOfKept,
  type StoredRemedy,
  storedRemedy,
} from './case-store.ts'
// How the panel of a case is drawn: what it is drawn from, and the result.
export { type CaseDraw, findDraw, findUndrawn, keepDraw, keepDrawn } from './draw-store.ts'
// Withdrawals and fees of filings.
export { feeContractsOf, hasWithdrawnBefore, keepFeeOwed } from './fee-store.ts'
// Counting the votes of a panel into a decision.
export { type Decision, decide, type Finding, findings, type Vote } from './ruling.ts'
// Rulings by hash, and the remedies they order with their progress.
export {
  awardsAgainst,
  type EndedRemedy,
  endRemedy,
  type FollowedRuling,
  findRuling,
  findRulingOf,
  keepRuling,
  type PendingRemedy,
  type Ruling,
  type RulingBody,
  remedy_states,
  rulingIdOf,
  rulingRef,
  rulingsOf,
  takePendingRemedy,
} from './ruling-store.ts'
