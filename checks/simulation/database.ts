// The simulated link to a real PostgreSQL: our SQL runs for real, one statement at a time, in the order that the seed decides.
// Connections of `pg` made in a simulated process come here; their bytes never touch a socket of their own.
import { type Client, Connection } from 'pg'
import { testDatabase } from '../rehearsal/test-database.ts'
import { type Backend, Backends, simpleQuery } from './backends.ts'
import { connectControl, setTime } from './control.ts'
import { LinkConnection, labelOf, serverOf } from './link-connection.ts'
import { LockWaits } from './lock-waits.ts'
import { currentProcess, type SimulatedProcess, type World } from './world.ts'

/** What happens to the next statement of a process's link. */
export type LinkFault =
  /** The connection breaks and the statement never arrives. */
  | 'cut before'
  /** The statement runs, and the connection breaks before its answer: a COMMIT's outcome is unknown. */
  | 'cut after'
  /** The statement runs, and no answer ever comes: the client notices only by its own timeout. */
  | 'lose answer'
  /** The server ends the session, with an error that says so. */
  | 'kill session'

export interface LinkState {
  fault: LinkFault | undefined
  /** Only statements that begin with it are hit; any where undefined. */
  fault_on?: string | undefined
  /** No new connection is made and every statement breaks its connection. */
  is_partitioned: boolean
}

/** Statements are repeated by many seeds, so each is planned once. */
const session_options = '-c plan_cache_mode=force_generic_plan -c deadlock_timeout=1ms'

/** A clone with all migrations, used by every seed of this process: each seed has tenants of its own. */
export class SimulationDatabase {
  readonly url: string
  /** As the owner, outside of the simulation: for invariants. */
  readonly control: Client
  readonly #sessions: Backends
  readonly #waits: LockWaits
  readonly #links = new Map<SimulatedProcess, LinkState>()
  readonly #connections = new Set<LinkConnection>()
  readonly #dropped: Backend[] = []
  readonly #close: () => Promise<void>
  #world: World | undefined
  #database_ms = 0
  #connections_made = 0

  private constructor(url: string, control: Client, close: () => Promise<void>) {
    this.url = url
    this.control = control
    this.#sessions = new Backends(url, control)
    this.#waits = new LockWaits(control)
    this.#close = close
  }

  static async open(): Promise<SimulationDatabase> {
    const { url, close } = await testDatabase()
    return new SimulationDatabase(url, await connectControl(url), close)
  }

