// svc-engine console: the web console in front of an engine or a gateway. It has no key, no database and no state.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import type { Log } from '@svc/engine/ports'
import { readConsoleFiles } from '@svc/gateway/console/console-files'
import { createConsoleServer } from '@svc/gateway/console/console-server'
import { openAdmission } from '@svc/gateway/dispatch/admission-control'
import { no_audit_log } from '@svc/gateway/relay/relay'
import { openUpstream } from '@svc/gateway/relay/relay-upstream'
import { openLog } from './assembly/log.ts'
import { openSums } from './background/summing.ts'
import { type ConsoleSource, checkoutConsole } from './checkout-console.ts'
import { ConfigError } from './settings/config-error.ts'
import { type ConsoleSettings, readConsoleSettings } from './settings/console-settings.ts'
import type { Environment } from './settings/reader.ts'
import { stopOnSignals } from './workers/signals.ts'

const admission_limits = { calls_max: 512, body_bytes_max: 64 * 1024 * 1024 }
/** Streams send a message every few seconds. */
const silence_ms_max = 120_000
/** Longer than the engine may be silent. */
const idle_ms_max = silence_ms_max + 30_000
const built = join(import.meta.dirname, '../clients/console/dist')
/** Only a checkout has it. */
const script = join(import.meta.dirname, '../setup.mjs')

export interface RunningConsole {
  readonly port: number
  stop(): Promise<void>
}

export async function runConsole(env: Environment): Promise<void> {
  const settings = readConsoleSettings(env)
  const running = await startConsole(settings, openLog(settings.log_level))
  process.on('SIGHUP', () => settings.tls.renew())
  stopOnSignals(() => running.stop())
  console.log(
    JSON.stringify({ listening: `${settings.host}:${running.port}`, engine: settings.api_url.href }),
  )
}

type ConsoleSetup = Pick<ConsoleSettings, 'host' | 'port' | 'api_url' | 'tls' | 'path_prefix'>

export async function startConsole(setup: ConsoleSetup, log: Log): Promise<RunningConsole> {
  const source = existsSync(script)
    ? checkoutConsole({ script, built, clock: system_clock, log })
    : packedConsole()
  const { tls } = setup
  const closing: (() => Promise<unknown>)[] = []
  tls.follow(log, closing)
  const upstream = openUpstream({ url: setup.api_url, tls: tls.client, silence_ms_max })
  const record = (entry: AuditEntry) => log.warn({ audit: entry }, 'refused at the console')
  const server = createConsoleServer({
    files: source.files,
    upstream,
    path_prefix: setup.path_prefix,
    tls: tls.listener,
    idle_ms_max,
    admission: openAdmission(admission_limits, system_clock, 'gateway'),
    engine: { draining: false },
    audit_log: no_audit_log,
    sums: openSums({ ...no_audit_log, record }, log, closing),
    clock: system_clock,
    log,
    own: { tenant_id: 'console', did: 'console' },
  })
  const port = await server.listen(setup.host, setup.port).catch((error) => {
    upstream.close()
    throw cannotListen(error, setup)
  })
  const stop = async () => {
    await server.close()
    await source.stop()
    for (const close of closing) await close()
    upstream.close()
  }
  return { port, stop }
}

function packedConsole(): ConsoleSource {
  const files = readConsoleFiles(built)
  if (!files) throw new ConfigError('This package of svc-engine lacks its console; install it again.')
  return { files: () => files, stop: async () => {} }
}

function cannotListen(error: NodeJS.ErrnoException, { host, port }: ConsoleSetup): Error {
  return error.code === 'EADDRINUSE'
    ? new ConfigError(
        `Port ${port} of ${host}, meant for the console, is taken; stop what uses it, or choose another (--port of up, APP_BIND_ADDR of console).`,
      )
    : error
}
