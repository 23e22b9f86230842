// Runs targets in a thread, and goes on with the rest in a new one when an input hangs or fills the heap.
import { Worker } from 'node:worker_threads'
import type { Exploration } from './explore.ts'
import type { Order } from './fuzz-thread.ts'
import { input_chars_max } from './mutate.ts'

const heap_mb_max = 512

export interface Result extends Exploration {
  readonly name: string
  readonly ms: number
}

export interface Limits extends Omit<Order, 'current'> {
  /** An input that takes longer hangs: it does not reach a counter either. */
  readonly hang_ms_max: number
}

export async function runTargets(
  order: Limits,
  report: (result: Result) => void = () => undefined,
): Promise<Result[]> {
  const results: Result[] = []
  for (let names = order.names; names.length > 0; names = order.names.slice(results.length)) {
    await runThread({ ...order, names }, (result) => {
      results.push(result)
      report(result)
    })
  }
  return results
}

/** Ends with a result for every target, or with a failure of the first that ended the thread. */
async function runThread(order: Limits, take: (result: Result) => void): Promise<void> {
  const current = new SharedArrayBuffer(8 + 2 * 16 * input_chars_max)
  const [head, units] = [new Int32Array(current, 0, 2), new Uint16Array(current, 8)]
  const thread = new Worker(new URL('./fuzz-thread.ts', import.meta.url), {
    workerData: { ...order, current },
    resourceLimits: { maxOldGenerationSizeMb: heap_mb_max },
  })
  let [done, inputs_before, last_input, since_ms] = [0, 0, -1, performance.now()]
  const watch = setInterval(() => {
    if (head[0] !== last_input) [last_input, since_ms] = [head[0]!, performance.now()]
    else if (last_input > 0 && performance.now() - since_ms > order.hang_ms_max) end('hangs')
  }, order.hang_ms_max / 10)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  function end(message: string): void {
    const input = String.fromCharCode(...units.subarray(0, head[1]))
    const failures = [{ input, message }]
    const none = {
      inputs: head[0]! - inputs_before,
      blocks: 0,
      blocks_entered: 0,
      steps_max: 0,
      corpus: [],
      ms: 0,
    }
    if (done < order.names.length) take({ name: order.names[done]!, ...none, failures })
    done = order.names.length
    resolve()
  }
  thread.on('message', (result: Result) => {
    since_ms = performance.now()
    inputs_before = head[0]!
    done++
    take(result)
  })
  thread.on('error', (error: NodeJS.ErrnoException) => end(`ended the thread: ${error.code ?? error.stack}`))
  thread.on('exit', () => end('ended the thread'))
  await ended
  clearInterval(watch)
  await thread.terminate()
}
