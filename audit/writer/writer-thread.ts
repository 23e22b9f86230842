// Entry of the writer thread.
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { ChainWriter } from './chain-writer.ts'
import type { Projection } from './commit.ts'
import type { FromWriter, ToWriter, WriterConfig } from './writer-messages.ts'

const port = parentPort
if (!port) throw new Error('writer-thread.ts runs as a worker thread of the audit log')
const config = workerData as WriterConfig
const loaded = await Promise.all(
  config.projection_modules.map(async (address) => {
    return ((await import(address)) as { projections: readonly Projection[] }).projections
  }),
)
const clock = { monotonic_ms: () => performance.now(), newId: () => randomUUID() }
const post = (message: FromWriter) => port.postMessage(message)
const writer = new ChainWriter(config, loaded.flat(), clock, post)
port.on('message', (message: ToWriter) => {
  writer.hear(message)
})
await writer.run()
port.close()
