// Chains of durable steps in DBOS, in a process of its own: `dbos-workflows.ts <package> <database>`, told how many runs to do.
import { createRequire } from 'node:module'

/** What is used of `@dbos-inc/dbos-sdk`, which is installed only for this bench. */
interface Dbos {
  setConfig(config: {
    name: string
    systemDatabaseUrl: string
    logLevel: string
    runAdminServer: boolean
  }): void
  registerWorkflow(chain: (steps: number) => Promise<void>, config: { name: string }): Chain
  startWorkflow(chain: Chain): (steps: number) => Promise<{ getResult(): Promise<void> }>
  runStep(step: () => Promise<unknown>, config: { name: string }): Promise<unknown>
  launch(): Promise<void>
  shutdown(): Promise<void>
}

type Chain = (steps: number) => Promise<void>

export interface Order {
  readonly runs: number
  readonly steps_each: number
}

const [folder = '', systemDatabaseUrl = ''] = process.argv.slice(2)
const { DBOS } = createRequire(`${folder}/`)('@dbos-inc/dbos-sdk') as { DBOS: Dbos }

const chain = DBOS.registerWorkflow(
  async (steps) => {
    for (let at = 0; at < steps; at++)
      await DBOS.runStep(async () => ({ name: `s${at}` }), { name: `s${at}` })
  },
  { name: 'chain' },
)
DBOS.setConfig({ name: 'bench', systemDatabaseUrl, logLevel: 'error', runAdminServer: false })
await DBOS.launch()

process.on('message', async ({ runs, steps_each }: Order) => {
  const begun = performance.now()
  const started = Array.from({ length: runs }, () => DBOS.startWorkflow(chain)(steps_each))
  await Promise.all(started.map(async (handle) => (await handle).getResult()))
  process.send!({ ms: performance.now() - begun })
})
process.on('disconnect', () => void DBOS.shutdown().then(() => process.exit(0)))
process.send!({ ms: 0 })
