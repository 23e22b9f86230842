// The program of a plugin's process. It starts without environment, files or network, loads one component, and then
// handles one call at a time for the engine.
import { Buffer } from 'node:buffer'
import { readSync } from 'node:fs'
import { bare } from './bare.ts'
import { hear, say } from './channel.ts'
import { disarm, leave } from './disarm.ts'
import { inertWasi } from './wasi.ts'
import { type Extent, type Invoke, type Load, modules_fd, type WitRefusal } from './words.ts'

interface Plugin {
  operations(): string[]
  invoke(operation: string, payload: string, context: string): string
}

type Imports = Readonly<Record<string, unknown>>
type Instantiate = (core: (path: string) => object | undefined, imports: Imports) => Plugin

// Node has it, its types do not.
const { Module } = (globalThis as unknown as { WebAssembly: { Module: new (bytes: Uint8Array) => object } })
  .WebAssembly

/** What the host functions need of this call. */
let current: Invoke | undefined

/** A longer message tells the reader no more. */
const message_chars_max = 2_000

const host = {
  log: (level: string, message: string) =>
    say({ log: { level, message: message.slice(0, message_chars_max) } }),
  config: () => current?.config ?? '{}',
  audit: (event_type: string, meta: string) => void ask(() => say({ audit: { event_type, meta } })),
  call: (protocol: string, operation: string, input: string) =>
    ask(() => say({ call: { protocol, operation, input } })),
  progress: (message: string, fraction?: number) =>
    say({
      progress: {
        message: message.slice(0, message_chars_max),
        fraction: Number.isFinite(fraction) ? fraction : undefined,
      },
    }),
}

function ask(question: () => void): string {
  if (!current) throw new Error('host functions that need a call are for invoke alone')
  question()
  const words = hear()
  if (!words || !('reply' in words)) return leave()
  if ('ok' in words.reply) return words.reply.ok
  // The translator turns a thrown value with a payload into an err.
  throw Object.assign(new Error(words.reply.refused.message), { payload: words.reply.refused })
}

function read({ offset, length }: Extent): Buffer<ArrayBuffer> {
  const bytes = Buffer.alloc(length)
  for (let got = 0; got < length; ) {
    const more = readSync(modules_fd, bytes, got, length - got, offset + got)
    if (more === 0) throw new Error('the modules end too early')
    got += more
  }
  return bytes
}

async function load({ glue, modules, wasi }: Load): Promise<() => Plugin> {
  const script = `data:text/javascript;base64,${read(glue).toString('base64')}`
  disarm(script)
  const { instantiate }: { instantiate: Instantiate } = await import(script)
  const compiled = new Map(Object.entries(modules).map(([name, extent]) => [name, new Module(read(extent))]))
  const print = (text: string) => host.log('info', text)
  const imports = bare({ ...inertWasi(wasi, print), 'svc:plugin/host': host, 'svc:plugin/refusals': {} })
  return () => instantiate((path) => compiled.get(path), imports)
}

/** Tenants share no memory: each has its own instance. */
function serve(instantiate: () => Plugin, tenants_max: number): void {
  const instances = new Map<string, Plugin>()
  for (let words = hear(); words; words = hear()) {
    if (!('invoke' in words)) return
    current = words.invoke
    const { tenant_id } = current
    const plugin = instances.get(tenant_id)
    // The tenant that called last is forgotten last.
    instances.delete(tenant_id)
    const instance = answer(plugin ?? instantiate, current)
    if (instance) instances.set(tenant_id, instance)
    current = undefined
    const oldest = instances.keys().next().value
    if (instances.size > tenants_max && oldest !== undefined) instances.delete(oldest)
  }
}

/** The instance if it can be used again: after a trap its state is unknown. */
function answer(
  instance: Plugin | (() => Plugin),
  { operation, payload, context }: Invoke,
): Plugin | undefined {
  let plugin: Plugin | undefined
  try {
    plugin = typeof instance === 'function' ? instance() : instance
    say({ answered: plugin.invoke(operation, payload, context) })
    return plugin
  } catch (error) {
    const refused = refusalIn(error)
    say(refused ? { refused } : { trapped: reasonOf(error) })
    return refused && plugin
  }
}

function reasonOf(error: unknown): string {
  return String((error as Error | undefined)?.message ?? error).slice(0, 1000)
}

function refusalIn(error: unknown): WitRefusal | undefined {
  const { payload } = (error ?? {}) as { payload?: Partial<WitRefusal> }
  const { code, message, reason, details } = payload ?? {}
  return typeof code === 'string' && typeof message === 'string'
    ? { code, message, reason, details }
    : undefined
}

const first = hear()
if (first && 'load' in first) {
  let instantiate: (() => Plugin) | undefined
  try {
    instantiate = await load(first.load)
    say({ loaded: instantiate().operations() })
  } catch (error) {
    say({ trapped: reasonOf(error) })
  }
  if (instantiate) serve(instantiate, first.load.tenants_max)
}
leave()
