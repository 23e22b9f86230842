// How much mail an organization has, without a look into any of it.
import type { Database } from '@svc/contract/operation-context'
import { sql } from 'kysely'

export interface MailFigures {
  readonly mailboxes: number
  readonly live: number
  readonly dead: number
  readonly bytes: number
}

export async function countMail(db: Database, tenant_id: string): Promise<MailFigures> {
  const { rows } = await sql<Record<keyof MailFigures, string>>`
    SELECT count(*) AS mailboxes, coalesce(sum(live), 0) AS live, coalesce(sum(dead), 0) AS dead,
      coalesce(sum(bytes), 0) AS bytes
    FROM mailboxes WHERE tenant_id = ${tenant_id}`.execute(db)
  const { mailboxes, live, dead, bytes } = rows[0]!
  return { mailboxes: Number(mailboxes), live: Number(live), dead: Number(dead), bytes: Number(bytes) }
}
