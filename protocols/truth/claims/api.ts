// What others may use of claims.
export { isRetraction, type Label, type RaisedAttack } from './argumentation.ts'
export { corroborate } from './claim-corroboration.ts'
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
export {
  Evidence,
  hashOf,
  isVerified,
  keepEvidence,
  readableOf,
  recordNamed,
  seeEvidence,
} from './claim-evidence.ts'
export { isProven, requireProof } from './claim-proof.ts'
export {
  admitClaim,
  indexingOf,
  releaseClaims,
  releaseDue,
  type Settled,
  settleClaims,
} from './claim-standing.ts'
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
