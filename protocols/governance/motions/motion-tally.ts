// Counts a vote, and whether it can still change. Pure: the order of votes does not matter.
import { leastOf, meets, type QuorumRule } from './quorum.ts'

export const positions = ['for', 'against', 'abstain', 'recuse', 'present'] as const
export type Position = (typeof positions)[number]
export const outcomes = ['PASSED', 'FAILED', 'NO_QUORUM'] as const
export type Outcome = (typeof outcomes)[number]

export interface Seat {
  readonly did: string
  /** Nothing is decided without this seat. */
  readonly required: boolean
}

export interface Electorate {
  readonly seats: readonly Seat[]
  readonly quorum: QuorumRule
  readonly min_delegates: number
  /** Binds the whole organization: more than half of all seats must attend, and must agree. */
  readonly charter_level: boolean
}

/** The last position of each seat; no position means absent, and others without a seat are ignored. */
export type Votes = ReadonlyMap<string, Position>

export interface Counted {
  readonly outcome: Outcome
  readonly counts: Readonly<Record<'for' | 'against' | 'abstain' | 'recused' | 'absent', number>>
  readonly attendance: { readonly present: number; readonly needed: number }
  /** The winning side. A motion that does not pass is rejected, also for lack of a quorum. */
  readonly majority: readonly string[]
  readonly dissent: readonly string[]
  readonly abstained: readonly string[]
  readonly recused: readonly string[]
  readonly absent: readonly string[]
}

export function tally(electorate: Electorate, votes: Votes): Counted {
  const seats = electorate.seats.map(({ did }) => did).sort()
  const seatsWith = (...positions_counted: (Position | undefined)[]) =>
    seats.filter((did) => positions_counted.includes(votes.get(did)))
  const [agreeing, objecting, recused, absent] = [
    seatsWith('for'),
    seatsWith('against'),
    seatsWith('recuse'),
    seatsWith(undefined),
  ]
  // Attended without voting counts as abstained.
  const abstained = seatsWith('abstain', 'present')
  const attendance = {
    present: agreeing.length + objecting.length + abstained.length,
    needed: neededOf(electorate, recused.length),
  }
  const away = new Set([...recused, ...absent])
  const has_quorum =
    attendance.present >= attendance.needed &&
    electorate.seats.every(({ did, required }) => !required || !away.has(did))
  const agreed = isAgreed(electorate, agreeing.length, objecting.length)
  const outcome = has_quorum ? (agreed ? 'PASSED' : 'FAILED') : 'NO_QUORUM'
  const [majority, dissent] = outcome === 'PASSED' ? [agreeing, objecting] : [objecting, agreeing]
  const counts = {
    for: agreeing.length,
    against: objecting.length,
    abstain: abstained.length,
    recused: recused.length,
    absent: absent.length,
  }
  return { outcome, counts, attendance, majority, dissent, abstained, recused, absent }
}

/** Recusals lower the base of attendance, but never below the minimum of delegates. */
function neededOf({ seats, quorum, min_delegates, charter_level }: Electorate, recused: number): number {
  const base = Math.max(seats.length - recused, min_delegates)
  const of_all = charter_level ? majorityOf(seats.length) : 1
  return Math.max(leastOf(quorum.attendance, base), min_delegates, of_all)
}

function isAgreed(
  { seats, quorum, charter_level }: Electorate,
  agreeing: number,
  objecting: number,
): boolean {
  if (agreeing === 0 || !meets(quorum.threshold, agreeing, agreeing + objecting)) return false
  return !charter_level || agreeing >= majorityOf(seats.length)
}

function majorityOf(seats: number): number {
  return Math.floor(seats / 2) + 1
}

/** Who only appeared has not voted yet. */
export function isFinal(position: Position | undefined): boolean {
  return position !== undefined && position !== 'present'
}

/** The outcome that no missing vote can change; undefined while one can. */
export function settledOutcome(electorate: Electorate, votes: Votes): Outcome | undefined {
  const open = electorate.seats.map(({ did }) => did).filter((did) => !isFinal(votes.get(did)))
  const outcomeIf = (choice: (did: string) => Position | undefined) => {
    const then = new Map(votes)
    for (const did of open) {
      const position = choice(did)
      if (position) then.set(did, position)
    }
    return tally(electorate, then).outcome
  }
  // The best case for attendance and agreement: all others agree.
  const best = outcomeIf(() => 'for')
  if (open.length === 0 || best === 'NO_QUORUM') return best
  // The worst case for attendance: the absent stay away and those present recuse themselves.
  const fewest = outcomeIf((did) => (votes.has(did) ? 'recuse' : undefined))
  if (fewest === 'NO_QUORUM') return undefined
  return best === outcomeIf(() => 'against') ? best : undefined
}
