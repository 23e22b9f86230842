// The socket of a `pg` client in a simulated process, without a network: whole statements become tasks.
import { EventEmitter } from 'node:events'
import type { Backend } from './backends.ts'
import type { SimulatedProcess, Task, World } from './world.ts'

/** The other end. */
interface LinkServer {
  link(process: SimulatedProcess): { readonly is_partitioned: boolean }
  startUp(connection: LinkConnection, parameters: ReadonlyMap<string, string>): Promise<void>
  execute(connection: LinkConnection, unit: Buffer): Promise<void>
  leave(connection: LinkConnection): void
}

export class LinkConnection extends EventEmitter {
  readonly process: SimulatedProcess
  writable = true
  backend: Backend | undefined
  is_waiting = false
  cut_after = false
  loses_answers = false
  statement_ms_max = 0
  idle_ms_max = 0
  readonly #server: LinkServer
  readonly #channel: string
  #bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #unit: Buffer[] = []
  #is_started = false
  #limit: Task | undefined

  constructor(server: LinkServer, process: SimulatedProcess, number: number) {
    super()
    this.#server = server
    this.process = process
    this.#channel = `connection ${number}`
  }

  /** A lock that it waits for may become its own as soon as another session ends. */
  get holds_locks(): boolean {
    return this.is_waiting || (this.backend !== undefined && this.backend.transaction_status !== 'I')
  }

  connect(): this {
    this.#addTask('connect', () => {
      if (this.#server.link(this.process).is_partitioned)
        this.break(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }))
      else this.process.run(() => this.emit('connect'))
    })
    return this
  }

  write(bytes: Buffer, done?: () => void): boolean {
    this.#bytes = this.#bytes.length > 0 ? Buffer.concat([this.#bytes, bytes]) : bytes
    if (this.#is_started) this.#readMessages()
    else this.#readStartup()
    if (done) queueMicrotask(done)
    return true
  }

  /** An answer of the server. */
  receive(bytes: Buffer): void {
    if (this.writable && this.process.is_alive) this.process.run(() => this.emit('data', bytes))
  }

  deliverLater(bytes: Buffer): void {
    this.#addTask('notification', () => this.receive(bytes))
  }

  break(error?: Error): void {
    if (!this.writable) return
    this.writable = false
    // As of a real socket: whoever destroys it listens for its end only afterwards.
    queueMicrotask(() => {
      if (!this.process.is_alive) return
      this.process.run(() => {
        if (error) this.emit('error', error)
        this.emit('close')
      })
    })
  }

  end(): void {
    this.#server.leave(this)
    this.break()
  }

  destroy(error?: Error): this {
    this.#server.leave(this)
    this.break(error)
    return this
  }

  limitStatement(run: () => Promise<void>): void {
    this.#setLimit('statement timeout', this.statement_ms_max, run)
  }

  limitIdle(run: () => Promise<void>): void {
    this.#setLimit('idle in transaction timeout', this.idle_ms_max, run)
  }

  endLimit(): void {
    this.process.world.remove(this.#limit)
    this.#limit = undefined
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
  cork(): void {}
  uncork(): void {}

  #setLimit(name: string, ms: number, run: () => Promise<void>): void {
    this.endLimit()
    if (ms === 0) return
    // The server's clock runs on while the client is paused.
    const process = serverOf(this.process.world)
    this.#limit = process.world.add({ name, process, due_ms: process.world.now_ms + ms, run })
  }

  #readStartup(): void {
    if (this.#bytes.length < 4 || this.#bytes.length < this.#bytes.readUInt32BE(0)) return
    const parts = this.#bytes.toString('utf8', 8).split('\0')
    this.#bytes = Buffer.alloc(0)
    this.#is_started = true
    const parameters = new Map<string, string>()
    for (let i = 0; i + 1 < parts.length; i += 2) parameters.set(parts[i]!, parts[i + 1]!)
    // A client that gave up waiting has left already, and would never give the session back.
    this.#addTask('start session', () => {
      if (this.writable) return this.#server.startUp(this, parameters)
    })
  }

  #readMessages(): void {
    while (this.#bytes.length >= 5) {
      const end = 1 + this.#bytes.readUInt32BE(1)
      if (this.#bytes.length < end) return
      const message = this.#bytes.subarray(0, end)
      this.#bytes = this.#bytes.subarray(end)
      const type = String.fromCharCode(message[0]!)
      if (type === 'X') continue
      this.#unit.push(message)
      if (type !== 'Q' && type !== 'S') continue
      const unit = Buffer.concat(this.#unit)
      this.#unit = []
      this.#addTask(labelOf(unit).slice(0, 60), async () => {
        this.endLimit()
        if (this.backend && this.writable && !this.loses_answers) await this.#server.execute(this, unit)
      })
    }
  }

  /** Statements behind one that waits for a lock wait with it. */
  #addTask(name: string, run: () => void | Promise<void>): void {
    const { process } = this
    const isReady = () => !this.is_waiting
    process.world.add({ name, process, channel: this.#channel, due_ms: 0, isReady, run })
  }
}

/** Timers of the database server itself. */
export function serverOf(world: World): SimulatedProcess {
  return world.processes.get('database') ?? world.start('database')
}

/** The text of a statement, or the name under which it was prepared. */
export function labelOf(unit: Buffer): string {
  const type = String.fromCharCode(unit[0]!)
  const [first = '', second = ''] = unit.toString('utf8', 5, 400).split('\0')
  const text = type === 'Q' ? first : type === 'P' ? first || second : second
  return text.trim().replace(/\s+/g, ' ')
}
