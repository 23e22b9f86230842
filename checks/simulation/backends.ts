// Real sessions of PostgreSQL behind simulated connections: one statement goes in, its whole answer comes out.
import type { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { Client, type ClientConfig } from 'pg'

const ready_for_query = 0x5a
const notification = 0x41
const head_bytes = 5
/** Without an answer for so long, the session is asked whether it waits for a lock. */
const patience_ms = 4
/** Past it, the deadlock check of a waiting session has run: then only the session that closes a cycle is its victim. */
const deadlock_check_ms = 2
const idle_sessions_max = 24

/** The answer up to and with ReadyForQuery; undefined where the session is gone. */
type Answer = Buffer | undefined

export type Outcome = { readonly answer: Answer } | 'waiting'

export class Backend {
  readonly pid: number
  /** Startup parameters: a session is only reused under the same ones. */
  readonly key: string
  readonly notifications: Buffer[] = []
  /** `I` outside of a transaction, `T` inside, `E` in one that failed. */
  transaction_status = 'I'
  is_listening = false
  is_gone = false
  readonly #socket: Socket
  #bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #parts: Buffer[] = []
  #answered: PromiseWithResolvers<Answer> | undefined

  constructor(client: Client, key: string) {
    const session = client as unknown as { processID: number; connection: { stream: Socket } }
    this.pid = session.processID
    this.key = key
    this.#socket = session.connection.stream
    // From here on the bytes belong to the simulated connection.
    this.#socket.removeAllListeners()
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes))
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => {
      this.is_gone = true
      this.#answered?.resolve(undefined)
    })
  }

  send(bytes: Uint8Array): void {
    this.#answered = Promise.withResolvers<Answer>()
    if (this.is_gone) this.#answered.resolve(undefined)
    else this.#socket.write(bytes)
  }

  /** The answer to what was sent last, or that it waits for a lock of another session. */
  async outcome(isBlocked: (pid: number) => Promise<boolean>): Promise<Outcome> {
    const answered = this.#answered!.promise.then((answer) => ({ answer }))
    for (;;) {
      const first = await Promise.race([answered, pause(patience_ms)])
      if (first) return first
      if (!(await isBlocked(this.pid))) continue
      const late = await Promise.race([answered, pause(deadlock_check_ms)])
      if (late) return late
      if (await isBlocked(this.pid)) return 'waiting'
    }
  }

  destroy(): void {
    this.is_gone = true
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    this.#bytes = this.#bytes.length > 0 ? Buffer.concat([this.#bytes, bytes]) : bytes
    while (this.#bytes.length >= head_bytes) {
      const end = 1 + this.#bytes.readUInt32BE(1)
      if (this.#bytes.length < end) return
      const message = this.#bytes.subarray(0, end)
      this.#bytes = this.#bytes.subarray(end)
      if (message[0] === notification) this.notifications.push(message)
      else this.#parts.push(message)
      if (message[0] === ready_for_query) this.#finish(String.fromCharCode(message[head_bytes]!))
    }
  }

  #finish(status: string): void {
    this.transaction_status = status
    const answer = Buffer.concat(this.#parts)
    this.#parts = []
    this.#answered?.resolve(answer)
  }
}

/** Sessions of one database, reused between simulated connections, because starting one costs milliseconds. */
export class Backends {
  readonly #url: string
  readonly #control: Client
  readonly #idle: Backend[] = []

  constructor(url: string, control: Client) {
    this.#url = url
    this.#control = control
  }

  async take(key: string, config: ClientConfig): Promise<Backend> {
    const at = this.#idle.findIndex((backend) => backend.key === key && !backend.is_gone)
    const [reused] = at === -1 ? [] : this.#idle.splice(at, 1)
    if (reused) return reused
    const client = new Client({ connectionString: this.#url, ...config })
    await client.connect()
    return new Backend(client, key)
  }

  /** Ends the session as its server would: its transaction is rolled back, its locks and settings are gone. */
  async give(backend: Backend, is_waiting: boolean): Promise<void> {
    if (is_waiting || backend.is_gone || this.#idle.length >= idle_sessions_max) return this.end(backend)
    if (backend.transaction_status !== 'I') await this.#order(backend, 'ROLLBACK')
    await this.#order(backend, 'DISCARD ALL')
    backend.is_listening = false
    backend.notifications.length = 0
    if (!backend.is_gone) this.#idle.push(backend)
  }

  /** Returns once the server has given up the session's locks. */
  async end(backend: Backend): Promise<void> {
    backend.destroy()
    await this.#control.query('SELECT pg_terminate_backend($1, 10000)', [backend.pid])
  }

  async close(): Promise<void> {
    for (const backend of this.#idle.splice(0)) await this.end(backend)
  }

  /** Outside of the simulation: an answer is certain, nothing blocks it. */
  async #order(backend: Backend, text: string): Promise<void> {
    backend.send(simpleQuery(text))
    await backend.outcome(async () => false)
  }
}

export function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(head_bytes)
  head[0] = 0x51
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
