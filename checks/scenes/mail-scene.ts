// Mail through its two handlers, on a real database, at any time the test chooses.
import { randomUUID } from 'node:crypto'
import { databaseChanges } from '@svc/adapters/change-notifications/database'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { openMailboxes } from '@svc/adapters/mail/mailboxes'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { Database } from '@svc/contract/database'
import type { OperationContext } from '@svc/contract/operation-context'
import { receiveMessages } from '@svc/protocols/awareness/mim/mail-receive'
import { sendMessage } from '@svc/protocols/awareness/mim/mail-send'
import { testContext } from '../rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../rehearsal/test-store.ts'

type SendInput = Parameters<typeof sendMessage>[0]
type Need = 'authority' | 'change_notifications' | 'mail' | 'membership' | 'treaties' | 'vault'
type ReceiveInput = Parameters<typeof receiveMessages>[0]

export interface MailScene {
  readonly test_store: TestStore
  readonly events: { readonly event_type: string; readonly meta: Record<string, unknown> }[]
  /** Tenants with which the engine assumes a treaty. */
  readonly partners: Set<string>
  send(who: string, input: SendInput, at_ms?: number, key?: string): ReturnType<typeof sendMessage>
  receive(who: string, input: ReceiveInput, at_ms?: number, key?: string): ReturnType<typeof receiveMessages>
}

export const mail_start_ms = Date.UTC(2026, 10, 18)
const message_bytes_max = 5 * 1024 * 1024

export function mailDid(letter: string, tenant_id = 'acme'): string {
  return `did:oas:${tenant_id}:agent:${letter.repeat(64)}`
}

export async function openMailScene(): Promise<MailScene> {
  const test_store = await openTestStore()
  const { vault } = openKeystore(testRootKeys(Buffer.alloc(32, 7)))
  const change_notifications = databaseChanges(undefined)
  const events: { event_type: string; meta: Record<string, unknown> }[] = []
  const partners = new Set<string>()
  const as = <Result>(
    did: string,
    at_ms: number,
    key: string | undefined,
    work: (context: OperationContext<Need>) => Promise<Result>,
  ): Promise<Result> => {
    const [, , tenant_id = ''] = did.split(':')
    const after: (() => Promise<void>)[] = []
    const inRows = (db: Database) =>
      testContext<Need>({
        db,
        tenant_id,
        now: new Date(at_ms).toISOString(),
        vault: vault(tenant_id),
        mail: openMailboxes({ message_bytes_max, vaultOf: vault }),
        change_notifications,
        record_id: randomUUID(),
        idempotency_key: key,
        caller: { did },
        metadata: {},
        signal: new AbortController().signal,
        authority: {},
        membership: { knows: async () => true },
        treaties: {
          judge: async ({ to_tenant }: { to_tenant: string }) =>
            partners.has(to_tenant) ? { active: true } : { active: false, reason: 'no active treaty' },
        },
        audit: (event_type: string, meta: Record<string, unknown>) => events.push({ event_type, meta }),
        afterCommit: (done: () => Promise<void>) => after.push(done),
        apart: (work: (rows: never) => Promise<unknown>) =>
          test_store.as(tenant_id, (rows) => work({ db: rows } as never)),
      })
    return test_store
      .as(tenant_id, (db) => work(inRows(db)))
      .then(async (result) => {
        for (const done of after) await done()
        return result
      })
  }
  return {
    test_store,
    events,
    partners,
    send: (who, input, at_ms = mail_start_ms, key = undefined) =>
      as(who, at_ms, key, (context) => sendMessage(input, context)),
    receive: (who, input, at_ms = mail_start_ms, key = undefined) =>
      as(who, at_ms, key, (context) => receiveMessages(input, context)),
  }
}
