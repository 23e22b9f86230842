// Inside the worker: runs one job at a time, with the module it names. Modules stay loaded.

import type { ComputationHost } from '@svc/contract/needs/computation'
import { system_clock } from '../clock/system.ts'
import type { FromWorker, Job } from './worker-pool.ts'

interface JobModule {
  compute(input: unknown, host: ComputationHost): unknown
}

process.on('message', async ({ module, input, waited_ms }: Job) => {
  const begun_ms = system_clock.monotonic_ms() - waited_ms
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
