// SQL as text with values: an interpolated value becomes a parameter, unless it is SQL itself.
import type { Database, Result, Statement } from '@svc/contract/database'

/** A statement or a fragment. `Row` is the type of its rows: `npm run check` compares it with the database. */
export class Fragment<Row = unknown> {
  readonly #texts: readonly string[]
  /** Between the texts, so one fewer. */
  readonly #values: readonly unknown[]

  constructor(texts: readonly string[], values: readonly unknown[]) {
    this.#texts = texts
    this.#values = values
  }

  execute(db: Database): Promise<Result<Row>> {
    return db.execute<Row>(this.statement())
  }

  async all(db: Database): Promise<Row[]> {
    return (await this.execute(db)).rows
  }

  async first(db: Database): Promise<Row | undefined> {
    return (await this.execute(db)).rows[0]
  }

  async exists(db: Database): Promise<boolean> {
    return (await this.execute(db)).rows.length > 0
  }

  statement(): Statement {
    const values: unknown[] = []
    return { text: this.#write('', values), values }
  }

  #write(before: string, values: unknown[]): string {
    let text = before + this.#texts[0]
    for (let index = 0; index < this.#values.length; index++) {
      const value = this.#values[index]
      text = value instanceof Fragment ? value.#write(text, values) : `${text}$${values.push(value)}`
      text += this.#texts[index + 1]
    }
    return text
  }
}

/** A column that is nullable in its table and never null in these rows: by their condition, or because it is set with another. */
export type NotNull<Value> = Value

/** `sql<{ name: string }>\`SELECT name FROM tenants WHERE tenant_id = ${tenant_id}\`.execute(db)` */
export function sql<Row = unknown>(texts: TemplateStringsArray, ...values: unknown[]): Fragment<Row> {
  return new Fragment(texts, values)
}

/** Raw SQL: never with anything from outside. */
sql.raw = <Row = unknown>(text: string): Fragment<Row> => new Fragment([text], [])

/** A column, with or without its table: `r.seq`. */
sql.ref = (name: string): Fragment => sql.raw(name.split('.').map(quoted).join('.'))

sql.table = (name: string): Fragment => sql.ref(name)

/** A constant in the text itself, where the planner should see it or no parameter is allowed. */
sql.lit = (value: string | number): Fragment =>
  sql.raw(typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`)

sql.join = (items: readonly unknown[], separator: Fragment = comma): Fragment => {
  const values = items.flatMap((item, index) => (index === 0 ? [item] : [separator, item]))
  return new Fragment(new Array(values.length + 1).fill(''), values)
}

const comma = sql.raw(', ')

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
