// One plugin process, seen from the engine: started, given one call at a time, and killed when its time is over.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import type { Duplex, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { watchedBy } from '../processes/dead-man.ts'
import { FrameReader, frameOf } from './frames.ts'
import type { Invoke, Load, ToEngine, WitRefusal } from './sandbox/words.ts'
import { gently, type PluginCode, Unloadable } from './translate.ts'

export interface SandboxLimits {
  readonly memory_bytes_max: number
  /** For loading and the first answer. */
  readonly start_ms_max: number
  /** Messages of any kind that one call may send to the host. */
  readonly host_words_max: number
  readonly message_bytes_max: number
  /** Of all messages of one call: each is parsed in the engine's own thread. */
  readonly said_bytes_max: number
  readonly tenants_max: number
}

export const sandbox_limits: SandboxLimits = {
  memory_bytes_max: 64 * 1024 * 1024,
  start_ms_max: 10_000,
  host_words_max: 1_000,
  message_bytes_max: 6 * 1024 * 1024,
  said_bytes_max: 16 * 1024 * 1024,
  tenants_max: 4,
}

/** What the plugin may request during a call. */
export interface CallHost {
  call(protocol: string, operation: string, input: string): Promise<Reply>
  audit(event_type: string, meta: string): Promise<Reply>
  log(level: string, message: string): void
  progress(message: string, fraction: number | undefined): void
}

export type Reply = { readonly ok: string } | { readonly refused: WitRefusal }

/** `died`: the process is gone, with its reason; `trapped`: only this tenant's instance is. */
export type Answer =
  | { readonly answered: string }
  | { readonly refused: WitRefusal }
  | { readonly trapped: string }
  | { readonly died: string }
  /** It was killed after this many milliseconds. */
  | { readonly late_ms: number }

const page_bytes = 65_536
const table_entries_max = 100_000
const heap_mb_max = 96
// What Node itself maps before anything is loaded; most of it is never touched.
const own_bytes = 768 * 1024 * 1024
const switch_fd = 5
const complaint_bytes_max = 4_096
const sandbox = join(import.meta.dirname, 'sandbox')

// A class because it must be ended, and tracks its call.
export class PluginProcess {
  readonly pid: number
  /** Tenants whose instance may still be warm in there. */
  readonly tenants = new Set<string>()
  readonly #child: ChildProcess
  readonly #channel: Duplex
  readonly #limits: SandboxLimits
  #deliver: ((words: ToEngine | { died: string }) => void) | undefined
  #bytes_left = 0
  /** It sent a request and waits for the reply: until then it must send nothing. */
  #is_asking = false
  #dead: string | undefined
  #complaint = ''

