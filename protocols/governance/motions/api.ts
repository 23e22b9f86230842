// What others may use of motions.

export {
  advance,
  type Bind,
  type CharterEffect,
  hashOf,
  isCharterOperation,
  type Motion,
  type MotionBody,
  type MotionState,
  motion_states,
  nameOf,
} from './motion.ts'
export { motion_migrations } from './motion-migrations.ts'
export { lapseOf, moveTo, openMotion, requireReader, requireState } from './motion-progress.ts'
export {
  type DueMotion,
  findDueMotions,
  findMotion,
  keepMotion,
  keepState,
  listMotions,
  lockMotion,
} from './motion-store.ts'
export {
  type Counted,
  type Electorate,
  outcomes,
  positions,
  type Seat,
  settledOutcome,
  tally,
  type Votes,
} from './motion-tally.ts'
export { requireVote } from './position-signature.ts'
export { finalPositions, keepPosition, type TakenPosition, votesOf, votesOn } from './position-store.ts'
export { fractionText, Quorum, quorumOf } from './quorum.ts'
export { bodyOf, isRecomputable, soleVerdict, type Verdict } from './verdict.ts'
export {
  findBinding,
  findVerdict,
  findVerdictOf,
  keepRegistered,
  keepVerdict,
  lockVerdict,
  useVerdict,
  verdictsOf,
} from './verdict-store.ts'
