// A message that an operation of another protocol leaves for an identity of its organization.
import type { Database } from '@svc/contract/database'
import type { Vault } from '@svc/contract/needs/vault'
import { boxName, mailKey } from './mail-delivery.ts'
import { writeLetter } from './mail-letter.ts'
import { notice_bytes_max } from './mail-limits.ts'
import { postMessages, serveMessage } from './mail-store.ts'

const priority = 4
const ttl_ms_default = 7 * 86_400_000

export interface Notice {
  readonly tenant_id: string
  readonly to: string
  readonly from: string
  /** The same notice is left once. */
  readonly dedupe_id: string
  readonly body: Readonly<Record<string, unknown>>
  readonly message_id: string
  readonly at: Date
  /** How long it waits to be read; absent: a week. */
  readonly ttl_ms?: number
  /** Served by a court: it fits into a full mailbox, too. */
  readonly is_served?: boolean
}

/** In a transaction of that organization. False if its mailbox is full. */
export async function leaveNotice(db: Database, vault: Vault, notice: Notice): Promise<boolean> {
  const { tenant_id, to, from, dedupe_id, body, message_id, at } = notice
  const { ttl_ms = ttl_ms_default, is_served = false } = notice
  const letter = writeLetter({ body, dedupe_id }, notice_bytes_max)
  const posting = {
    tenant_id,
    mailbox: to,
    owner_did: to,
    message_id,
    ...vault.seal(boxName(message_id), vault.salt().toString('base64url') + letter.text),
    ordering_key: null,
    dedupe_key: vault.blind(mailKey('dedupe', dedupe_id)),
    thread_key: null,
    type_key: null,
    qos: 1,
    priority,
    sender_did: from,
    size: letter.size,
    sent_at: at,
    visible_at: at,
    expires_at: new Date(at.getTime() + ttl_ms),
  }
  const posted = is_served ? await serveMessage(db, posting) : (await postMessages(db, [posting]))[0]!
  return posted.outcome === 'sent' || posted.outcome === 'duplicate'
}
