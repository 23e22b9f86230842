// The scheduler: everything that waits in a simulated process is a task here, and the seed decides which one goes on.
import { AsyncLocalStorage } from 'node:async_hooks'
import { hash } from 'node:crypto'
import type { SimulationDatabase } from './database.ts'
import type { Disk } from './disk.ts'
import { Random } from './random.ts'

/** Something that can happen next. It runs alone: no other task starts before it and all it caused are quiet. */
export interface Task {
  /** For the trace; the same in each run of a seed. */
  readonly name: string
  /** Its continuation runs there, and never once the process is dead. */
  readonly process: SimulatedProcess
  /** Tasks of one channel run in the order in which they were added. */
  readonly channel?: string
  /** Of simulated time; 0 is at once. */
  readonly due_ms: number
  /** Not run while false. */
  isReady?(): boolean
  run(): void | Promise<void>
}

const start_ms = Date.UTC(2026, 10, 15, 10)
const first_pid = 50_000_000
/** Simulated immediates that start each other for ever are a bug of the simulated program. */
const immediates_max = 100_000

const running = new AsyncLocalStorage<SimulatedProcess | undefined>()

/** The simulated process whose code is running; undefined outside of any. */
export function currentProcess(): SimulatedProcess | undefined {
  return running.getStore()
}

/** A rule was broken: the seed and its shrunk history are printed. */
export class Violation extends Error {}

export class World {
  readonly seed: number
  readonly database: SimulationDatabase
  /** Numbers of the step that runs now. */
  random: Random
  /** Simulated milliseconds since 1970, without the offset of any process's clock. */
  now_ms = start_ms
  /** Time passes only where nothing else can go on, so that no timeout wins against what it waits for. */
  is_calm = false
  readonly processes = new Map<string, SimulatedProcess>()
  /** Each new Disk adds itself. */
  readonly disks: Disk[] = []
  /** Called when a process ends, so that its locks, sockets and files are given up. */
  readonly on_exit: ((process: SimulatedProcess) => void)[] = []
  /** Errors nobody caught in a living process. */
  readonly uncaught: Error[] = []
  #tasks: Task[] = []
  #immediates: { process: SimulatedProcess; run: () => void }[] = []
  #pid = first_pid
  #events = 0
  #digest = ''
  #observer: ((line: string) => void) | undefined

  constructor(seed: number, database: SimulationDatabase, observer?: (line: string) => void) {
    this.seed = seed
    this.database = database
    this.random = new Random(`${seed}`)
    this.#observer = observer
  }

  /** Starts a process. An earlier one of this name must have ended. */
  start(name: string, host = 'host'): SimulatedProcess {
    return this.#started(new SimulatedProcess(this, name, host, ++this.#pid, undefined))
  }

  /** Shares the pid, link and end of its parent, and can die alone. */
  startThread(name: string, parent: SimulatedProcess): SimulatedProcess {
    return this.#started(new SimulatedProcess(this, name, parent.host, parent.pid, parent))
  }

