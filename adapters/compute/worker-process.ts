// Inside the worker: runs one job at a time, with the module it names. Modules stay loaded.

import type { ComputationHost } from '@svc/contract/needs/computation'
import { system_clock } from '../clock/system.ts'
import type { FromWorker, Job } from './worker-pool.ts'

interface JobModule {
  compute(input: unknown, host: ComputationHost): unknown
}

/** The worker was started for it, so it also waits until the worker can read it: from the start of the process, where this clock is 0. */
let is_first = true

process.on('message', async ({ module, input, waited_ms }: Job) => {
  const begun_ms = (is_first ? 0 : system_clock.monotonic_ms()) - waited_ms
  is_first = false
  try {
    const { compute }: JobModule = await import(module)
    answer({ output: await compute(input, { elapsed_ms: () => system_clock.monotonic_ms() - begun_ms }) })
  } catch (error) {
    answer({ error: error as Error })
  }
})
process.on('disconnect', () => process.exit())

function answer(message: FromWorker): void {
  process.send!(message)
}
