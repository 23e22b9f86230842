// svc-engine plugin test: runs the built component in the engine's own sandbox and endpoint; only the host's answers are simulated.
import { wasmEndpoint } from '@svc/adapters/endpoint/wasm'
import { declarePlugin } from '@svc/adapters/plugins/declare'
import { integrationsOf } from '@svc/adapters/plugins/looks'
import { readPluginConfig } from '@svc/adapters/plugins/plugin-config'
import { Rejected } from '@svc/adapters/plugins/plugin-folder'
import type { PluginOperations } from '@svc/adapters/plugins/plugin-operations'
import { PluginPool } from '@svc/adapters/plugins/plugin-pool'
import { sandbox_limits } from '@svc/adapters/plugins/plugin-process'
import { translate, Unloadable } from '@svc/adapters/plugins/translate'
import { judgeNow } from '@svc/contract/foreign/foreign-schema'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import type { InvokeContext } from '@svc/contract/invoke-context'
import type { Declaration } from '@svc/contract/protocol'
import { Refusal } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'
import type { Endpoint } from '@svc/engine/routing/routing'
import type { Asked, Command } from '../admin/command.ts'
import { openLog } from '../assembly/log.ts'
import { ConfigError } from '../settings/config-error.ts'
import { wasiOf } from './build.ts'
import { type BuiltPlugin, readBuilt } from './source-folder.ts'
import { readAnswers, type TrialHost, trialHost } from './trial-host.ts'

interface Tried {
  readonly operation: string
  readonly result: 'ok' | 'failed' | 'skipped'
  readonly ms: number | null
  /** The output, or why it failed. */
  readonly said: unknown
}

interface Trial {
  readonly declaration: Declaration
  readonly host: TrialHost
  readonly clock: Clock
  readonly config: Readonly<Record<string, unknown>>
  readonly abi_level: string
}

const shown_chars_max = 200
const faults_named_max = 3
const heard_chars_max = 1_000

export const testing: Command = {
  usage: 'test <folder> [--operation O --input JSON] [--calls F]',
  summary: "runs each operation's example in the sandbox and checks the outputs against the schemas",
  takes: ['operation', 'input', 'calls'],
  async runAlone(request) {
    const built = await readBuilt(request.names[0]!)
    const { manifest, operations } = built
    const host = trialHost(readAnswers(request.values.calls))
    const config = await readConfig(request.names[0]!, manifest)
    const inputs = inputsFor(request, manifest, operations)
    const abi_level = request.target.read('SVC_WASMTIME_VERSION')
    const trial = { declaration: declared(built), host, clock: request.operator.clock, config, abi_level }
    const rows = await inSandbox(built, trial, (endpoint) => tryAll(trial, endpoint, inputs))
    const failed = rows.some(({ result }) => result === 'failed')
    if (request.values.json) return { rows: [...rows, { heard: host.heard }], exit: failed ? 1 : 0 }
    const shown = rows.map((row) => ({ ...row, said: brief(row.said, shown_chars_max) }))
    const note =
      host.heard.length > 0 ? { note: `The host heard:\n${host.heard.map(heardLine).join('\n')}` } : {}
    return { rows: shown, columns: ['operation', 'result', 'ms', 'said'], ...note, exit: failed ? 1 : 0 }
  },
}

/** The declaration an engine would derive, or an error. */
function declared(built: BuiltPlugin): Declaration {
  try {
    return declarePlugin(built, [])
  } catch (error) {
    if (error instanceof Rejected) throw new ConfigError(`Engines would reject it: ${error.message}`)
    throw error
  }
}

