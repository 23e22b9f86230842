// PostgreSQL's description of a statement without running it: its parameters, its columns, and its fault.
import { type Client, type Connection, types } from 'pg'

export interface Described {
  /** Why it cannot be prepared. */
  readonly fault?: string
  readonly parameters: readonly PgType[]
  readonly columns: readonly Column[]
}

export interface Column {
  readonly name: string
  readonly type: PgType
  /** The column's table, unless it is computed. */
  readonly table: string | undefined
  /** Whether the column may be null in its table; unknown for a view. */
  readonly nullable: boolean
}

export interface PgType {
  readonly name: string
  readonly oid: number
  readonly element?: PgType
}

interface Field {
  readonly name: string
  readonly tableID: number
  readonly columnID: number
  readonly dataTypeID: number
}

/** The minimal query object for the driver to deliver the answers. */
class Description {
  readonly #text: string
  readonly #settle: (answer: Answer) => void
  parameters: readonly number[] = []
  fields: readonly Field[] = []
  fault: string | undefined

  constructor(text: string, settle: (answer: Answer) => void) {
    this.#text = text
    this.#settle = settle
  }
  submit(connection: Connection): void {
    const answers = connection as unknown as NodeJS.EventEmitter
    answers.once('parameterDescription', ({ dataTypeIDs }) => {
      this.parameters = dataTypeIDs
    })
    connection.parse({ name: '', text: this.#text, types: [] }, true)
    connection.describe({ type: 'S', name: '' }, true)
    connection.sync()
  }
  handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
    this.fields = fields
  }
  handleError(error: Error): void {
    this.fault = error.message
    this.#settle(this)
  }
  handleReadyForQuery(): void {
    this.#settle(this)
  }
}

type Answer = Pick<Description, 'parameters' | 'fields' | 'fault'>

export class Describer {
  readonly #client: Client
  readonly #types: ReadonlyMap<number, TypeRow>
  readonly #columns: ReadonlyMap<string, ColumnRow>

  private constructor(client: Client, types: readonly TypeRow[], columns: readonly ColumnRow[]) {
    this.#client = client
    this.#types = new Map(types.map((row) => [row.oid, row]))
    this.#columns = new Map(columns.map((row) => [row.place, row]))
  }

  static async open(client: Client): Promise<Describer> {
    const result = await client.query<TypeRow>(
      `SELECT oid, typname AS name, typelem AS element, typbasetype AS base, typcategory AS category FROM pg_type`,
    )
    const columns = await client.query<ColumnRow>(
      `SELECT c.oid::text || '.' || a.attnum AS place, c.relname AS table, NOT a.attnotnull AND a.attnum > 0 AND c.relkind IN ('r', 'p') AS nullable
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid`,
    )
    return new Describer(client, result.rows, columns.rows)
  }

  async describe(text: string): Promise<Described> {
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#client.query(new Description(text, resolve))
    const { fault, parameters, fields } = await promise
    if (fault !== undefined) return { fault, parameters: [], columns: [] }
    return {
      parameters: parameters.map((oid) => this.#type(oid)),
      columns: fields.map(({ name, tableID, columnID, dataTypeID }) => {
        const { table, nullable = false } = this.#columns.get(`${tableID}.${columnID}`) ?? {}
        return { name, type: this.#type(dataTypeID), table, nullable }
      }),
    }
  }

  #type(oid: number): PgType {
    const row = this.#types.get(oid)
    if (!row) return { name: String(oid), oid }
    if (row.base) return this.#type(row.base)
    return { name: row.name, oid, ...(row.category === 'A' && { element: this.#type(row.element) }) }
  }
}

interface TypeRow {
  readonly oid: number
  readonly name: string
  readonly element: number
  readonly base: number
  readonly category: string
}

interface ColumnRow {
  readonly place: string
  readonly table: string
  readonly nullable: boolean
}

const samples: Readonly<Record<string, string>> = {
  bool: 't',
  timestamptz: '2026-01-01 00:00:00+00',
  timestamp: '2026-01-01 00:00:00',
  date: '2026-01-01',
  bytea: '\\x00',
  json: '{}',
  jsonb: '{}',
}

/** How the driver parses a value of this type, found by trying. */
export function readAs(type: PgType): unknown {
  const read = types.getTypeParser(type.oid, 'text')
  const sample = samples[(type.element ?? type).name] ?? '1'
  return read(type.element ? `{${JSON.stringify(sample)}}` : sample)
}
