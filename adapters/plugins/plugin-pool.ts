// The processes of one plugin: one always warm, a few more under load, a bounded queue before them.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock, Log } from '@svc/engine/ports'
import { FairQueue, no_shares, type QueuedJob, waiting_max } from '../compute/fair-queue.ts'
import {
  type Answer,
  type CallHost,
  PluginProcess,
  type SandboxLimits,
  sandbox_limits,
} from './plugin-process.ts'
import type { Invoke, Load } from './sandbox/words.ts'
import type { PluginCode } from './translate.ts'

export interface PoolOptions {
  /** `name@version`, for messages and the log. */
  readonly plugin: string
  readonly code: PluginCode
  readonly wasi: Load['wasi']
  /** The operations of its manifest: a component that differs is not the described one. */
  readonly operations: readonly string[]
  readonly processes_max: number
  readonly limits?: SandboxLimits
  readonly clock: Clock
  readonly log: Log
  /** It repeatedly cannot be started: the operator must look at it. */
  onBroken(reason: string): void
}

const starts_failed_max = 3
const idle_ms_max = 30_000

interface Call extends QueuedJob {
  give(process: PluginProcess): void
  refuse(refusal: Refusal): void
}

// A class because it must be closed.
export class PluginPool {
  readonly #options: PoolOptions
  readonly #idle: PluginProcess[] = []
  /** The tenant that used the processes least comes first: many calls of one tenant do not delay the others. */
  readonly #line = new FairQueue<Call>(no_shares, waiting_max)
  #count = 0
  #starts_failed = 0
  #closed = false
  #checking: Promise<boolean> | undefined
  #shrinking: NodeJS.Timeout | undefined

  constructor(options: PoolOptions) {
    this.#options = options
  }

  /** Starts the first process: a plugin that cannot be loaded is known before the first call. */
  async warm(): Promise<void> {
    this.#count++
    try {
      this.#idle.push(await this.#start())
    } catch (error) {
      this.#count--
      throw error
    }
  }

  async run(invoke: Invoke, host: CallHost, deadline_ms: number): Promise<Answer> {
    const { clock } = this.#options
    const until_ms = clock.monotonic_ms() + deadline_ms
    const { promise, resolve: give, reject: refuse } = Promise.withResolvers<PluginProcess>()
    const call: Call = { tenant_id: invoke.tenant_id, deadline_ms, give, refuse }
    const timer = setTimeout(
      () => refuse(this.#busy(`had no process free within ${deadline_ms} ms`)),
      deadline_ms,
    )
    try {
      this.#enter(call)
      const process = await promise.finally(() => clearTimeout(timer))
      const answer = await process.invoke(invoke, host, Math.max(1, until_ms - clock.monotonic_ms()))
      this.#giveBack(process)
      return answer
    } finally {
      this.#line.remove(call, clock.monotonic_ms())
    }
  }

  /** Whether it starts and reports its operations now. Concurrent requests of several tenants start it once. */
  isHealthy(): Promise<boolean> {
    this.#checking ??= this.#canStart().finally(() => {
      this.#checking = undefined
    })
    return this.#checking
  }

  async #canStart(): Promise<boolean> {
    if (this.#closed) return false
    try {
      const process = await this.#start()
      process.kill('it was only asked how it is')
      return true
    } catch {
      return false
    }
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#shrinking)
    for (const process of this.#idle.splice(0)) process.kill('the plugin was unloaded')
    for (const call of this.#line.drain()) call.refuse(this.#busy('was unloaded'))
  }

  async #start(): Promise<PluginProcess> {
    const { code, wasi, operations, limits = sandbox_limits } = this.#options
    const started = await PluginProcess.start(code, wasi, limits)
    const strays = started.operations.filter((name) => !operations.includes(name))
    const missing = operations.filter((name) => !started.operations.includes(name))
    if (strays.length === 0 && missing.length === 0) return started.process
    started.process.kill('it is not the one that was described')
    const what = missing.length ? `does not serve ${missing.join(', ')}` : `also serves ${strays.join(', ')}`
    throw new Error(`its manifest and its component disagree: it ${what}`.slice(0, 500))
  }

  #enter(call: Call): void {
    if (this.#closed) {
      call.refuse(this.#busy('was unloaded'))
      return
    }
    this.#forgetDead()
    const admission = this.#line.add(call, this.#options.clock.monotonic_ms())
    const crowded = 'refused' in admission ? call : admission.dropped
    crowded?.refuse(this.#busy('has a full line of calls'))
    this.#serve()
    if (this.#line.waiting > 0 && this.#count < this.#options.processes_max) void this.#grow()
  }

  /** With a process that knows the tenant, else with any. */
  #serve(): void {
    while (this.#idle.length > 0) {
      const call = this.#line.take(this.#options.clock.monotonic_ms())
      if (!call) return
      const warm = this.#idle.findIndex(({ tenants }) => tenants.has(call.tenant_id))
      call.give(this.#idle.splice(warm, 1)[0]!)
    }
  }

  /** A process may die while idle. */
  #forgetDead(): void {
    const alive = this.#idle.filter(({ isDead }) => !isDead)
    this.#count -= this.#idle.length - alive.length
    this.#idle.splice(0, this.#idle.length, ...alive)
  }

  #busy(what: string): Refusal {
    return refuse('no_endpoint_available', `The plugin ${this.#options.plugin} ${what}; try again.`, {
      reason: 'plugin busy',
      retry_after_ms: 1_000,
    })
  }

  async #grow(): Promise<void> {
    this.#count++
    try {
      const process = await this.#start()
      this.#starts_failed = 0
      this.#giveBack(process)
    } catch (error) {
      this.#count--
      this.#startFailed((error as Error).message)
    }
  }

  /** Waiting calls are refused at once. */
  #startFailed(reason: string): void {
    const { plugin, log, onBroken } = this.#options
    if (this.#closed) return
    log.warn({ plugin, reason }, 'a process of a plugin could not be started')
    if (++this.#starts_failed >= starts_failed_max) {
      if (this.#count === 0)
        for (const call of this.#line.drain()) call.refuse(this.#busy('cannot be started'))
      onBroken(reason)
    } else if (this.#count === 0) void this.#grow()
  }

  #giveBack(process: PluginProcess): void {
    if (process.isDead || this.#closed) {
      process.kill('the plugin was unloaded')
      this.#count--
      if (!this.#closed && (this.#count === 0 || this.#line.waiting > 0)) void this.#grow()
      return
    }
    this.#idle.push(process)
    this.#serve()
    this.#shrinking ??= setTimeout(() => this.#shrink(), idle_ms_max).unref()
  }

  /** Back to the one warm process. */
  #shrink(): void {
    this.#shrinking = undefined
    for (const process of this.#idle.splice(1)) {
      process.kill('it was not needed any more')
      this.#count--
    }
  }
}
