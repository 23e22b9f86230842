// MAX: queries, explains and proves the content of the audit log.

// The records of a request, and its retained inputs.
export { inputsOf, recordsOf } from './audit-log-access.ts'
// Verifies records against the signed tree.
export { verifyRecords } from './audit-log-proofs.ts'
// Finds the record that ended a request.
export { terminalRecord } from './explanation.ts'
// The table of compliance reports.
export { report_migrations } from './report-store.ts'
