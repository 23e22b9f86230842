// Open-loop load: calls arrive at a fixed rate, whether or not earlier ones were answered.
import { Agent } from 'node:http'
import type { Addresses } from '../../engines/running-engine.ts'
import { pace, stopwatch } from '../../suite/real-time.ts'
import { type Answered, ask, type Sort } from './callers.ts'

const tick_ms = 5
/** Above what any of these tests has in progress: past it the machine is the limit, not the engine. */
const under_way_max = 5_000

export interface Load {
  readonly per_s: number
  readonly for_ms: number
  /** Sent as well, before counting begins. */
  readonly ramp_ms?: number
}

export interface Sent {
  readonly answered: readonly Answered[]
  readonly unanswered: number
  /** Successes per second while the load ran. */
  readonly good_per_s: number
  readonly offered_per_s: number
}

export async function sendOpenLoop(
  engine: Addresses,
  sort: Sort,
  { per_s, for_ms, ramp_ms = 0 }: Load,
): Promise<Sent> {
  const agent = new Agent({ keepAlive: true, maxSockets: under_way_max })
  const answered: Answered[] = []
  const calls: Promise<unknown>[] = []
  let unanswered = 0
  let good = 0
  let under_way = 0
  const end_ms = ramp_ms + for_ms
  const passed_ms = stopwatch()
  const send = async () => {
    under_way++
    try {
      const answer = await ask(engine, sort, agent)
      answered.push(answer)
      if (answer.status === 200 && passed_ms() >= ramp_ms && passed_ms() <= end_ms) good++
    } catch {
      unanswered++
    } finally {
      under_way--
    }
  }
  while (passed_ms() < end_ms) {
    const due = Math.floor((passed_ms() * per_s) / 1000)
    while (calls.length < due && under_way < under_way_max) calls.push(send())
    await pace(tick_ms)
  }
  const offered_per_s = (calls.length * 1000) / end_ms
  await Promise.all(calls)
  agent.destroy()
  return { answered, unanswered, good_per_s: (good * 1000) / for_ms, offered_per_s }
}