/** The plugin's configuration: `<name>.json` beside the source. */
async function readConfig(folder: string, { plugin }: PluginManifest): Promise<Trial['config']> {
  try {
    return await readPluginConfig(folder, plugin.name)
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** The input for each operation; undefined without an example. */
function inputsFor(
  { values }: Asked,
  { plugin }: PluginManifest,
  operations: PluginOperations,
): readonly (readonly [operation: string, input: unknown])[] {
  const declared = plugin.operations.operations
  const chosen = values.operation ?? declared
  const unknown = chosen.find((name) => !declared.includes(name))
  if (unknown !== undefined)
    throw new ConfigError(`${plugin.name} has no operation ${unknown}; it has ${declared.join(', ')}.`)
  if (values.input === undefined) return chosen.map((name) => [name, operations[name]?.example])
  if (values.operation?.length !== 1) throw new ConfigError('--input needs --operation.')
  const input = jsonIn(values.input)
  if (input === undefined) throw new ConfigError('--input is not JSON.')
  return [[chosen[0]!, input]]
}

async function inSandbox<T>(
  built: BuiltPlugin,
  { declaration, host, clock, config, abi_level }: Trial,
  work: (endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  const { plugin } = built.manifest
  const code = await translate(built.component, sandbox_limits.memory_bytes_max, clock).catch(notLoaded)
  const pool = new PluginPool({
    plugin: plugin.name,
    code,
    wasi: wasiOf(built.manifest),
    operations: plugin.operations.operations,
    processes_max: 1,
    clock,
    log: openLog('error'),
    onBroken: () => {},
  })
  try {
    await pool.warm().catch(notLoaded)
    const endpoint = wasmEndpoint({
      id: plugin.name,
      calls: pool,
      capabilities: integrationsOf(built, 'capability'),
      config: () => config,
      abi_level,
      deadline_ms: (operation) => declaration.operations[operation]!.deadline_ms!,
      log: (level, message) => host.hear(`log ${level} ${message}`),
    })
    return await work(endpoint)
  } finally {
    pool.close()
    await code.close()
  }
}

function notLoaded(error: Error): never {
  const is_told = error instanceof Unloadable || error.message.startsWith('its manifest')
  throw is_told ? new ConfigError(`Engines cannot run it: ${error.message}.`) : error
}

async function tryAll(
  trial: Trial,
  endpoint: Endpoint,
  inputs: readonly (readonly [string, unknown])[],
): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const [operation, input] of inputs) {
    if (input === undefined)
      tried.push({ operation, result: 'skipped', ms: null, said: 'operations.json has no example for it' })
    else tried.push(await tryOne(trial, endpoint, operation, input))
  }
  return tried
}

async function tryOne(
  { declaration, host, clock }: Trial,
  endpoint: Endpoint,
  operation: string,
  input: unknown,
): Promise<Tried> {
  const facts = declaration.operations[operation]!
  const unfit = faultIn(facts.input, input)
  if (unfit) return { operation, result: 'failed', ms: null, said: `the input ${unfit}` }
  const began_ms = clock.monotonic_ms()
  const ended = (result: Tried['result'], result_text: unknown): Tried => {
    return { operation, result, ms: Math.round(clock.monotonic_ms() - began_ms), said: result_text }
  }
  try {
    const { data } = await endpoint.invoke(operation, input, host.contextOf(callOf(clock)))
    const wrong = faultIn(facts.output, data)
    return wrong ? ended('failed', `the output ${wrong}`) : ended('ok', data)
  } catch (error) {
    if (error instanceof Refusal) return ended('failed', whyNot(error))
    throw error
  }
}

/** Undefined if it is not JSON, which itself has no undefined. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function callOf(clock: Clock): InvokeContext {
  return {
    correlation_id: clock.uuid(),
    tenant_id: 'dev',
    agent_did: `did:oas:dev:agent:${'0'.repeat(64)}`,
    timestamp: new Date(clock.now_ms()).toISOString(),
    metadata: {},
  }
}

/** As an engine checks it: the place, what is expected there, and the kind of what is there. */
function faultIn(schema: object, value: unknown): string | undefined {
  const { faults, unusable } = judgeNow({ schema: JSON.stringify(schema), value: JSON.stringify(value) })
  if (unusable !== undefined) return `cannot be checked: ${unusable}`
  if (faults.length === 0) return undefined
  const named = faults
    .slice(0, faults_named_max)
    .map(({ pointer, message }) => `${pointer || '/'} ${message}`)
  const more = faults.length > faults_named_max ? `; and ${faults.length - faults_named_max} more` : ''
  return `does not fit its schema: ${named.join('; ')}${more}`
}

/** The caller's message, with the cause for the author. */
function whyNot({ code, message, cause }: Refusal): string {
  return `refused as ${code}: ${message}${typeof cause === 'string' ? ` (${cause})` : ''}`
}

/** Output of a plugin: control characters could manipulate the terminal. */
function heardLine(line: string): string {
  return `  ${brief(line, heard_chars_max).replaceAll(/[^\P{Cc}\n]|\p{Cf}/gu, '\ufffd')}`
}

function brief(answer: unknown, chars_max: number): string {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  return text.length > chars_max ? `${text.slice(0, chars_max - 1)}…` : text
}
