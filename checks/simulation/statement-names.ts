// Statements stay prepared in a real session after the simulated connection to it has ended, because planning them costs more than
// running them. The server knows each text under one name; the names of clients are translated, and a client notices nothing.

const parse = 0x50
const bind = 0x42
const describe = 0x44
const head_bytes = 5
const of_statement = 0x53

/** ParseComplete, as the server answers it. */
export const parse_complete = Buffer.from([0x31, 0, 0, 0, 4])

export class StatementNames {
  /** By text and types of parameters. */
  readonly #prepared = new Map<string, string>()
  readonly #of_client = new Map<string, string>()
  #parsing: string | undefined
  #names_made = 0

  /** The unit as the server gets it, and whether its first answer, ParseComplete, is left out because it is prepared already. */
  translate(unit: Buffer, is_failed: boolean): { bytes: Buffer; is_prepared: boolean } {
    const messages: Buffer[] = []
    let is_prepared = false
    for (let at = 0; at < unit.length; ) {
      const end = at + 1 + unit.readUInt32BE(at + 1)
      const message = unit.subarray(at, end)
      const type = unit[at]
      if (type === parse) {
        if (at > 0) throw new Error('only one statement is parsed at a time')
        is_prepared = this.#parse(message, is_failed, messages)
      } else if (type === bind) messages.push(this.#renameSecond(message))
      else if (type === describe && message[head_bytes] === of_statement)
        messages.push(this.#rename(message, head_bytes + 1))
      else messages.push(message)
      at = end
    }
    return { bytes: messages.length === 1 ? messages[0]! : Buffer.concat(messages), is_prepared }
  }

  /** The server has prepared what was sent to it last. */
  parsed(): void {
    this.#parsing = undefined
  }

  /** Everything that was sent is answered. */
  ready(): void {
    if (this.#parsing !== undefined) this.#prepared.delete(this.#parsing)
    this.#parsing = undefined
  }

  /** Another client's names may mean something else. */
  forgetClient(): void {
    this.#of_client.clear()
  }

  /** True where the server need not parse it again. In a failed transaction it refuses to, and the client must get that answer. */
  #parse(message: Buffer, is_failed: boolean, messages: Buffer[]): boolean {
    const name_end = message.indexOf(0, head_bytes)
    const text = message.toString('latin1', name_end + 1)
    const is_prepared = this.#prepared.has(text)
    const name = this.#prepared.get(text) ?? `s${++this.#names_made}`
    this.#of_client.set(message.toString('utf8', head_bytes, name_end), name)
    if (is_prepared && !is_failed) return true
    if (!is_prepared) {
      this.#prepared.set(text, name)
      this.#parsing = text
    }
    messages.push(replaced(message, head_bytes, name_end, name))
    return false
  }

  #renameSecond(message: Buffer): Buffer {
    return this.#rename(message, message.indexOf(0, head_bytes) + 1)
  }

  #rename(message: Buffer, at: number): Buffer {
    const end = message.indexOf(0, at)
    const name = message.toString('utf8', at, end)
    return replaced(message, at, end, this.#of_client.get(name) ?? name)
  }
}

function replaced(message: Buffer, at: number, end: number, name: string): Buffer {
  const bytes = Buffer.concat([message.subarray(0, at), Buffer.from(name), message.subarray(end)])
  bytes.writeUInt32BE(bytes.length - 1, 1)
  return bytes
}
