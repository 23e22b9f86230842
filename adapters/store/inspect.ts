// A single connection to inspect a database that may be broken: short timeouts, no role.
import { Client } from 'pg'

const answer_ms_max = 3_000

export interface Inspection {
  query<Row>(text: string, values?: readonly unknown[]): Promise<readonly Row[]>
  close(): Promise<void>
}

export async function inspectDatabase(url: string): Promise<Inspection> {
  const client = new Client({
    connectionString: url,
    application_name: 'svc doctor',
    connectionTimeoutMillis: answer_ms_max,
    statement_timeout: answer_ms_max,
    query_timeout: answer_ms_max,
  })
  client.on('error', () => {})
  await client.connect()
  return {
    query: async <Row>(text: string, values: readonly unknown[] = []) =>
      // unchecked sql: the statement of whoever asks, checked there
      (await client.query(text, [...values])).rows as Row[],
    close: () => client.end().catch(() => {}),
  }
}
