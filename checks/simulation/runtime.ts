// Replaces time, timers, chance and process ids of Node for code that runs in a simulated process; all other code, the simulator's
// included, keeps the real ones. Nothing of the product is changed for it.
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import timers_promises from 'node:timers/promises'
import { privateKeyOf } from '@svc/contract/signing/signature'
import { currentProcess, type SimulatedProcess, type Task } from './world.ts'

/** Larger buffers only fill space (the journal's reserve), so their content does not matter. */
const random_bytes_max = 4_096

/** Replaced members and how to put them back. */
const restorers: (() => void)[] = []

// biome-ignore lint/suspicious/noExplicitAny: members of Node's objects of any type
type Any = any

function replace(owner: Any, name: string, make: (real: Any) => Any): void {
  const before = Object.getOwnPropertyDescriptor(owner, name)
  const value = make(owner[name])
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: true })
  restorers.unshift(() => {
    if (before) Object.defineProperty(owner, name, before)
    else delete owner[name]
  })
}

/** Simulates the runtime until the returned function is called. */
export function simulateRuntime(): () => void {
  if (restorers.length > 0) throw new Error('the runtime is simulated already')
  replaceTimers()
  replaceClocks()
  replaceChance()
  replaceAtomics()
  replaceProcess()
  syncBuiltinESMExports()
  return () => {
    for (const restore of restorers.splice(0)) restore()
    syncBuiltinESMExports()
  }
}

/** What `setTimeout` returns in a simulated process. */
class SimulatedTimer {
  task: Task | undefined
  readonly #process: SimulatedProcess

  constructor(process: SimulatedProcess, ms: number, run: () => void, is_repeated: boolean) {
    this.#process = process
    const begin = () => {
      const due_ms = process.world.now_ms + Math.max(1, Math.trunc(ms) || 0)
      this.task = process.world.add({ name: `timer ${ms} ms`, process, due_ms, run: fire })
    }
    const fire = () => {
      this.task = undefined
      if (is_repeated) begin()
      process.run(run)
    }
    begin()
  }

  clear(): void {
    this.#process.world.remove(this.task)
    this.task = undefined
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.dispose](): void {
    this.clear()
  }
}

function replaceTimers(): void {
  for (const name of ['setTimeout', 'setInterval']) {
    replace(globalThis, name, (real) => (callback: (...args: Any[]) => void, ms = 1, ...args: Any[]) => {
      const process = currentProcess()
      if (!process) return real(callback, ms, ...args)
      return new SimulatedTimer(process, ms, () => callback(...args), name === 'setInterval')
    })
  }
  for (const name of ['clearTimeout', 'clearInterval']) {
    replace(globalThis, name, (real) => (timer: unknown) => {
      if (timer instanceof SimulatedTimer) timer.clear()
      else real(timer)
    })
  }
  replace(globalThis, 'setImmediate', (real) => (callback: (...args: Any[]) => void, ...args: Any[]) => {
    const process = currentProcess()
    if (!process) return real(callback, ...args)
    process.world.addImmediate(process, () => callback(...args))
    return undefined
  })
  replace(timers_promises, 'setTimeout', (real) => (ms?: number, value?: Any, options?: Any) => {
    const process = currentProcess()
    if (!process) return real(ms, value, options)
    return new Promise((resolve, reject) => {
      const timer = new SimulatedTimer(process, ms ?? 1, () => resolve(value), false)
      const signal = options?.signal as AbortSignal | undefined
      const stop = () => {
        timer.clear()
        reject(signal?.reason)
      }
      if (signal?.aborted) stop()
      else signal?.addEventListener('abort', stop, { once: true })
    })
  })
  replace(timers_promises, 'setImmediate', (real) => (value?: Any) => {
    const process = currentProcess()
    if (!process) return real(value)
    return new Promise((resolve) => process.world.addImmediate(process, () => resolve(value)))
  })
}

