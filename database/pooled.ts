// The database behind a pool: each statement takes and returns a connection; a transaction keeps one to its end.
import type { PageArchive } from '@svc/contract/audit/page-archive'
import type { Database, Result, Statement } from '@svc/contract/database'
import type { Pool, PoolClient, QueryResult } from 'pg'
import { isConnectionSpent } from './database-fault.ts'

const changes_rows = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

export function pooledDatabase(pool: Pool, page_archive?: PageArchive): Database {
  // The server may hang up between two statements. The pool sees that only of idle connections; of one in use, an
  // error that nobody listens to would end the process. The next statement fails, and the pool drops the connection.
  pool.on('connect', (client) => client.on('error', () => {}))
  const connection: Database['connection'] = async (work) => {
    const client = await pool.connect()
    let is_broken = false
    try {
      const onBroken = () => {
        is_broken = true
      }
      return await work(databaseOf(client, onBroken, page_archive))
    } finally {
      client.release(is_broken)
    }
  }
  return {
    isTransaction: false,
    page_archive,
    connection,
    execute: (statement) => connection((db) => db.execute(statement)),
    transaction: (work, mode) => connection((db) => db.transaction(work, mode)),
  }
}

function databaseOf(
  client: PoolClient,
  onBroken: () => void,
  page_archive: PageArchive | undefined,
): Database {
  let is_broken = false
  const query = async (text: string, values?: unknown[]) => {
    try {
      // unchecked sql: the statement of whoever asks, checked there
      return await client.query(text, values)
    } catch (error) {
      if (isConnectionSpent(error)) {
        is_broken = true
        onBroken()
      }
      throw error
    }
  }
  // unchecked sql: the statement of whoever asks, checked there
  const ask = async <Row>({ text, values }: Statement) => resultOf<Row>(await query(text, [...values]))
  const db: Database = {
    isTransaction: false,
    page_archive,
    execute: ask,
    connection: (work) => work(db),
    async transaction(work, mode) {
      let ended: string | undefined
      await query(mode ? `start transaction ${mode}` : 'begin')
      try {
        const value = await work(transactionOf(ask, () => ended, page_archive))
        const { command } = await query('commit')
        ended = 'was committed'
        // PostgreSQL answers the commit of a failed transaction with a silent rollback.
        if (command !== 'COMMIT')
          throw new Error('A statement of this transaction failed, so nothing was committed.')
        return value
      } catch (error) {
        if (ended === undefined && !is_broken) await client.query('rollback').catch(onBroken)
        ended = 'was rolled back'
        throw error
      }
    },
  }
  return db
}

function transactionOf(
  ask: Database['execute'],
  endedAs: () => string | undefined,
  page_archive: PageArchive | undefined,
): Database {
  const refuse = (): never => {
    throw new Error('A transaction is open already; use its database instead of opening another.')
  }
  const db: Database = {
    isTransaction: true,
    page_archive,
    async execute(statement) {
      const ended = endedAs()
      if (ended !== undefined)
        throw new Error(`This transaction ${ended}; its database cannot be used any more.`)
      return ask(statement)
    },
    transaction: refuse,
    connection: (work) => work(db),
  }
  return db
}

export function resultOf<Row>({ command, rowCount, rows }: QueryResult): Result<Row> {
  if (!changes_rows.has(command)) return { rows: rows as Row[] }
  return { rows: rows as Row[], numAffectedRows: BigInt(rowCount ?? 0) }
}
