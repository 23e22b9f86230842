// Production: every setting comes from the environment; there are no generated keys and no development identity.
import cluster from 'node:cluster'
import type { Environment } from './settings/reader.ts'

/** Without `workers` this process is the engine; with them it is a worker, or their parent, which loads no engine. */
export async function serve(env: Environment, workers?: string): Promise<void> {
  if (cluster.isWorker) return (await import('./workers/worker.ts')).serveAsWorker(env)
  if (workers === undefined) return (await import('./workers/serve-alone.ts')).serveAlone(env)
  const { superviseWorkers, workerCount } = await import('./workers/workers.ts')
  await superviseWorkers(env, workerCount(workers))
}
