// Entry of the thread that runs the audit writers of a test process.
import { parentPort } from 'node:worker_threads'
import { runWriter } from '../../audit/writer/run-writer.ts'
import type { NewWriter } from './shared-writer.ts'

parentPort!.on('message', ({ config, port }: NewWriter) => {
  // Rejected, it ends the thread, as it would end a writer's own.
  void runWriter(config, port)
})
