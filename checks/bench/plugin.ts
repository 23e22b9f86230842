// The sandbox's cost per call: the same dispatch to an operation in this process, a TypeScript plugin and a
// Rust plugin, in turn.
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { operation, protocol } from '@svc/contract/protocol'
import { Closed, Text } from '@svc/contract/schema'
import type { Engine } from '@svc/engine/dispatch'
import { readPluginSettings } from '../../service/settings/plugin-settings.ts'
import { reader } from '../../service/settings/reader.ts'
import { startInProcess } from '../engines/in-process.ts'
import { buildOnce, greeting } from '../plugins/plugin-scene.ts'

const rounds = 4_000
const warm_up = 500
const goal_ms = 0.5
const loaded_ms_max = 60_000
const rust = join(import.meta.dirname, '../../examples/plugins/units-rust')

/** The example's own work, in this process. */
const native = protocol({
  id: 'NATIVE',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-infrastructure',
  summary: 'Greets, in this process.',
  operations: {
    hello: operation({
      summary: 'Greet somebody.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ name: Text(100) }),
      output: Closed({ greeting: Text(200) }),
      example: { name: 'Ada' },
      handle: ({ name }) => ({ greeting: `Hello, ${name}!` }),
    }),
  },
})

type Called = readonly [protocol: string, operation: string, input: unknown]

export async function measurePlugins(): Promise<Record<string, unknown>> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-bench-plugins-'))
  const settings = readPluginSettings(reader({}, 'up'))
  await buildOnce(greeting, join(directory, 'greeting'))
  mkdirSync(join(directory, 'units'))
  for (const file of ['plugin.toml', 'operations.json'])
    cpSync(join(rust, file), join(directory, 'units', file))
  cpSync(join(import.meta.dirname, '../plugins/units-rust.wasm'), join(directory, 'units/plugin.wasm'))
  const service = await startInProcess({
    check_outputs: false,
    more_protocols: [native],
    config: { limits: 'off', plugins: { ...settings.plugins, directory, require_signatures: false } },
  })
  try {
    const calls = {
      native: ['NATIVE', 'hello', { name: 'Ada' }],
      typescript: ['GREET', 'hello', exampleOf(join(directory, 'greeting'), 'hello')],
      rust: ['UNITS', 'convert', exampleOf(join(directory, 'units'), 'convert')],
    } as const satisfies Record<string, Called>
    const { engine, registry, audit_log } = service.service
    await audit_log.ready(service.tenant_id)
    for (let waited_ms = 0; !registry.versions('GREET') || !registry.versions('UNITS'); waited_ms += 50) {
      if (waited_ms > loaded_ms_max) throw new Error('the plugins were not loaded')
      await sleep(50)
    }
    const caller = { did: service.agent_did, tenant_id: service.tenant_id }
    const p50_ms = await compare(engine, caller, calls)
    const added_ms = { typescript: p50_ms.typescript - p50_ms.native, rust: p50_ms.rust - p50_ms.native }
    for (const [language, more_ms] of Object.entries(added_ms))
      console.log(
        `plugin in ${language}: p50 ${p50_ms.native.toFixed(3)} ms in this process, ${more_ms.toFixed(3)} ms more in the sandbox (goal ${goal_ms})`,
      )
    return { goal_ms, p50_ms, added_ms }
  } finally {
    await service.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

function exampleOf(folder: string, name: string): unknown {
  return JSON.parse(readFileSync(join(folder, 'operations.json'), 'utf8'))[name].example
}

/** In alternation, so that all have the same conditions. */
async function compare<Name extends string>(
  engine: Engine,
  caller: { readonly did: string; readonly tenant_id: string },
  calls: Readonly<Record<Name, Called>>,
): Promise<Record<Name, number>> {
  const names = Object.keys(calls) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  for (let round = -warm_up; round < rounds; round++) {
    for (const name of names) {
      const [protocol, operation, input] = calls[name]
      const { did, tenant_id } = caller
      const begun = performance.now()
      const outcome = await engine.dispatch({
        request: { protocol, version: 'v1', operation, tenant_id, input },
        credential: { key_id: 'bench', did, tenant_id, tier: 'sovereign', capabilities: [] },
        origin: 'http',
      })
      if (outcome.kind !== 'success') throw new Error(`a call failed: ${JSON.stringify(outcome)}`)
      if (round >= 0) times[name].push(performance.now() - begun)
    }
  }
  const middle = (list: number[]) => list.sort((a, b) => a - b)[Math.floor(rounds / 2)]!
  return Object.fromEntries(names.map((name) => [name, middle(times[name])])) as Record<Name, number>
}
