// A loaded plugin: its code, its processes, and the endpoint by which the engine invokes it.
import { setTimeout as sleep } from 'node:timers/promises'
import { parseDid } from '@svc/contract/identity/did'
import type { Declaration } from '@svc/contract/protocol'
import type { Clock, Log } from '@svc/engine/ports'
import type { Endpoint } from '@svc/engine/routing/routing'
import { wasmEndpoint } from '../endpoint/wasm.ts'
import { integrationsOf, keyOf, namesOf } from './looks.ts'
import type { PluginPackage } from './plugin-folder.ts'
import { PluginPool } from './plugin-pool.ts'
import { sandbox_limits } from './plugin-process.ts'
import type { WasiGrant } from './sandbox/words.ts'
import { translate } from './translate.ts'

export interface LoadedPlugin {
  readonly key: string
  readonly digest: string
  readonly declaration: Declaration
  readonly endpoint: Endpoint
  isHealthy(): Promise<boolean>
  /** Ends when the calls on their way to it are answered. */
  retire(): Promise<void>
  close(): Promise<void>
}

export interface LoadParts {
  readonly processes_max: number
  readonly abi_level: string
  readonly clock: Clock
  readonly log: Log
  config(): Readonly<Record<string, unknown>>
  onBroken(reason: string): void
}

/** For a moment a call may be routed but not yet invoked. */
const retire_ms_min = 5_000
const retire_ms_max = 15 * 60_000
const retire_step_ms = 250

export async function loadPlugin(
  plugin: PluginPackage,
  declaration: Declaration,
  parts: LoadParts,
): Promise<LoadedPlugin> {
  const { clock, log, processes_max, onBroken } = parts
  const { operations } = plugin.manifest.plugin
  const key = keyOf(namesOf(plugin.manifest))
  const code = await translate(plugin.component, sandbox_limits.memory_bytes_max, clock)
  const pool = new PluginPool({
    plugin: key,
    code,
    wasi: wasiOf(plugin),
    operations: operations.operations,
    processes_max,
    clock,
    log,
    onBroken,
  })
  let is_closed = false
  const close = async () => {
    if (is_closed) return
    is_closed = true
    pool.close()
    await code.close()
  }
  await pool.warm().catch(async (error) => {
    await close()
    throw error
  })
  const endpoint = wasmEndpoint({
    id: key,
    owner_tenant_id: ownerOf(plugin),
    calls: pool,
    capabilities: integrationsOf(plugin, 'capability'),
    config: parts.config,
    abi_level: parts.abi_level,
    deadline_ms: (operation) => declaration.operations[operation]!.deadline_ms!,
    log: (level, message, correlation_id) =>
      log[level === 'warn' || level === 'error' ? level : 'info']({ plugin: key, correlation_id }, message),
  })
  const retire = async () => {
    for (let waited_ms = 0; waited_ms < retire_ms_max && !is_closed; waited_ms += retire_step_ms) {
      if (waited_ms >= retire_ms_min && endpoint.in_flight === 0) break
      await sleep(retire_step_ms, undefined, { ref: false })
    }
    await close()
  }
  return {
    key,
    digest: plugin.digest,
    declaration,
    endpoint,
    isHealthy: () => pool.isHealthy(),
    retire,
    close,
  }
}

/** By a signature that was judged; what an unsigned manifest says of its author could be anybody. */
function ownerOf({ manifest }: PluginPackage): string | undefined {
  const { signature } = manifest.plugin
  return signature && parseDid(signature.signed_by)?.namespace
}

function wasiOf(plugin: PluginPackage): WasiGrant[] {
  return integrationsOf(plugin, 'wasi').filter((each) => each === 'clocks' || each === 'random')
}
