// The database as whoever asks it sees it. Statements are written with `sql` of @svc/database.

/** In the text `$1` stands where the first of the values belongs. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Result<Row> {
  readonly rows: Row[]
  /** Only of a statement that changes rows. */
  readonly numAffectedRows?: bigint
}

/** The tenant's rows, inside this operation's own transaction: opened at first use, committed when the handler returns. */
export interface Database {
  execute<Row>(statement: Statement): Promise<Result<Row>>
  /** Inside the work of `transaction`, where no other can begin. */
  readonly isTransaction: boolean
  /** Committed when the work returns, rolled back when it throws. */
  transaction<Value>(work: (db: Database) => Promise<Value>, mode?: TransactionMode): Promise<Value>
  /** One connection for several statements, each committed by itself. */
  connection<Value>(work: (db: Database) => Promise<Value>): Promise<Value>
}

export type TransactionMode = 'isolation level repeatable read' | 'isolation level repeatable read read only'
