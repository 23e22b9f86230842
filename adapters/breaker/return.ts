// How an endpoint is brought back after its circuit closed: few calls at once first, one more with each that succeeds.
const calls_first = 4
const calls_max = 1_024
/** Nobody had to be turned away for so long: then the bound binds no more. */
const unbound_ms = 60_000

/** One who is turned away comes back after so long, and up to so much later, so that not all come at once. */
const wait_ms_first = 200
const wait_ms_more = 1_000

export interface GentleReturn {
  calls_at_once: number
  turned_away_at_ms: number
  /** In this turn of the event loop: calls under way when it began, and let through since. They are counted as under way only later. */
  in_turn: boolean
  before_turn: number
  let_through: number
}

export function beginReturn(now_ms: number): GentleReturn {
  const turn = { in_turn: false, before_turn: 0, let_through: 0 }
  return { calls_at_once: calls_first, turned_away_at_ms: now_ms, ...turn }
}

export function isReturned({ calls_at_once, turned_away_at_ms }: GentleReturn, now_ms: number): boolean {
  return calls_at_once >= calls_max || now_ms - turned_away_at_ms >= unbound_ms
}

export function letThrough(back: GentleReturn, in_flight: number, now_ms: number): boolean {
  if (!back.in_turn) beginTurn(back, in_flight)
  // Calls that were let through together reach the endpoint together: the larger of both counts is the true one.
  if (Math.max(in_flight, back.before_turn + back.let_through) >= back.calls_at_once) {
    back.turned_away_at_ms = now_ms
    return false
  }
  back.let_through++
  return true
}

/** Each success makes room for one more, which doubles the room with each round; a failure halves it. */
export function learnFrom(back: GentleReturn, failed: boolean): void {
  if (back.in_turn) back.let_through--
  back.calls_at_once = failed
    ? Math.max(calls_first, Math.floor(back.calls_at_once / 2))
    : back.calls_at_once + 1
}

export function waitToReturn(chance: number): number {
  return Math.ceil(wait_ms_first + wait_ms_more * chance)
}

function beginTurn(back: GentleReturn, in_flight: number): void {
  Object.assign(back, { in_turn: true, before_turn: in_flight, let_through: 0 })
  setImmediate(() => {
    back.in_turn = false
  })
}
