// One thread for the audit writers of all engines of a test process: starting one took a third of the CPU time of an
// engine. It keeps no process alive; a test of the thread itself starts its own.
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { StartWriter } from '../../audit/writer/writer-link.ts'
import type { WriterConfig } from '../../audit/writer/writer-messages.ts'

/** What the thread is sent for each writer. */
export interface NewWriter {
  readonly config: WriterConfig
  readonly port: MessagePort
}

let thread: Worker | undefined

export const startSharedWriter: StartWriter = (config) => {
  thread ??= startThread()
  const host = thread
  const { port1, port2 } = new MessageChannel()
  host.postMessage({ config, port: port2 } satisfies NewWriter, [port2])
  return {
    postMessage: (message) => port1.postMessage(message),
    // Ends the other writers too, whose engines restart them.
    terminate: () => host.terminate(),
    on(event: 'message' | 'error' | 'exit', listener: (value: never) => void) {
      const heard = listener as (value: unknown) => void
      if (event === 'message') return port1.on('message', heard)
      if (event === 'exit') return port1.on('close', heard)
      host.on('error', heard)
      return port1.once('close', () => host.off('error', heard))
    },
  }
}

function startThread(): Worker {
  const started = new Worker(new URL('./writers-thread.ts', import.meta.url))
  started.setMaxListeners(0)
  started.unref()
  started.once('exit', () => {
    thread = undefined
  })
  return started
}
