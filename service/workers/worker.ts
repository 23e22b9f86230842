// One process of `svc-engine serve --workers N`: a whole engine that shares the port and follows its parent.
import type { Log } from '@svc/engine/ports'
import type { TraceSettings } from '@svc/gateway/operational'
import { assemble, type Service } from '../assembly/assemble.ts'
import { openLog } from '../assembly/log.ts'
import { type Config, readServeConfig } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import type { Environment } from '../settings/reader.ts'
import { adoptingIn, takeUp } from './orphaned-journals.ts'
import { asNamed, drain_ms_max } from './production.ts'
import type { FromWorker, ToWorker } from './worker-messages.ts'

/** Exit code if the journal still has uncommitted records; zero means it is empty. */
const unfinished_code = 3

export async function serveAsWorker(env: Environment): Promise<void> {
  ignoreSignals()
  try {
    const begin = await firstWord()
    const config = settingsOf(readServeConfig(env), begin)
    const onTraceChange = (settings: TraceSettings) => say({ kind: 'traced', settings })
    const choices = {
      identity: asNamed,
      check_outputs: false,
      drain_ms_max,
      has_parent: true,
      onTraceChange,
    }
    const service = await assemble(config, choices)
    const log = openLog(config.log_level)
    process.on('message', (message: ToWorker) => obey(message, service, config, log))
    say({ kind: 'ready', port: service.port, mcp_url: service.mcp_url ?? null })
  } catch (error) {
    const { message, stack } = error as Error
    process.send?.(
      { kind: 'failed', sentence: error instanceof ConfigError ? message : (stack ?? message) },
      () => process.exit(1),
    )
  }
}

function firstWord(): Promise<ToWorker & { kind: 'begin' }> {
  return new Promise((resolve) => process.once('message', resolve))
}

/** The workers share the disk, so each gets its part of the limit. */
function settingsOf(config: Config, { folder, workers }: ToWorker & { kind: 'begin' }): Config {
  return {
    ...config,
    audit_dir: folder,
    audit_bytes_max: Math.floor(config.audit_bytes_max / workers),
  }
}

/** A terminal or service manager signals all processes; only the parent decides what follows. */
function ignoreSignals(): void {
  const tell = () => say({ kind: 'asked_to_stop' })
  process.on('SIGTERM', tell)
  process.on('SIGINT', tell)
  process.on('SIGHUP', () => {})
}

function say(message: FromWorker): void {
  process.send?.(message, () => {})
}

function obey(message: ToWorker, service: Service, config: Config, log: Log): void {
  const act = async () => {
    switch (message.kind) {
      case 'host_mcp':
        await service.hostMcp()
        return say({ kind: 'hosting' })
      case 'measure':
        return say({ kind: 'measured', metrics: await service.measure() })
      case 'trace':
        return service.trace.set(message.settings, true)
      case 'adopt':
        await takeUp(config, adoptingIn(service), message.folders, log)
        return say({ kind: 'adopted' })
      case 'retire':
        return leave(service, () => service.retire())
      case 'stop':
        return leave(service, () => service.stop())
    }
  }
  act().catch((error) =>
    log.error({ err: error, asked: message.kind }, 'a worker could not carry out a request of its parent'),
  )
}

async function leave(service: Service, how: () => Promise<void>): Promise<void> {
  await how()
  // Its final metrics, so that the sums over all workers do not drop.
  const metrics = await service.measure()
  const code = service.audit_log.pending_bytes() > 0 ? unfinished_code : 0
  process.send?.({ kind: 'measured', metrics } satisfies FromWorker, () => process.exit(code))
}
