// Recovery of an endpoint after its circuit closed: few concurrent calls first, one more with each success.
const calls_first = 4
const calls_max = 1_024
/** If nobody was refused for this long, the limit no longer applies. */
const unbound_ms = 60_000

/** A refused caller retries after this long, plus up to this spread, so that not all come at once. */
const wait_ms_first = 200
const wait_ms_more = 1_000

export interface GentleReturn {
  calls_at_once: number
  turned_away_at_ms: number
  /**
   * In this turn of the event loop: calls in flight when it began, and admitted since. They are counted as in flight
   * only later.
   */
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
  // Calls admitted together reach the endpoint together, so the larger of both counts is right.
  if (Math.max(in_flight, back.before_turn + back.let_through) >= back.calls_at_once) {
    back.turned_away_at_ms = now_ms
    return false
  }
  back.let_through++
  return true
}

/** Each success allows one more, which doubles the limit with each round; a failure halves it. */
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
