// A production engine that is one process.
import { assemble } from '../assembly/assemble.ts'
import { openLog } from '../assembly/log.ts'
import { readServeConfig } from '../settings/config.ts'
import type { Environment } from '../settings/reader.ts'
import { adoptingIn, sweepOrphaned } from './orphaned-journals.ts'
import { asNamed, drain_ms_max } from './production.ts'
import { stopOnSignals } from './signals.ts'

export async function serveAlone(env: Environment): Promise<void> {
  const config = readServeConfig(env)
  const service = await assemble(config, { identity: asNamed, check_outputs: false, drain_ms_max })
  const sweeping = sweepOrphaned(config, adoptingIn(service), openLog(config.log_level))
  process.on('SIGHUP', () => config.tls.renew())
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
