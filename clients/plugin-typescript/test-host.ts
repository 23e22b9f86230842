// Runs a plugin's handlers in plain Node with a recording host: unit tests without WebAssembly.
import type { TSchema } from 'typebox'
import { Value } from 'typebox/value'
import type { CallFacts, LogLevel, WitHost } from './context.ts'
import { type CallerIdentity, unresolved } from './identity.ts'
import type { Plugin } from './operation.ts'
import { fromHost, PluginRefusal, toWit } from './refusal.ts'
import { serve } from './serve.ts'

/** Answers a `context.call`, or throws `refuse(...)`. */
export type Answering = (input: never) => unknown

export interface TestHostOptions {
  readonly config?: Readonly<Record<string, unknown>>
  /** By `PROTOCOL.operation`; any other call is refused as by the engine. */
  readonly calls?: Readonly<Record<string, Answering>>
  readonly context?: Partial<CallFacts>
}

export interface TestHost {
  /** Runs one operation; input and output are checked against its schemas, as in the engine. */
  run(operation: string, input: unknown): Promise<unknown>
  readonly logs: { level: LogLevel; message: string }[]
  readonly audits: { event_type: string; meta: unknown }[]
  readonly calls: { protocol: string; operation: string; input: unknown }[]
  readonly progress: { message: string; fraction?: number | undefined }[]
}

/** The engine's rule. */
const event_form = /^custom\.[a-z][a-z0-9_.-]{0,63}$/
const meta_bytes_max = 16 * 1024

const facts: CallFacts = {
  correlation_id: '00000000-0000-4000-8000-000000000000',
  tenant_id: 'dev',
  agent_did: `did:oas:dev:agent:${'0'.repeat(64)}`,
  timestamp: '2026-01-01T00:00:00.000Z',
  metadata: {},
}

/** Development only: allows everything. Not part of the kit: no production gateway issues it. */
export function localAdmin(did: string): CallerIdentity {
  return {
    ...unresolved(did),
    name: 'local admin',
    lineage_verified: true,
    conformance_level: 'L2',
    capabilities: [{ name: 'svc.*.*', caveats: [] }],
    auth_method: 'local-admin',
  }
}

export function testHost(
  plugin: Plugin,
  { config = {}, calls = {}, context }: TestHostOptions = {},
): TestHost {
  const recorded: Omit<TestHost, 'run'> = { logs: [], audits: [], calls: [], progress: [] }
  const served = serve(plugin, recording(recorded, config, calls))
  const metadata = { plugin_config: config }
  return {
    ...recorded,
    async run(operation, input) {
      const { input: accepted, output: promised } = plugin.operations[operation] ?? {}
      if (accepted && !Value.Check(accepted, input))
        throw new PluginRefusal('invalid_payload', faultIn(accepted, input))
      const call = JSON.stringify({ ...facts, metadata, ...context })
      const answer = await served.invoke(operation, JSON.stringify(input), call).catch((thrown) => {
        throw fromHost({ payload: thrown }) ?? thrown
      })
      const output: unknown = JSON.parse(answer)
      if (promised && !Value.Check(promised, output))
        throw new Error(`The output: ${faultIn(promised, output)}`)
      return output
    },
  }
}

function recording(
  recorded: Omit<TestHost, 'run'>,
  config: Readonly<Record<string, unknown>>,
  answers: Readonly<Record<string, Answering>>,
): WitHost {
  return {
    log: (level, message) => void recorded.logs.push({ level, message }),
    config: () => JSON.stringify(config),
    audit(event_type, meta) {
      if (!event_form.test(event_type))
        throw asHostRaises(
          new PluginRefusal('invalid_payload', `${event_type} is no event like custom.<word>.`),
        )
      const value: unknown = meta.length > meta_bytes_max ? undefined : JSON.parse(meta)
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        throw asHostRaises(
          new PluginRefusal('invalid_payload', `meta must be an object of ${meta_bytes_max} bytes at most.`),
        )
      recorded.audits.push({ event_type, meta: value })
    },
    call(protocol, operation, text) {
      const name = `${protocol}.${operation}`
      const input = JSON.parse(text)
      recorded.calls.push({ protocol, operation, input })
      if (!Object.hasOwn(answers, name))
        throw asHostRaises(new PluginRefusal('capability_denied', `The test gave no answer for ${name}.`))
      try {
        return JSON.stringify(answers[name]!(input as never) ?? {})
      } catch (thrown) {
        throw thrown instanceof PluginRefusal ? asHostRaises(thrown) : thrown
      }
    },
    progress: (message, fraction) => void recorded.progress.push({ message, fraction }),
  }
}

function asHostRaises(refusal: PluginRefusal): Error {
  return Object.assign(new Error(refusal.message), { payload: toWit(refusal) })
}

function faultIn(schema: TSchema, value: unknown): string {
  const [fault] = Value.Errors(schema, value)
  return `${fault?.instancePath || '/'} ${fault?.message ?? 'does not fit the schema'}`
}
