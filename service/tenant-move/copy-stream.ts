// COPY from one database to another, in PostgreSQL's binary form: values arrive as they were, and little of them is in memory.
import type { Connection as AnyConnection, Client, Submittable } from 'pg'

/** The source waits while more than this is on its way to the target. */
const on_the_way_bytes_max = 4 * 1024 * 1024

/** What pg has for COPY, which its types leave out. */
interface Connection extends AnyConnection {
  sendCopyFromChunk(chunk: Buffer): void
  endCopyFrom(): void
  sendCopyFail(message: string): void
}

interface CommandComplete {
  readonly text: string
}

/** What pg calls while a COPY runs. */
abstract class Copying implements Submittable {
  readonly #text: string
  readonly #done = Promise.withResolvers<number>()
  #rows = 0
  #error: Error | undefined

  constructor(text: string) {
    this.#text = text
    this.done.catch(() => {})
  }

  /** The number of rows. */
  get done(): Promise<number> {
    return this.#done.promise
  }

  get failed(): boolean {
    return this.#error !== undefined
  }

  submit(connection: AnyConnection): void {
    // unchecked sql: COPY of a table of the catalogue
    connection.query(this.#text)
  }

  handleCommandComplete({ text }: CommandComplete): void {
    this.#rows = Number(text.split(' ').at(-1))
  }

  handleError(error: Error): void {
    this.#error = error
    this.#done.reject(error)
  }

  handleReadyForQuery(): void {
    if (!this.#error) this.#done.resolve(this.#rows)
  }

  handleEmptyQuery(): void {}
}

class CopyIn extends Copying {
  readonly #ready = Promise.withResolvers<Connection>()

  get ready(): Promise<Connection> {
    return this.#ready.promise
  }

  handleCopyInResponse(connection: Connection): void {
    this.#ready.resolve(connection)
  }

  override handleError(error: Error): void {
    super.handleError(error)
    this.#ready.reject(error)
  }
}

class CopyOut extends Copying {
  readonly #take: (chunk: Buffer) => void

  constructor(text: string, take: (chunk: Buffer) => void) {
    super(text)
    this.#take = take
  }

  handleCopyData({ chunk }: { readonly chunk: Buffer }): void {
    this.#take(chunk)
  }
}

export interface CopyTask {
  /** What is read: `SELECT …`. */
  readonly from: string
  /** Where it is written: `table (columns)`. */
  readonly to: string
}

/** Returns the number of rows. Both clients can be used again afterwards, in their transactions, unless this fails. */
export async function copyRows(source: Client, target: Client, { from, to }: CopyTask): Promise<number> {
  const arriving = new CopyIn(`COPY ${to} FROM STDIN (FORMAT binary)`)
  // unchecked sql: COPY of a table of the catalogue
  target.query(arriving)
  const into = await arriving.ready
  const leaving = new CopyOut(`COPY (${from}) TO STDOUT (FORMAT binary)`, (chunk) => {
    if (arriving.failed) return
    into.sendCopyFromChunk(chunk)
    if (into.stream.writableLength <= on_the_way_bytes_max) return
    source.connection.stream.pause()
    into.stream.once('drain', () => source.connection.stream.resume())
  })
  // A target that breaks must not leave the source waiting.
  const resume = () => source.connection.stream.resume()
  arriving.done.catch(resume)
  // unchecked sql: COPY of a table of the catalogue
  source.query(leaving)
  try {
    await leaving.done
  } catch (error) {
    into.sendCopyFail((error as Error).message)
    await arriving.done.catch(() => {})
    throw error
  }
  if (!arriving.failed) into.endCopyFrom()
  return await arriving.done
}
