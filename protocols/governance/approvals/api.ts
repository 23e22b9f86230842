// Consent of others to single calls: its rows, and the gate that stage 4 uses.

// Uses the consent to a call, or asks for it.
export {
  approvalGate,
  type Decider,
  inputBox,
  type KnownPeople,
} from './approval-gate.ts'
// Their table.
export { approval_migrations } from './approval-migrations.ts'
// Who can decide, in words.
export { consentText } from './approval-names.ts'
// Reading and deciding approvals.
export {
  type ApprovalRow,
  approvalState,
  findApproval,
  keepDecision,
  listApprovals,
  lockApprovals,
  type StoredDecision,
} from './approval-store.ts'
// Ends approvals on time; run by the scheduler.
export { sweepApprovals } from './approval-sweep.ts'
