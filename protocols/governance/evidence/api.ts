// What others may use of evidence.
export {
  checkEvidence,
  checkRecords,
  contractOf,
  correlations_max,
  isVerified,
  type Shown,
  tooMuch,
  treatyOf,
} from './case-evidence.ts'
