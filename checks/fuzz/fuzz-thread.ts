// The thread in which parsers run: it can be ended when one hangs, and its heap is limited.
import { parentPort, workerData } from 'node:worker_threads'
import { readCorpus } from './corpus.ts'
import { explore } from './explore.ts'
import { instrumentModules } from './instrument.ts'
import { seededRandom } from './random.ts'
import type { Target } from './target.ts'

export interface Order {
  /** The module whose `targets` are run. */
  readonly table: string
  readonly names: readonly string[]
  readonly seed: number
  /** Each target ends after this many new inputs or this time, whichever comes first. */
  readonly inputs_max: number
  readonly ms_max: number
  readonly is_guided: boolean
  /** The current input, for the case that it never ends: its number, length and UTF-16 code units. */
  readonly current: SharedArrayBuffer
}

const order = workerData as Order
const [head, units] = [new Int32Array(order.current, 0, 2), new Uint16Array(order.current, 8)]

function publish(input: string): void {
  for (let at = 0; at < input.length; at++) units[at] = input.charCodeAt(at)
  head[1] = input.length
  Atomics.add(head, 0, 1)
}

const { targets } = (await import(order.table)) as { targets: Readonly<Record<string, Target>> }
const coverage = instrumentModules(order.names.flatMap((name) => targets[name]!.files))
for (const name of order.names) {
  const target = targets[name]!
  const parse = await target.load()
  const started_ms = performance.now()
  const exploration = await explore({
    target,
    parse,
    coverage,
    random: seededRandom(order.seed),
    corpus: Object.values(readCorpus(name)).flat(),
    is_guided: order.is_guided,
    begin: publish,
    mayContinue(inputs) {
      // The clock is read only now and then: it costs as much as a short input.
      return inputs < order.inputs_max && (inputs % 16 !== 0 || performance.now() - started_ms < order.ms_max)
    },
  })
  parentPort!.postMessage({ name, ...exploration, ms: performance.now() - started_ms })
}
