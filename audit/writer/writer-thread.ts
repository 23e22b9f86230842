// Entry of the writer thread.
import { parentPort, workerData } from 'node:worker_threads'
import { runWriter } from './run-writer.ts'

if (!parentPort) throw new Error('writer-thread.ts runs as a worker thread of the audit log')
await runWriter(workerData, parentPort)
