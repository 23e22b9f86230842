// Verification of cited evidence.

// Checks cited references and audit records as the caller may see them, within a limit.
export {
  checkEvidence,
  checkRecords,
  contractOf,
  correlations_max,
  isVerified,
  requireReadable,
  type Shown,
  tooMuch,
  treatyOf,
} from './case-evidence.ts'
