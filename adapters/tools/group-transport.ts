// MCP over the pipes of a program from the operator's list; it ends with the connection, with everything it started.
import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import type { AllowedCommand } from '@svc/contract/needs/commands'
import { type ProcessGroup, startGroup } from '../processes/process-group.ts'

const close_grace_ms = 1_000
const newline = 0x0a

// A class because it must be closed.
export class GroupTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void
  readonly #command: AllowedCommand
  readonly #message_bytes_max: number
  /** The line being read, in pieces: joined once, or many small pieces would cost the square of their number. */
  #line: Buffer[] = []
  #line_bytes = 0
  #group: ProcessGroup | undefined
  #is_closed = false

  constructor(command: AllowedCommand, message_bytes_max: number) {
    this.#command = command
    this.#message_bytes_max = message_bytes_max
  }

  async start(): Promise<void> {
    const group = await startGroup(this.#command, { onOutput: (chunk) => this.#read(chunk) })
    this.#group = group
    group.ended.then(() => this.#closed())
    if (this.#is_closed) await group.stopGroup(0)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#group ?? {}
    if (!stdin?.writable) throw new Error('the program takes no more')
    if (stdin.write(serializeMessage(message))) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const done = () => resolve()
    stdin.once('drain', done).once('close', done)
    await promise
    stdin.off('drain', done).off('close', done)
  }

  async close(): Promise<void> {
    this.#is_closed = true
    this.#group?.stdin.end()
    await this.#group?.stopGroup(close_grace_ms)
    this.#closed()
  }

  #read(chunk: Buffer): void {
    let from = 0
    for (
      let end = chunk.indexOf(newline);
      end !== -1 && !this.#is_closed;
      end = chunk.indexOf(newline, from)
    ) {
      this.#keep(chunk.subarray(from, end))
      from = end + 1
      const line = Buffer.concat(this.#line).toString('utf8')
      this.#line = []
      this.#line_bytes = 0
      this.#hear(line)
    }
    this.#keep(chunk.subarray(from))
  }

  #keep(part: Buffer): void {
    this.#line.push(part)
    this.#line_bytes += part.length
    if (this.#line_bytes <= this.#message_bytes_max || this.#is_closed) return
    // After a message that is too large, message boundaries are unknown.
    this.onerror?.(new Error('too large'))
    this.close().catch(() => {})
  }

  #hear(line: string): void {
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch (error) {
      // Programs print other things too; only messages count.
      this.onerror?.(error as Error)
      return
    }
    this.onmessage?.(message)
  }

  #closed(): void {
    this.#is_closed = true
    const { onclose } = this
    delete this.onclose
    onclose?.()
  }
}
