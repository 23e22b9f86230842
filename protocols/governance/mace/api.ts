// MACE, councils: motions, votes and verdicts.

// Requires a verdict that authorizes an operation, and consumes it.
export { requireAuthority } from './authority.ts'
// Convenes a motion on behalf of another operation; requires conformance level L2.
export { conveneMotion, requireL2 } from './motion-convening.ts'
// Lets overdue motions lapse; run by the scheduler.
export { sweepMotions } from './motion-sweep.ts'