function replaceClocks(): void {
  const wall = () => {
    const process = currentProcess()
    return process && process.world.now_ms + process.clock_offset_ms
  }
  replace(globalThis, 'Date', (real) => {
    class SimulatedDate extends real {
      constructor(...args: Any[]) {
        if (args.length > 0) super(...args)
        else super(SimulatedDate.now())
      }

      static now(): number {
        return wall() ?? real.now()
      }

      static [Symbol.hasInstance](value: unknown): boolean {
        return Function.prototype[Symbol.hasInstance].call(real, value)
      }
    }
    return SimulatedDate
  })
  replace(performance, 'now', (real) => () => currentProcess()?.world.now_ms ?? real.call(performance))
}

function replaceChance(): void {
  replace(Math, 'random', (real) => () => {
    const random = currentProcess()?.world.random
    return random ? random.bits() / 2 ** 32 : real()
  })
  replace(crypto, 'randomUUID', (real) => (options?: Any) => {
    return currentProcess()?.world.random.uuid() ?? real(options)
  })
  replace(crypto, 'randomBytes', (real) => (count: number, callback?: Any) => {
    const random = currentProcess()?.world.random
    if (!random || callback) return real(count, callback)
    return count > random_bytes_max ? Buffer.alloc(count) : random.bytes(count)
  })
  replace(crypto, 'generateKeyPairSync', (real) => (type: string, options?: Any) => {
    const random = currentProcess()?.world.random
    if (!random || type !== 'ed25519' || options) return real(type, options)
    const privateKey = privateKeyOf(random.bytes(32))
    return { privateKey, publicKey: crypto.createPublicKey(privateKey) }
  })
}

interface Sleeper {
  readonly process: SimulatedProcess
  readonly cells: ArrayBufferLike
  readonly index: number
  wake(result: 'ok' | 'timed-out'): void
}

/** Threads are simulated in one thread, so what wakes another one is a task as well. */
function replaceAtomics(): void {
  const sleepers = new Set<Sleeper>()
  replace(Atomics, 'waitAsync', (real) => (cells: Int32Array, index: number, value: number, ms?: number) => {
    const process = currentProcess()
    if (!process) return real(cells, index, value, ms)
    if (Atomics.load(cells, index) !== value) return { async: false, value: 'not-equal' }
    if (ms === 0) return { async: false, value: 'timed-out' }
    const { promise, resolve } = Promise.withResolvers<string>()
    const timer = new SimulatedTimer(process, ms ?? 2 ** 40, () => sleeper.wake('timed-out'), false)
    const sleeper: Sleeper = {
      process,
      cells: cells.buffer,
      index,
      wake(result) {
        sleepers.delete(sleeper)
        timer.clear()
        resolve(result)
      },
    }
    sleepers.add(sleeper)
    return { async: true, value: promise }
  })
  replace(Atomics, 'notify', (real) => (cells: Int32Array, index: number, count?: number) => {
    const process = currentProcess()
    if (!process) return real(cells, index, count)
    const woken = [...sleepers].filter((one) => one.cells === cells.buffer && one.index === index)
    for (const one of woken) {
      sleepers.delete(one)
      process.world.add({ name: 'wake', process: one.process, due_ms: 0, run: () => one.wake('ok') })
    }
    return woken.length
  })
}

function replaceProcess(): void {
  const real_pid = process.pid
  const before = Object.getOwnPropertyDescriptor(process, 'pid')!
  Object.defineProperty(process, 'pid', {
    configurable: true,
    enumerable: true,
    get: () => currentProcess()?.pid ?? real_pid,
  })
  restorers.unshift(() => Object.defineProperty(process, 'pid', before))
  replace(process, 'kill', (real) => (pid: number, signal?: string | number) => {
    const asking = currentProcess()
    if (!asking) return real.call(process, pid, signal)
    if (asking.world.isAlive(pid, asking.host)) return true
    throw Object.assign(new Error('kill ESRCH'), { code: 'ESRCH' })
  })
}