  #started(process: SimulatedProcess): SimulatedProcess {
    if (this.processes.get(process.name)?.is_alive) throw new Error(`${process.name} is running already`)
    this.processes.set(process.name, process)
    return process
  }

  add(task: Task): Task {
    if (task.process.is_alive) this.#tasks.push(task)
    return task
  }

  /** Undone, it was never there. */
  remove(task: Task | undefined): void {
    const at = task ? this.#tasks.indexOf(task) : -1
    if (at !== -1) this.#tasks.splice(at, 1)
  }

  addImmediate(process: SimulatedProcess, run: () => void): void {
    this.#immediates.push({ process, run })
  }

  /** As a process of this host sees it. */
  isAlive(pid: number, host: string): boolean {
    const all = [...this.processes.values()]
    return all.some((process) => process.pid === pid && process.host === host && process.is_alive)
  }

  /** Lets the seed choose up to `count` tasks, one after the other; fewer where nothing is left to do. */
  async run(count: number): Promise<void> {
    await this.settle()
    for (let i = 0; i < count; i++) if (!(await this.#runOne())) return
  }

  /** Runs until the condition holds. That it never does is a violation: something is stuck. */
  async runUntil(holds: () => boolean, what: string, events_max = 20_000): Promise<void> {
    await this.settle()
    for (let i = 0; i < events_max; i++) {
      if (holds()) return
      if (!(await this.#runOne())) break
    }
    if (!holds()) throw new Violation(`this never happens, though nothing prevents it: ${what}`)
  }

  /** Runs the world until the promise is settled. */
  async awaited<Value>(promise: Promise<Value>, what: string, events_max?: number): Promise<Value> {
    let is_settled = false
    const mark = () => {
      is_settled = true
    }
    promise.then(mark, mark)
    await this.runUntil(() => is_settled, what, events_max)
    return await promise
  }

  /** Moves the clock; timers that become due run later, as tasks. */
  advance(ms: number): void {
    this.now_ms += ms
  }

  /** Adds a line to the trace. The digest of all lines is what two runs of a seed are compared by. */
  note(line: string): void {
    this.#digest = hash('sha256', `${this.#digest}${line}`, 'hex')
    this.#observer?.(line)
  }

  get digest(): string {
    return this.#digest
  }

  get events(): number {
    return this.#events
  }

  /** Until every continuation has run and waits in a task again. */
  async settle(): Promise<void> {
    for (let i = 0; i < immediates_max; i++) {
      await macrotask()
      const next = this.#immediates.shift()
      if (!next) return
      if (next.process.is_alive) next.process.run(next.run)
    }
    throw new Violation('immediates start each other without end')
  }

  dropTasksOf(process: SimulatedProcess): void {
    this.#tasks = this.#tasks.filter((task) => task.process !== process)
  }

  async #runOne(): Promise<boolean> {
    let tasks = this.#runnable()
    // Time passes also while there is work, so that a timeout can win against what it waits for.
    if (tasks.length === 0 || (!this.is_calm && this.random.chance(0.02))) {
      if (!this.#skipToNextTimer() && tasks.length === 0) return false
      tasks = this.#runnable()
    }
    const task = this.random.pick(tasks)
    this.remove(task)
    this.#events++
    this.note(`${this.now_ms - start_ms} ${task.process.name}: ${task.name}`)
    await task.run()
    await this.settle()
    return true
  }

  #runnable(): Task[] {
    const channels = new Set<string>()
    return this.#tasks.filter((task) => {
      const is_first = task.channel === undefined || !channels.has(task.channel)
      if (task.channel !== undefined) channels.add(task.channel)
      return is_first && task.due_ms <= this.now_ms && !task.process.is_paused && (task.isReady?.() ?? true)
    })
  }

  #skipToNextTimer(): boolean {
    const due = this.#tasks
      .filter((task) => task.due_ms > this.now_ms && !task.process.is_paused)
      .reduce((first, task) => Math.min(first, task.due_ms), Number.POSITIVE_INFINITY)
    if (due === Number.POSITIVE_INFINITY) return false
    this.now_ms = due
    return true
  }
}

/** Code that runs as if it were a process of its own, with its own timers, sockets, clock and end. */
export class SimulatedProcess {
  readonly world: World
  readonly name: string
  /** Processes of other hosts do not see its pid. */
  readonly host: string
  readonly pid: number
  readonly parent: SimulatedProcess | undefined
  /** How far its wall clock is off. */
  clock_offset_ms = 0
  #is_alive = true
  #is_paused = false

  constructor(world: World, name: string, host: string, pid: number, parent: SimulatedProcess | undefined) {
    this.world = world
    this.name = name
    this.host = host
    this.pid = pid
    this.parent = parent
  }

  get is_alive(): boolean {
    return this.#is_alive
  }

  get is_paused(): boolean {
    return this.#is_paused || (this.parent?.is_paused ?? false)
  }

  /** Runs code as this process. */
  run<Value>(work: () => Value): Value {
    return running.run(this, work)
  }

  /** As SIGSTOP: nothing of it goes on, while connections and locks stay. */
  pause(): void {
    this.#is_paused = true
  }

  resume(): void {
    this.#is_paused = false
  }

  /** As kill -9: nothing of it ever runs again. Its threads end with it. */
  kill(): void {
    if (!this.#is_alive) return
    this.#is_alive = false
    this.world.dropTasksOf(this)
    for (const child of this.world.processes.values()) if (child.parent === this) child.kill()
    for (const notify of this.world.on_exit) notify(this)
  }
}

const real_immediate = setImmediate

function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    real_immediate(resolve)
  })
}
