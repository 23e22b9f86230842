// The simulated link to a real PostgreSQL: our SQL runs for real, one statement at a time, in the order that the seed decides.
// Connections of `pg` made in a simulated process come here; their bytes never touch a socket of their own.
import { Client, Connection } from 'pg'
import { testDatabase } from '../rehearsal/test-database.ts'
import { type Backend, Backends, simpleQuery } from './backends.ts'
import { LinkConnection, labelOf, serverOf } from './link-connection.ts'
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

const time_sql = `
  CREATE SCHEMA IF NOT EXISTS simulation;
  CREATE SEQUENCE simulation.clock_ms MINVALUE 0;
  CREATE FUNCTION simulation.clock_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT to_timestamp(last_value / 1000.0) FROM simulation.clock_ms';
  CREATE FUNCTION simulation.now() RETURNS timestamptz LANGUAGE sql STABLE AS $$
    SELECT coalesce(nullif(current_setting('simulation.now', true), ''),
      set_config('simulation.now', simulation.clock_timestamp()::text, true))::timestamptz $$;
  CREATE FUNCTION simulation.statement_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT simulation.clock_timestamp()';
  CREATE FUNCTION simulation.transaction_timestamp() RETURNS timestamptz LANGUAGE sql STABLE AS
    'SELECT simulation.now()';
  GRANT USAGE ON SCHEMA simulation TO PUBLIC;
  GRANT SELECT ON simulation.clock_ms TO PUBLIC`

/** A clone with all migrations, used by every seed of this process: each seed has tenants of its own. */
export class SimulationDatabase {
  readonly url: string
  /** As the owner, outside of the simulation: for invariants. */
  readonly control: Client
  readonly #sessions: Backends
  readonly #links = new Map<SimulatedProcess, LinkState>()
  readonly #connections = new Set<LinkConnection>()
  readonly #dropped: { backend: Backend; is_waiting: boolean }[] = []
  readonly #close: () => Promise<void>
  #world: World | undefined
  #database_ms = 0
  #connections_made = 0

  private constructor(url: string, control: Client, close: () => Promise<void>) {
    this.url = url
    this.control = control
    this.#sessions = new Backends(url, control)
    this.#close = close
  }

  static async open(): Promise<SimulationDatabase> {
    const { url, close } = await testDatabase()
    const control = new Client({ connectionString: url })
    control.on('error', () => {})
    await control.connect()
    await control.query(time_sql)
    const { rows } = await control.query<{ name: string }>('SELECT quote_ident(current_database()) AS name')
    await control.query(`ALTER DATABASE ${rows[0]!.name} SET search_path = simulation, pg_catalog, public`)
    return new SimulationDatabase(url, control, close)
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
    if (fault === 'kill session') {
      await this.#sessions.end(backend)
      this.#cut(connection)
      return this.#lookAgain()
    }
    await this.#setTime()
    if (/^listen/i.test(label)) backend.is_listening = true
    backend.send(unit)
    if (fault === 'lose answer') connection.loses_answers = true
    await this.#await(connection, fault === 'cut after')
    await this.#lookAgain()
    await this.#collectNotifications()
  }

  /** Breaks every connection of a process. */
  cutAll(process: SimulatedProcess): void {
    for (const connection of [...this.#connections])
      if (connection.process === process || connection.process.parent === process) this.#cut(connection)
  }

  async startUp(connection: LinkConnection, parameters: ReadonlyMap<string, string>): Promise<void> {
    if (this.link(connection.process).is_partitioned) return this.#cut(connection)
    const options = `-c deadlock_timeout=1ms ${parameters.get('options') ?? ''}`
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
    for (const { backend, is_waiting } of this.#dropped.splice(0))
      await this.#sessions.give(backend, is_waiting)
  }

  /** Statements that waited for a lock may have got it. */
  async #lookAgain(): Promise<void> {
    for (const other of [...this.#connections]) {
      if (!other.is_waiting) continue
      // What the answer before it causes must not race with the real time that this one takes.
      await this.#world!.settle()
      if (other.is_waiting && other.backend) await this.#await(other, other.cut_after)
    }
  }

  async #await(
    connection: LinkConnection,
    cut_after: boolean,
    isBlocked = (pid: number) => this.#isBlocked(pid),
  ): Promise<void> {
    const backend = connection.backend!
    const was_waiting = connection.is_waiting
    connection.is_waiting = false
    connection.cut_after = cut_after
    const outcome = await backend.outcome(isBlocked)
    if (outcome === 'waiting') {
      connection.is_waiting = true
      if (!was_waiting) connection.limitStatement(() => this.#cancel(connection))
      return
    }
    connection.endLimit()
    if (!outcome.answer || cut_after) return this.#cut(connection)
    if (connection.loses_answers) return
    if (backend.transaction_status !== 'I') connection.limitIdle(() => this.#endIdle(connection))
    connection.receive(outcome.answer)
  }

  /** As the server's statement_timeout, in simulated time. */
  async #cancel(connection: LinkConnection): Promise<void> {
    await this.control.query('SELECT pg_cancel_backend($1)', [connection.backend!.pid])
    connection.is_waiting = false
    // A cancelled statement answers for certain; until the signal arrives it only looks blocked.
    await this.#await(connection, connection.cut_after, async () => false)
  }

  /** As the server's idle_in_transaction_session_timeout, in simulated time. */
  async #endIdle(connection: LinkConnection): Promise<void> {
    if (connection.backend) await this.#sessions.end(connection.backend)
    this.#cut(connection)
    await this.#lookAgain()
  }

  async #isBlocked(pid: number): Promise<boolean> {
    const { rows } = await this.control.query<{ blocked: boolean }>(
      'SELECT cardinality(pg_blocking_pids($1)) > 0 AS blocked',
      [pid],
    )
    return rows[0]!.blocked
  }

  async #setTime(): Promise<void> {
    const now_ms = this.#world!.now_ms
    if (now_ms === this.#database_ms) return
    this.#database_ms = now_ms
    await this.control.query("SELECT setval('simulation.clock_ms', $1)", [now_ms])
  }

  /** The commit's answer came after its notifications were queued, so a turn of each listener hands them over. */
  async #collectNotifications(): Promise<void> {
    for (const connection of this.#connections) {
      const { backend } = connection
      if (!backend?.is_listening || connection.is_waiting || backend.transaction_status !== 'I') continue
      backend.send(simpleQuery(''))
      await backend.outcome(async () => false)
      for (const bytes of backend.notifications.splice(0)) connection.deliverLater(bytes)
    }
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
    const { backend, is_waiting } = connection
    connection.backend = undefined
    if (!backend) return
    this.#dropped.push({ backend, is_waiting: is_waiting || connection.loses_answers })
    const world = this.#world!
    // The server notices later that its client is gone: until then its locks are held.
    const run = () => this.#endDropped().then(() => this.#lookAgain())
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
