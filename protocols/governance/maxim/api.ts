// MAXIM: the policies of an organization, in Cedar.

// The tables of dilemmas.
export { dilemma_migrations } from './dilemma-store.ts'
// The name of a policy, and the digest on which a council votes before it is authored.
export { PolicyId, policyDigest } from './policy-authoring.ts'
// The council that decided on a policy, for the refusals that name it.
export { councilOf } from './policy-council.ts'
// The policies in force that forbid a case.
export { type Forbidding, forbiddingPolicies } from './policy-interpretation.ts'
// Announces policy versions that come into force; run by the scheduler.
export { sweepPolicies } from './policy-sweep.ts'
