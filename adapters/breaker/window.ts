// Recent results of an endpoint's calls: a window that slides by seconds, in constant memory.
const slot_ms = 1_000
const slots = 30

export interface SlidingWindow {
  calls: number
  failures: number
  /** The current second; what is `slots` seconds older has left the window. */
  newest: number
  readonly calls_by_slot: Uint32Array
  readonly failures_by_slot: Uint32Array
}

export function newWindow(now_ms: number): SlidingWindow {
  const newest = Math.floor(now_ms / slot_ms)
  const [calls_by_slot, failures_by_slot] = [new Uint32Array(slots), new Uint32Array(slots)]
  return { calls: 0, failures: 0, newest, calls_by_slot, failures_by_slot }
}

export function countIn(window: SlidingWindow, failed: boolean, now_ms: number): void {
  slide(window, now_ms)
  const place = window.newest % slots
  window.calls++
  window.calls_by_slot[place]!++
  if (!failed) return
  window.failures++
  window.failures_by_slot[place]!++
}

/** If the clock went back, the newest second counts; if it leapt, the window is empty. */
export function slide(window: SlidingWindow, now_ms: number): void {
  const slot = Math.floor(now_ms / slot_ms)
  const passed = Math.min(slots, slot - window.newest)
  for (let i = 1; i <= passed; i++) empty(window, (window.newest + i) % slots)
  if (passed > 0) window.newest = slot
}

export function clearWindow(window: SlidingWindow): void {
  window.calls = 0
  window.failures = 0
  window.calls_by_slot.fill(0)
  window.failures_by_slot.fill(0)
}

function empty(window: SlidingWindow, place: number): void {
  window.calls -= window.calls_by_slot[place]!
  window.failures -= window.failures_by_slot[place]!
  window.calls_by_slot[place] = 0
  window.failures_by_slot[place] = 0
}
