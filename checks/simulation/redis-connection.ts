// The socket of a Redis client in a simulated process, without a network: whole commands and whole replies become tasks.
import { EventEmitter } from 'node:events'
import { connect as connectReal, type Socket } from 'node:net'
import type { SimulatedProcess } from './world.ts'

/** What happens to the next command of a process's links. */
export type RedisFault =
  /** The connection breaks and the command never arrives. */
  | 'cut before'
  /** The command runs, and the connection breaks before its reply. */
  | 'cut after'
  /** The command runs, and no reply ever comes. */
  | 'lose answer'

export interface RedisLinkState {
  fault: RedisFault | undefined
  /** `refused`: the connection breaks at once. `silent`: nothing passes, and nobody says so. */
  reach: 'open' | 'refused' | 'silent'
}

/** The other end. */
interface RedisServer {
  readonly port: number
  readonly process: SimulatedProcess
  link(process: SimulatedProcess): RedisLinkState
  /** A command as it is sent to the real server: with simulated time and expiry. */
  translate(words: readonly string[]): readonly string[]
}

export class RedisConnection extends EventEmitter {
  readonly process: SimulatedProcess
  readonly readable = true
  readonly writableNeedDrain = false
  writable = true
  destroyed = false
  readonly #server: RedisServer
  readonly #name: string
  #socket: Socket | undefined
  #commands: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #replies: Buffer<ArrayBufferLike> = Buffer.alloc(0)
  #replied: ((reply: Buffer | undefined) => void) | undefined
  #loses_answers = false

  constructor(server: RedisServer, process: SimulatedProcess, number: number) {
    super()
    this.#server = server
    this.process = process
    this.#name = `Redis ${number}`
    this.#addTask(process, 'connect', () => this.#connect())
  }

  write(chunk: string | Buffer): boolean {
    this.#commands = Buffer.concat([this.#commands, Buffer.from(chunk)])
    for (let end = replyEnd(this.#commands, 0); end > 0; end = replyEnd(this.#commands, 0)) {
      const words = wordsOf(this.#commands.subarray(0, end))
      this.#commands = this.#commands.subarray(end)
      this.#addTask(this.#server.process, words[0]!, () => this.#execute(words))
    }
    return true
  }

  /** As the client sees it when the other end is gone. */
  break(code: string): void {
    if (this.destroyed) return
    this.#end()
    if (!this.process.is_alive) return
    this.process.run(() => {
      this.emit('error', Object.assign(new Error(`the connection to Redis was cut: ${code}`), { code }))
      this.emit('close', true)
    })
  }

  destroy(): this {
    if (this.destroyed) return this
    this.#end()
    if (this.process.is_alive) this.process.run(() => process.nextTick(() => this.emit('close', false)))
    return this
  }

  setTimeout(): void {}
  ref(): void {}
  unref(): void {}
  cork(): void {}
  uncork(): void {}

  #end(): void {
    this.destroyed = true
    this.writable = false
    this.#socket?.destroy()
    this.#replied?.(undefined)
  }

  async #connect(): Promise<void> {
    const { reach } = this.#server.link(this.process)
    if (reach === 'refused') return this.break('ECONNREFUSED')
    if (reach === 'silent' || this.destroyed) return
    const socket = connectReal({ port: this.#server.port, host: '127.0.0.1', noDelay: true })
    this.#socket = socket
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
    socket.on('error', () => {})
    socket.on('data', (bytes: Buffer) => this.#read(bytes))
    this.process.run(() => this.emit('connect'))
  }

  async #execute(words: readonly string[]): Promise<void> {
    if (this.destroyed || this.#loses_answers) return
    const link = this.#server.link(this.process)
    const { fault } = link
    // A client that connects is not hit: the fault waits for its commands.
    const is_hit = fault !== undefined && words[0] === 'EVALSHA'
    if (is_hit) link.fault = undefined
    if (link.reach === 'refused' || (is_hit && fault === 'cut before')) return this.break('ECONNRESET')
    if (link.reach === 'silent') {
      this.#loses_answers = true
      return
    }
    const reply = await this.#ask(this.#server.translate(words))
    if (is_hit && fault === 'lose answer') this.#loses_answers = true
    if (this.#loses_answers || !reply) return
    if (is_hit && fault === 'cut after') return this.break('ECONNRESET')
    this.#addTask(this.process, 'reply', () => {
      // No socket passes on what comes after bytes that it lost.
      if (this.#server.link(this.process).reach !== 'open') this.#loses_answers = true
      if (!this.destroyed && !this.#loses_answers) this.process.run(() => this.emit('data', reply))
    })
  }

  #ask(words: readonly string[]): Promise<Buffer | undefined> {
    const { promise, resolve } = Promise.withResolvers<Buffer | undefined>()
    this.#replied = resolve
    this.#socket!.write(commandOf(words))
    return promise
  }

  #read(bytes: Buffer): void {
    this.#replies = Buffer.concat([this.#replies, bytes])
    const end = replyEnd(this.#replies, 0)
    if (end < 0) return
    const reply = this.#replies.subarray(0, end)
    this.#replies = this.#replies.subarray(end)
    this.#replied?.(reply)
  }

  #addTask(process: SimulatedProcess, name: string, run: () => void | Promise<void>): void {
    const channel = `${this.#name} ${process.name}`
    process.world.add({ name: `${this.#name} ${name}`, process, channel, due_ms: 0, run })
  }
}

function commandOf(words: readonly string[]): string {
  const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${parts.join('')}`
}

/** The words of a whole command: an array of texts. */
function wordsOf(command: Buffer): string[] {
  const words: string[] = []
  for (let at = lineEnd(command, 0); at < command.length; ) {
    const begin = lineEnd(command, at)
    const end = begin + Number(command.toString('latin1', at + 1, begin - 2))
    words.push(command.toString('utf8', begin, end))
    at = end + 2
  }
  return words
}

const line_types = '+-:,#_('
const text_types = '$=!'

/** Where the value that begins here ends; -1 where it is not complete. */
function replyEnd(bytes: Buffer, at: number): number {
  const end = lineEnd(bytes, at)
  if (end < 0) return -1
  const type = String.fromCharCode(bytes[at]!)
  if (line_types.includes(type)) return end
  const count = Number(bytes.toString('latin1', at + 1, end - 2))
  if (text_types.includes(type)) {
    const text_end = count < 0 ? end : end + count + 2
    return text_end <= bytes.length ? text_end : -1
  }
  let place = end
  for (let i = 0; i < (type === '%' ? 2 * count : count) && place >= 0; i++) place = replyEnd(bytes, place)
  return place
}

function lineEnd(bytes: Buffer, at: number): number {
  const end = bytes.indexOf('\r\n', at)
  return end < 0 ? -1 : end + 2
}
