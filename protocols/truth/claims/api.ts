// Claims with their evidence, attacks and status.

// Labels of claims and attacks between them.
export { isRetraction, type Label, type RaisedAttack } from './argumentation.ts'
// Counts who supports and who contradicts a claim, and pools their confidence.
export { corroborate } from './claim-corroboration.ts'
// Schemas, references and the signed document of a claim.
export {
  type CitedEvidence,
  ClaimDocument,
  ClaimRef,
  Confidence,
  claimIdIn,
  claimIdOf,
  claimRef,
  documentOf,
  evidence_max,
  keysOf,
  Method,
  requireMoment,
  Said,
  Topic,
  textOf,
} from './claim-document.ts'
// Reads, checks and stores the evidence of a claim.
export {
  Evidence,
  hashOf,
  isVerified,
  keepEvidence,
  readableOf,
  recordNamed,
  seeEvidence,
} from './claim-evidence.ts'
// Checks the proof of a claim, or makes one.
export { isProven, requireProof } from './claim-proof.ts'
// Admits claims and recomputes which of them are accepted.
export {
  admitClaim,
  indexingOf,
  releaseClaims,
  releaseDue,
  type Settled,
  settleClaims,
} from './claim-standing.ts'
// SQL of claims and attacks.
export {
  type ClaimRow,
  component_claims_max,
  findClaim,
  findComponent,
  findRebutting,
  hiddenFrom,
  insertAttacks,
  insertClaim,
  lockClaims,
  setRetracted,
} from './claim-store.ts'
