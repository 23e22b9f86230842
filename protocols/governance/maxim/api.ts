// What others may use of maxim.
export { dilemma_migrations } from './dilemma-store.ts'
export { PolicyId, policyDigest } from './policy-authoring.ts'
export { councilOf } from './policy-council.ts'
export { sweepPolicies } from './policy-sweep.ts'
