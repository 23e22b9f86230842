// Restarts the embedded PostgreSQL on the same port if it dies under a running engine.
import { startEmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { inspectProcess } from '@svc/adapters/store/os-process'
import type { Log } from '@svc/engine/ports'

const look_every_ms = 1_000

export interface Supervised {
  readonly url: string
  stop(): Promise<void>
}

export async function supervisePostgres(data_dir: string, log: Log): Promise<Supervised> {
  let postgres = await startEmbeddedPostgres({ data_dir, log })
  const { url } = postgres
  let looking: Promise<void> | undefined
  const look = async () => {
    if (await inspectProcess(postgres.pid)) return
    log.warn({}, 'the embedded PostgreSQL has stopped; starting it again')
    postgres = await startEmbeddedPostgres({ data_dir, log })
    // Connections use the first address; if another program took that port, a restart is needed.
    if (postgres.url !== url)
      log.error({}, 'the embedded PostgreSQL came back on another port; restart the engine')
  }
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) =>
        log.error({ err: error }, 'the embedded PostgreSQL could not be started; trying again'),
      )
      .finally(() => {
        looking = undefined
      })
  }, look_every_ms)
  return {
    url,
    async stop() {
      clearInterval(timer)
      await looking
      await postgres.stop()
    },
  }
}
