// What others may use of max.
export { inputsOf, recordsOf } from './audit-log-access.ts'
export { verifyRecords } from './audit-log-proofs.ts'
export { terminalRecord } from './explanation.ts'
export { report_migrations } from './report-store.ts'
