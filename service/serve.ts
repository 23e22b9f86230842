// Production: every setting comes from the environment, nothing is invented, and there is no development identity here.
import { assemble } from './assemble.ts'
import { type Environment, readServeConfig } from './config.ts'
import { stopOnSignals } from './signals.ts'

export async function serve(env: Environment): Promise<void> {
  const config = readServeConfig(env)
  const service = await assemble(config, { identity: (oas) => oas, check_outputs: false })
  stopOnSignals(() => service.stop())
  console.log(
    JSON.stringify({
      listening: `${config.host}:${service.port}`,
      metrics: `${config.host}:${service.metrics_port}`,
      mcp: service.mcp_url ?? null,
    }),
  )
}
