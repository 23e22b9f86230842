// Runs one writer until its port tells it to stop.
import { randomUUID } from 'node:crypto'
import type { MessagePort } from 'node:worker_threads'
import { ChainWriter } from './chain-writer.ts'
import type { Projection } from './commit.ts'
import type { FromWriter, ToWriter, WriterConfig } from './writer-messages.ts'

export async function runWriter(config: WriterConfig, port: MessagePort): Promise<void> {
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
}
