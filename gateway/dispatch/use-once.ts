// Ids of signed requests that this process has seen, so that none is used twice.
import { refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'

const remembered_max = 500_000

/** False where this id was seen. A generation lasts longer than what carries the ids, so that a forgotten one has expired. */
export function usedIds(generation_ms: number, clock: Clock): (id: string) => boolean {
  let young = new Set<string>()
  let old = new Set<string>()
  let since_ms = clock.monotonic_ms()
  return (id) => {
    const now_ms = clock.monotonic_ms()
    if (now_ms - since_ms >= generation_ms) {
      old = young
      young = new Set()
      since_ms = now_ms
    }
    if (young.has(id) || old.has(id)) return false
    // Forgetting early would allow a replay, so past the limit calls are refused for a moment.
    if (young.size + old.size >= remembered_max) throw tooMany()
    young.add(id)
    return true
  }
}

function tooMany() {
  return refuse('rate_limited', 'More signed requests came than can be told apart; try again shortly.', {
    reason: 'too many signed requests',
    retry_after_ms: 5000,
  })
}
