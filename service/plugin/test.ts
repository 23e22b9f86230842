// svc-engine plugin test: the built component in the very sandbox of the engine, with a host that stands in for it.
import { readPluginConfig } from '@svc/adapters/plugins/plugin-config'
import { type Answer, PluginProcess, sandbox_limits } from '@svc/adapters/plugins/plugin-process'
import { type PluginCode, translate, Unloadable } from '@svc/adapters/plugins/translate'
import type { InvokeContext } from '@svc/contract/invoke-context'
import type { PluginManifest } from '@svc/contract/plugin-manifest'
import { type PluginOperations, pluginFacts } from '@svc/contract/plugin-operations'
import type { Clock } from '@svc/engine/ports'
import { Value } from 'typebox/value'
import type { Asked, Command } from '../admin/command.ts'
import { ConfigError } from '../config-error.ts'
import { wasiOf } from './build.ts'
import { readBuilt } from './source-folder.ts'
import { readAnswers, type TrialHost, trialHost } from './trial-host.ts'

interface Tried {
  readonly operation: string
  readonly result: 'ok' | 'failed' | 'skipped'
  readonly ms: number | null
  /** The output, or why it failed. */
  readonly said: unknown
}

interface Trial {
  readonly manifest: PluginManifest
  readonly operations: PluginOperations
  readonly process: PluginProcess
  readonly host: TrialHost
  readonly clock: Clock
  readonly config: string
}

const shown_chars_max = 100

export const testing: Command = {
  usage: 'test <folder> [--operation O --input JSON] [--calls F]',
  summary: "runs each operation's example in the sandbox, and holds what it answers against the schemas",
  takes: ['operation', 'input', 'calls'],
  async runAlone(asked) {
    const { manifest, component, operations } = await readBuilt(asked.names[0]!)
    const host = trialHost(manifest, readAnswers(asked.values.calls))
    const config = await readConfig(asked.names[0]!, manifest)
    const wanted = inputsFor(asked, manifest, operations)
    const { clock } = asked.operator
    const rows = await inSandbox(manifest, component, clock, (process) =>
      tryAll({ manifest, operations, process, host, clock, config }, wanted),
    )
    const failed = rows.some(({ result }) => result === 'failed')
    if (asked.values.json) return { rows: [...rows, { heard: host.heard }], exit: failed ? 1 : 0 }
    const shown = rows.map((row) => ({ ...row, said: brief(row.said) }))
    const note =
      host.heard.length > 0
        ? { note: `The host heard:\n${host.heard.map((line) => `  ${line}`).join('\n')}` }
        : {}
    return { rows: shown, columns: ['operation', 'result', 'ms', 'said'], ...note, exit: failed ? 1 : 0 }
  },
}

/** As the operator would set it: `<name>.json`, here beside the source. */
async function readConfig(folder: string, { plugin }: PluginManifest): Promise<string> {
  try {
    return JSON.stringify(await readPluginConfig(folder, plugin.name))
  } catch (error) {
    throw new ConfigError((error as Error).message)
  }
}

/** The input for each operation; undefined where nobody gave an example. */
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
  if (values.operation?.length !== 1)
    throw new ConfigError('--input is for one operation: name it with --operation.')
  const input = jsonIn(values.input)
  if (input === undefined) throw new ConfigError('--input is no JSON.')
  return [[chosen[0]!, input]]
}

async function inSandbox<T>(
  manifest: PluginManifest,
  component: Uint8Array,
  clock: Clock,
  work: (process: PluginProcess) => Promise<T>,
): Promise<T> {
  let code: PluginCode | undefined
  let process: PluginProcess | undefined
  try {
    code = await translate(component, sandbox_limits.memory_bytes_max, clock)
    const started = await PluginProcess.start(code, wasiOf(manifest))
    process = started.process
    const declared = manifest.plugin.operations.operations
    if (started.operations.toSorted().join() !== declared.toSorted().join())
      throw new ConfigError(
        `The component serves ${started.operations.join(', ')}, but its manifest lists ${declared.join(', ')}.`,
      )
    return await work(process)
  } catch (error) {
    if (error instanceof Unloadable) throw new ConfigError(`No engine could run it: ${error.message}.`)
    throw error
  } finally {
    process?.kill('the test is over')
    await code?.close()
  }
}

async function tryAll(trial: Trial, wanted: readonly (readonly [string, unknown])[]): Promise<Tried[]> {
  const tried: Tried[] = []
  for (const [operation, input] of wanted) {
    if (input === undefined)
      tried.push({ operation, result: 'skipped', ms: null, said: 'operations.json has no example for it' })
    else tried.push(await tryOne(trial, operation, input))
  }
  return tried
}

async function tryOne(trial: Trial, operation: string, input: unknown): Promise<Tried> {
  const { manifest, operations, process, host, clock, config } = trial
  const facts = pluginFacts(manifest.plugin.name, operations[operation])
  const unfit = faultIn(facts.input, input)
  if (unfit) return { operation, result: 'failed', ms: null, said: `the input ${unfit}` }
  const context = JSON.stringify(contextOf(clock, JSON.parse(config)))
  const asked = { tenant_id: 'dev', operation, payload: JSON.stringify(input), context, config }
  const began_ms = clock.monotonic_ms()
  const answer = await process.invoke(asked, host, facts.deadline_ms!)
  const ms = Math.round(clock.monotonic_ms() - began_ms)
  if (!('answered' in answer)) return { operation, result: 'failed', ms, said: whyNot(answer) }
  const output = jsonIn(answer.answered)
  const wrong = output === undefined ? 'is no JSON' : faultIn(facts.output, output)
  return wrong
    ? { operation, result: 'failed', ms, said: `the output ${wrong}` }
    : { operation, result: 'ok', ms, said: output }
}

/** Undefined where it is none: no JSON says that. */
function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function contextOf(clock: Clock, plugin_config: unknown): InvokeContext {
  return {
    correlation_id: clock.uuid(),
    tenant_id: 'dev',
    agent_did: `did:oas:dev:agent:${'0'.repeat(64)}`,
    timestamp: new Date(clock.now_ms()).toISOString(),
    metadata: { plugin_config },
  }
}

function faultIn(schema: object, value: unknown): string | undefined {
  if (Value.Check(schema, value)) return undefined
  const [fault] = Value.Errors(schema, value)
  return `does not fit its schema: ${fault?.instancePath || '/'} ${fault?.message}`
}

function whyNot(answer: Exclude<Answer, { answered: string }>): string {
  if ('refused' in answer)
    return `refused as ${answer.refused.code.replaceAll('-', '_')}: ${answer.refused.message}`
  if ('trapped' in answer) return `trapped: ${answer.trapped}`
  if ('died' in answer) return `died: ${answer.died}`
  return `did not finish within ${Math.round(answer.late_ms)} ms`
}

function brief(said: unknown): string {
  const text = typeof said === 'string' ? said : JSON.stringify(said)
  return text.length > shown_chars_max ? `${text.slice(0, shown_chars_max - 1)}…` : text
}
