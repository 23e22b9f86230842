// What others may use of max.
export { inputsOf, recordsOf } from './book-access.ts'
export { verifyRecords } from './book-proofs.ts'
export { terminalRecord } from './explanation.ts'
export { report_migrations } from './report-store.ts'
