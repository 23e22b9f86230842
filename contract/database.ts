// The database as its callers see it. Statements are written with `sql` of @svc/database.
import type { PageArchive } from './audit/page-archive.ts'

/** `$1` in the text is the first value. */
export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

export interface Result<Row> {
  readonly rows: Row[]
  /** Only for statements that change rows. */
  readonly numAffectedRows?: bigint
}

/** The tenant's rows, inside this operation's own transaction: opened at first use, committed when the handler returns. */
export interface Database {
  execute<Row>(statement: Statement): Promise<Result<Row>>
  /** Where pages of the audit log are that have left the database; undefined where none is configured. */
  readonly page_archive?: PageArchive | undefined
  /** Inside `transaction`, where no other transaction can begin. */
  readonly isTransaction: boolean
  /** Committed when the work returns, rolled back when it throws. */
  transaction<Value>(work: (db: Database) => Promise<Value>, mode?: TransactionMode): Promise<Value>
  /** One connection for several statements, each committed by itself. */
  connection<Value>(work: (db: Database) => Promise<Value>): Promise<Value>
}

export type TransactionMode = 'isolation level repeatable read' | 'isolation level repeatable read read only'
