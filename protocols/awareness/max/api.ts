// MAX: queries, explains and proves the content of the audit log.

// The records of a request, and its retained inputs.
export { inputsOf, recordsOf } from './audit-log-access.ts'
// Verifies records against the signed tree.
export { verifyRecords } from './audit-log-proofs.ts'
// How many of the newest records do not verify.
export { brokenRecords } from './compliance-report.ts'
// Finds the record that ended a request.
export { terminalRecord } from './explanation.ts'
// The table of compliance reports.
export { report_migrations } from './report-store.ts'
// Runs saved views that are due.
export { runDueViews } from './views/scheduled-run.ts'
// The table of saved views.
export { view_migrations } from './views/view-migrations.ts'
// Whether capabilities allow reading a whole audit log, as a webhook's setter must.
export { readsAll } from './webhooks.ts'
