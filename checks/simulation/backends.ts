// Real sessions of PostgreSQL behind simulated connections: one statement goes in, its whole answer comes out.
import type { Socket } from 'node:net'
import { Client, type ClientConfig } from 'pg'
import { parse_complete, StatementNames } from './statement-names.ts'

const ready_for_query = 0x5a
const notification = 0x41
const parse_completed = parse_complete[0]
const head_bytes = 5
const terminate_message = Buffer.from([0x58, 0, 0, 0, 4])
/** DISCARD ALL without its DEALLOCATE ALL and DISCARD PLANS. */
const forget_sql = `CLOSE ALL; SET SESSION AUTHORIZATION DEFAULT; RESET ALL; UNLISTEN *;
  SELECT pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES`

/** The answer up to and with ReadyForQuery; undefined where the session is gone. */
type Answer = Buffer | undefined

export type Outcome = { readonly answer: Answer }

export class Backend {
  readonly pid: number
  /** Startup parameters: a session is only reused under the same ones. */
  readonly key: string
  readonly notifications: Buffer[] = []
  /** `I` outside of a transaction, `T` inside, `E` in one that failed. */
  transaction_status = 'I'
  is_listening = false
  is_gone = false
  /** Of what was sent last; undefined until it is answered. */
  outcome: Outcome | undefined = { answer: undefined }
  readonly #socket: Socket
  #bytes: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #parts: Buffer[] = []
  readonly #names = new StatementNames()
  readonly #closed = Promise.withResolvers<void>()
  #answered = Promise.withResolvers<void>()
  readonly #onEnd: () => void

  /** `onEnd`: a transaction of this session may have ended. */
  constructor(client: Client, key: string, onEnd: () => void) {
    this.#onEnd = onEnd
    const session = client as unknown as { processID: number; connection: { stream: Socket } }
    this.pid = session.processID
    this.key = key
    this.#socket = session.connection.stream
    // From here on the bytes belong to the simulated connection.
    this.#socket.removeAllListeners()
    this.#socket.on('data', (bytes: Buffer) => this.#read(bytes))
    this.#socket.on('error', () => {})
    this.#socket.on('end', () => this.#socket.destroy())
    this.#socket.on('close', () => {
      this.is_gone = true
      this.#conclude(undefined)
      this.#closed.resolve()
    })
  }

  send(bytes: Uint8Array): void {
    this.outcome = undefined
    this.#answered = Promise.withResolvers<void>()
    if (this.is_gone) this.#conclude(undefined)
    else this.#socket.write(bytes)
  }

  /** Sends what a client has sent. */
  relay(unit: Buffer): void {
    const { bytes, is_prepared } = this.#names.translate(unit, this.transaction_status === 'E')
    if (is_prepared) this.#parts.push(parse_complete)
    this.send(bytes)
  }

  /** Ready for another client. */
  forgetClient(): void {
    this.is_listening = false
    this.notifications.length = 0
    this.#names.forgetClient()
  }

  /** Once what was sent last is answered, or the session is gone. */
  get answered(): Promise<void> {
    return this.#answered.promise
  }

  async answersWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms)
    })
    await Promise.race([this.answered, late])
    clearTimeout(timer)
    return this.outcome !== undefined
  }

  get closed(): Promise<void> {
    return this.#closed.promise
  }

  /** As its client would end it. */
  leave(): void {
    if (!this.is_gone) this.#socket.write(terminate_message)
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
      if (message[0] === parse_completed) this.#names.parsed()
      if (message[0] === ready_for_query) this.#finish(String.fromCharCode(message[head_bytes]!))
    }
  }

  #finish(status: string): void {
    this.transaction_status = status
    this.#names.ready()
    const answer = Buffer.concat(this.#parts)
    this.#parts = []
    this.#conclude(answer)
  }

  #conclude(answer: Answer): void {
    if (!answer || this.transaction_status === 'I') this.#onEnd()
    this.outcome ??= { answer }
    this.#answered.resolve()
  }
}

/** Sessions of one database, reused between simulated connections, because starting one costs milliseconds. */
export class Backends {
  readonly #url: string
  readonly #control: Client
  readonly #idle: Backend[] = []
  /** How many transactions may have ended: while it stays the same, so do all tables. */
  ended = 0

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
    return new Backend(client, key, () => this.ended++)
  }

  /** Ends the session as its server would: its statement and transaction are undone, its locks and settings are gone. */
  async end(backend: Backend): Promise<void> {
    if (!backend.outcome) await this.cancel(backend)
    if (backend.transaction_status !== 'I') await this.#order(backend, 'ROLLBACK')
    await this.#order(backend, forget_sql)
    backend.forgetClient()
    if (!backend.is_gone) this.#idle.push(backend)
  }

  /** Only of a statement that waits: it answers for certain. */
  async cancel(backend: Backend): Promise<void> {
    await this.#control.query('SELECT pg_cancel_backend($1)', [backend.pid])
    await backend.answered
  }

  async close(): Promise<void> {
    const ended = this.#idle.splice(0)
    for (const backend of ended) backend.leave()
    await Promise.all(ended.map(({ closed }) => closed))
  }

  /** Outside of the simulation: an answer is certain, nothing blocks it. */
  async #order(backend: Backend, text: string): Promise<void> {
    backend.send(simpleQuery(text))
    await backend.answered
  }
}

export function simpleQuery(text: string): Buffer {
  const body = Buffer.from(`${text}\0`)
  const head = Buffer.alloc(head_bytes)
  head[0] = 0x51
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