  /** Serves the connections of this world's processes until the returned function is called. */
  attach(world: World): () => Promise<void> {
    this.#world = world
    this.#database_ms = 0
    this.#connections_made = 0
    world.on_exit.push((process) => this.#leave(process))
    // `pg` declares no type for it.
    const connections = Connection.prototype as unknown as { connect(port: number, host: string): void }
    const { connect } = connections
    const database = this
    connections.connect = function (port, host) {
      const process = currentProcess()
      if (process) Object.assign(this, { stream: database.#connectionOf(process) })
      connect.call(this, port, host)
    }
    return async () => {
      connections.connect = connect
      for (const connection of this.#connections) this.#drop(connection)
      await this.#endDropped()
      this.#links.clear()
      this.#world = undefined
    }
  }

  async close(): Promise<void> {
    await this.#sessions.close()
    await this.control.end()
    await this.#close()
  }

  /** Faults of a process's link, to be set by a step. */
  link(process: SimulatedProcess): LinkState {
    const owner = process.parent ?? process
    const state = this.#links.get(owner) ?? { fault: undefined, is_partitioned: false }
    this.#links.set(owner, state)
    return state
  }

  /** The same number as before means that nothing was committed in between, and that reading again would give the same. */
  get changes(): number {
    return this.#sessions.ended
  }

  /** Statements that wait for a lock now. */
  get waiting(): number {
    return [...this.#connections].filter((connection) => connection.is_waiting).length
  }

  /** Runs what a connection has sent, all alone. */
  async execute(connection: LinkConnection, unit: Buffer): Promise<void> {
    const link = this.link(connection.process)
    const label = labelOf(unit)
    const is_hit =
      link.fault !== undefined && (link.fault_on === undefined || label.startsWith(link.fault_on))
    const fault = is_hit ? link.fault : undefined
    if (is_hit) link.fault = undefined
    if (link.is_partitioned || fault === 'cut before') return this.#cut(connection)
    const backend = connection.backend!
    if (fault === 'kill session') return this.#endSession(connection)
    await this.#setTime()
    if (/^listen/i.test(label)) backend.is_listening = true
    await this.#waits.relay(backend, unit)
    if (fault === 'lose answer') connection.loses_answers = true
    connection.cut_after = fault === 'cut after'
    await this.#waits.await(backend, this.#waitingBackends(), this.#mayWait(connection))
    this.#conclude(connection)
    // Only the end of a transaction, or its failure, releases locks and notifications.
    const releases = backend.transaction_status !== 'T' || /^rollback/i.test(label)
    await this.#lookAgain(releases ? [backend] : [])
    if (releases) await this.#collectNotifications()
  }

  #mayWait(connection: LinkConnection): boolean {
    if (this.#dropped.length > 0) return true
    return [...this.#connections].some((one) => one !== connection && one.holds_locks)
  }

  /** Also those whose client is gone: the server does not know it yet. */
  #waitingBackends(): Backend[] {
    const waiting = [...this.#connections].filter(({ is_waiting }) => is_waiting)
    return [...waiting.flatMap(({ backend }) => backend ?? []), ...this.#dropped]
  }

  /** Breaks every connection of a process. */
  cutAll(process: SimulatedProcess): void {
    for (const connection of [...this.#connections])
      if (connection.process === process || connection.process.parent === process) this.#cut(connection)
  }

  async startUp(connection: LinkConnection, parameters: ReadonlyMap<string, string>): Promise<void> {
    if (this.link(connection.process).is_partitioned) return this.#cut(connection)
    const options = `${session_options} ${parameters.get('options') ?? ''}`
    connection.statement_ms_max = Number(parameters.get('statement_timeout') ?? 0)
    connection.idle_ms_max = Number(parameters.get('idle_in_transaction_session_timeout') ?? 0)
    connection.backend = await this.#sessions.take(options, { options, application_name: 'svc simulation' })
    connection.receive(greeting(connection.backend.pid))
  }

  /** The client closed the connection, or its process is gone. */
  leave(connection: LinkConnection): void {
    this.#drop(connection)
  }

  async #endDropped(): Promise<void> {
    const dropped = this.#dropped.splice(0)
    for (const backend of dropped) await this.#sessions.end(backend)
    await this.#lookAgain(dropped)
  }

  /** Statements that waited for a lock of these sessions may have got it. */
  async #lookAgain(released: readonly Backend[]): Promise<void> {
    if (released.some((backend) => this.#waits.isAwaited(backend)))
      await this.#waits.settle(this.#waitingBackends())
    for (const other of [...this.#connections]) {
      if (!other.is_waiting || !other.backend?.outcome) continue
      // What one answer causes ends before the next one arrives.
      await this.#world!.settle()
      if (other.backend) this.#conclude(other)
    }
  }

  /** Hands over the answer, or begins to wait for it. */
  #conclude(connection: LinkConnection): void {
    const backend = connection.backend!
    const was_waiting = connection.is_waiting
    connection.is_waiting = !backend.outcome
    if (!backend.outcome) {
      if (!was_waiting) connection.limitStatement(() => this.#cancel(connection))
      return
    }
    const { answer } = backend.outcome
    connection.endLimit()
    if (!answer || connection.cut_after) this.#cut(connection)
    else if (!connection.loses_answers) {
      if (backend.transaction_status !== 'I') connection.limitIdle(() => this.#endSession(connection))
      connection.receive(answer)
    }
  }

  /** As the server's statement_timeout, in simulated time. */
  async #cancel(connection: LinkConnection): Promise<void> {
    const backend = connection.backend!
    await this.#sessions.cancel(backend)
    this.#conclude(connection)
    await this.#lookAgain([backend])
  }

  /** By the server itself. */
  async #endSession(connection: LinkConnection): Promise<void> {
    const backend = connection.backend!
    connection.backend = undefined
    await this.#sessions.end(backend)
    this.#cut(connection)
    await this.#lookAgain([backend])
  }

  async #setTime(): Promise<void> {
    const now_ms = this.#world!.now_ms
    if (now_ms === this.#database_ms) return
    this.#database_ms = now_ms
    await setTime(this.control, now_ms)
  }

  /** The commit's answer came after its notifications were queued, so a turn of each listener hands them over. */
  async #collectNotifications(): Promise<void> {
    const listening = [...this.#connections].filter(
      ({ backend, is_waiting }) => backend?.is_listening && !is_waiting && backend.transaction_status === 'I',
    )
    const backends = listening.map(({ backend }) => backend!)
    for (const backend of backends) backend.send(simpleQuery(''))
    await Promise.all(backends.map(({ answered }) => answered))
    for (const [i, connection] of listening.entries())
      for (const bytes of backends[i]!.notifications.splice(0)) connection.deliverLater(bytes)
  }

  #connectionOf(process: SimulatedProcess): LinkConnection {
    const connection = new LinkConnection(this, process, ++this.#connections_made)
    this.#connections.add(connection)
    return connection
  }

  #cut(connection: LinkConnection): void {
    this.#drop(connection)
    connection.break(Object.assign(new Error('the connection was cut'), { code: 'ECONNRESET' }))
  }

  #drop(connection: LinkConnection): void {
    this.#connections.delete(connection)
    connection.endLimit()
    const { backend } = connection
    connection.backend = undefined
    if (!backend) return
    this.#dropped.push(backend)
    const world = this.#world!
    // The server notices later that its client is gone: until then its locks are held.
    const run = () => this.#endDropped()
    world.add({ name: 'end sessions', process: serverOf(world), due_ms: 0, run })
  }

  #leave(process: SimulatedProcess): void {
    for (const connection of this.#connections) if (connection.process === process) this.#drop(connection)
  }
}

/** AuthenticationOk, BackendKeyData and ReadyForQuery. */
function greeting(pid: number): Buffer {
  const bytes = Buffer.alloc(9 + 13 + 6)
  bytes.write('R', 0)
  bytes.writeUInt32BE(8, 1)
  bytes.write('K', 9)
  bytes.writeUInt32BE(12, 10)
  bytes.writeUInt32BE(pid, 14)
  bytes.write('Z', 22)
  bytes.writeUInt32BE(5, 23)
  bytes.write('I', 27)
  return bytes
}
