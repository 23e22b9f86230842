// Production: every setting comes from the environment, nothing is invented, and there is no development identity here.
import cluster from 'node:cluster'
import { assemble } from './assemble.ts'
import { type Environment, readServeConfig } from './config.ts'
import { sweepLeftBehind } from './left-behind.ts'
import { openLog } from './log.ts'
import { asNamed, linger_ms_max } from './production.ts'
import { stopOnSignals } from './signals.ts'

/** Without `workers` this process is the engine; with them it is their parent, or one of them. */
export async function serve(env: Environment, workers?: string): Promise<void> {
  if (cluster.isWorker) return (await import('./worker.ts')).serveAsWorker(env)
  if (workers === undefined) return serveAlone(env)
  const { superviseWorkers, workerCount } = await import('./workers.ts')
  await superviseWorkers(env, workerCount(workers))
}

async function serveAlone(env: Environment): Promise<void> {
  const config = readServeConfig(env)
  const service = await assemble(config, { identity: asNamed, check_outputs: false, linger_ms_max })
  const sweeping = sweepLeftBehind(config, openLog(config.log_level))
  stopOnSignals(async () => {
    await service.stop()
    await sweeping.stop()
  })
  console.log(
    JSON.stringify({
      listening: `${config.host}:${service.port}`,
      metrics: `${config.host}:${service.metrics_port}`,
      mcp: service.mcp_url ?? null,
    }),
  )
}
