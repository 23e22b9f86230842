// Motions, votes and verdicts of councils: their rules and rows, for MACE and what relies on it.

// A motion, its hash, its state at a given time, and the operations that need the charter.
export {
  advance,
  type Bind,
  type CharterEffect,
  closesAt,
  hashOf,
  isCharterOperation,
  type Motion,
  type MotionBody,
  type MotionState,
  motion_states,
  nameOf,
} from './motion.ts'
// The tables of motions, positions and verdicts.
export { motion_migrations } from './motion-migrations.ts'
// Opening a motion for a change: up to date, in the right state, for a permitted reader.
export { lapseOf, moveTo, openMotion, requireReader, requireState } from './motion-progress.ts'
// Reading, locking and writing the rows of motions.
export {
  type DueMotion,
  findDueMotions,
  findMotion,
  keepMotion,
  keepState,
  listMotions,
  lockMotion,
} from './motion-store.ts'
// Counting votes, and whether the missing ones can still change the outcome.
export {
  type Counted,
  type Electorate,
  outcomes,
  positions,
  type Seat,
  tally,
  type Votes,
} from './motion-tally.ts'
// Requires the signature of a vote.
export { requireVote } from './position-signature.ts'
// The positions taken on a motion.
export { finalPositions, keepPosition, type TakenPosition, votesOf, votesOn } from './position-store.ts'
// The quorum rules and their text.
export { fractionText, isMajority, Quorum, quorumOf } from './quorum.ts'
// A verdict, and whether it can be recomputed from the signed votes.
export { bodyOf, isRecomputable, soleVerdict, type Verdict } from './verdict.ts'
// Reading, locking and consuming the rows of verdicts.
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
