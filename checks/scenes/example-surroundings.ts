// What operators set up for the few examples that need more than calls: `example_needs` says so to readers.
import { keepRegistration } from '@svc/adapters/external/registrations'
import { openArsenalNode } from '@svc/nodes/arsenal-node'
import type { InProcessService } from '../engines/in-process.ts'
import { startTestService } from '../neighbours/test-service.ts'
import { toolOf } from '../neighbours/test-tool.ts'

/** The service outside runs on this machine. */
export const allowed_networks = ['127.0.0.0/8']

export interface ExampleSurroundings {
  /** Registers this agent as the service of OCR, and waits until the engine serves it. */
  admit(agent_did: string, pause: () => Promise<void>): Promise<void>
  close(): Promise<void>
}

export async function openSurroundings({
  service,
  config,
  api_url,
}: InProcessService): Promise<ExampleSurroundings> {
  const { engine } = service.store
  // An engine trusts the tools that it published itself.
  const tool = toolOf(config.agent_key!)
  await openArsenalNode(engine).operations.publish!.handle(tool as never, {} as never)
  const outside = await startTestService({ pages: 3, text: 'Invoice 118: 40 hours, 100 USD.' })
  const registration = {
    name: 'OCR',
    version: 'v1.0.0',
    endpoint: outside.url,
    timeout_ms: 10_000,
    operations: ['read_pages'],
    answers: 'unsigned',
    weight: 1,
  } as const
  return {
    async admit(agent_did, pause) {
      await keepRegistration(engine, { ...registration, did: agent_did })
      while (!(await fetch(`${api_url}/v1/protocols/OCR`)).ok) await pause()
    },
    close: () => outside.close(),
  }
}
