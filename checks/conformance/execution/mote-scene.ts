// Reads the tables of devices.
import { Client } from 'pg'

/** As the owner of the database: rows of every tenant. */
export async function rowsOf(db_url: string, query: string): Promise<Record<string, unknown>[]> {
  const owner = new Client({ connectionString: db_url })
  await owner.connect()
  try {
    return (await owner.query(query)).rows
  } finally {
    await owner.end()
  }
}