  private constructor(child: ChildProcess, limits: SandboxLimits) {
    this.pid = child.pid!
    this.#child = child
    this.#limits = limits
    this.#channel = child.stdio[3] as Duplex
    const reader = new FrameReader(limits.message_bytes_max)
    this.#channel.on('data', (chunk: Buffer) => this.#receive(reader, chunk))
    for (const stream of child.stdio) stream?.on('error', () => {})
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#complaint = (this.#complaint + text).slice(-complaint_bytes_max)
    })
    child.once('exit', (code, signal) => this.#die(`the process ended (${signal ?? code})`))
  }

  /** Resolves when it is loaded and has reported its operations; throws the reason otherwise. */
  static async start(
    code: PluginCode,
    wasi: Load['wasi'],
    limits: SandboxLimits = sandbox_limits,
  ): Promise<{ process: PluginProcess; operations: readonly string[] }> {
    const child = spawn(
      '/bin/sh',
      [
        '-c',
        gently + limitedTo(limits) + watchedBy(switch_fd),
        'svc-plugin',
        process.execPath,
        ...flags(limits),
        program,
      ],
      {
        env: {},
        cwd: '/',
        detached: true,
        stdio: ['ignore', 'ignore', 'pipe', 'pipe', code.file.fd, 'pipe'],
      },
    )
    await once(child, 'spawn')
    const started = new PluginProcess(child, limits)
    const { glue, modules } = code
    const load: Load = { glue, modules, wasi, tenants_max: limits.tenants_max }
    const outcome = await started.#exchange({ load }, limits.start_ms_max, () => undefined)
    if ('loaded' in outcome) return { process: started, operations: outcome.loaded }
    started.kill('it could not be loaded')
    throw new Unloadable(whyNot(outcome))
  }

  /** Always answers within the time: a late process is killed. */
  async invoke(invoke: Invoke, host: CallHost, left_ms: number): Promise<Answer> {
    this.tenants.add(invoke.tenant_id)
    if (this.tenants.size > this.#limits.tenants_max) this.tenants.delete([...this.tenants][0]!)
    const outcome = await this.#exchange({ invoke: invoke }, left_ms, (words) => this.#serve(words, host))
    return 'loaded' in outcome ? { died: this.#kill('it spoke out of turn') } : outcome
  }

  get isDead(): boolean {
    return this.#dead !== undefined
  }

  /** With everything it may have started, at once. */
  kill(why: string): void {
    this.#kill(why)
  }

  #kill(why: string): string {
    this.#die(why)
    // After its exit the pid may belong to another process; the dead-man's switch, whose pipe is closed now, ends the
    // rest.
    const { exitCode, signalCode } = this.#child
    try {
      if (exitCode === null && signalCode === null) process.kill(-this.pid, 'SIGKILL')
    } catch {
      // It is ending already.
    }
    return why
  }

  #die(why: string): void {
    if (this.#dead !== undefined) return
    const complaint = this.#complaint.split('\n').find((line) => /error|fatal/i.test(line))
    this.#dead = complaint ? `${why}: ${complaint.trim().slice(0, 200)}` : why
    this.#deliver?.({ died: this.#dead })
    for (const stream of this.#child.stdio) stream?.destroy()
  }

  #receive(reader: FrameReader, chunk: Buffer): void {
    this.#bytes_left -= chunk.length
    try {
      if (this.#deliver && this.#bytes_left < 0) throw new RangeError('it said more than a call may say')
      for (const words of reader.read(chunk)) {
        if (this.#dead !== undefined) return
        if (!this.#deliver || this.#is_asking) throw new Error('it spoke without being asked')
        this.#deliver(words)
      }
    } catch (error) {
      this.kill((error as Error).message)
    }
  }

  /** Requests go to the host; the first message that is an answer ends the exchange. */
  async #exchange(words: object, left_ms: number, toHost: (words: ToEngine) => void): Promise<Said> {
    if (this.#dead !== undefined) return { died: this.#dead }
    const { promise, resolve } = Promise.withResolvers<Said>()
    const { host_words_max, said_bytes_max } = this.#limits
    this.#bytes_left = said_bytes_max
    let words_left = host_words_max
    this.#deliver = (message) => {
      if ('call' in message || 'audit' in message || 'log' in message || 'progress' in message) {
        if (--words_left >= 0) toHost(message)
        else this.kill(`it said more than ${host_words_max} things to its host`)
        return
      }
      // No further message: it would count as the answer to the next call.
      this.#deliver = undefined
      resolve(message)
    }
    const timer = setTimeout(() => {
      this.#deliver = undefined
      resolve({ late_ms: Math.round(left_ms) })
      this.kill('it did not answer in time')
    }, left_ms)
    ;(this.#channel as Writable).write(frameOf(words))
    const outcome = await promise
    clearTimeout(timer)
    return outcome
  }

  #serve(words: ToEngine, host: CallHost): void {
    const reply = async (answering: Promise<Reply>) => {
      this.#is_asking = true
      const answer = await answering
      this.#is_asking = false
      if (this.#dead === undefined) this.#channel.write(frameOf({ reply: answer }))
    }
    if ('log' in words) host.log(words.log.level, words.log.message)
    else if ('progress' in words) host.progress(words.progress.message, words.progress.fraction)
    else if ('call' in words)
      void reply(host.call(words.call.protocol, words.call.operation, words.call.input))
    else if ('audit' in words) void reply(host.audit(words.audit.event_type, words.audit.meta))
  }
}

type HostWords = Extract<
  ToEngine,
  { call: unknown } | { audit: unknown } | { log: unknown } | { progress: unknown }
>

/** What ends an exchange. */
type Said = Exclude<ToEngine, HostWords> | { readonly died: string } | { readonly late_ms: number }

function whyNot(reply: Said): string {
  if ('died' in reply) return reply.died
  if ('trapped' in reply) return reply.trapped
  return 'late_ms' in reply ? `it was not loaded within ${reply.late_ms} ms` : 'it did not say its operations'
}

const program = fileURLToPath(new URL('./sandbox/program.ts', import.meta.url))

/** Enforced by the kernel: no core dump, no file writes, and a memory limit for its instances. */
function limitedTo({ memory_bytes_max, tenants_max }: SandboxLimits): string {
  const data_kib = Math.ceil((own_bytes + memory_bytes_max * tenants_max) / 1024)
  return `ulimit -c 0; ulimit -f 0; ulimit -d ${data_kib}; `
}

function flags({ memory_bytes_max }: SandboxLimits): string[] {
  return [
    '--no-warnings',
    '--permission',
    `--allow-fs-read=${sandbox}`,
    `--allow-fs-read=${join(sandbox, '../../package.json')}`,
    '--disable-proto=throw',
    '--no-addons',
    // It opens files without asking the permission model.
    '--no-experimental-sqlite',
    '--disallow-code-generation-from-strings',
    `--max-old-space-size=${heap_mb_max}`,
    '--max-semi-space-size=4',
    `--wasm-max-mem-pages=${Math.floor(memory_bytes_max / page_bytes)}`,
    `--wasm-max-table-size=${table_entries_max}`,
  ]
}
