import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { vaults } from '@svc/adapters/custody/vault'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { manualClock } from '../../../../checks/rehearsal/manual-clock.ts'
import { openTestStore, type TestStore } from '../../../../checks/rehearsal/test-store.ts'
import { evaluateRules } from './evaluation.ts'
import { listRules, putRule } from './rule-store.ts'

const minute_ms = 60_000
const clock = manualClock('2026-11-15T10:00:00.000Z')
const vaultOf = vaults(testRootKeys(Buffer.alloc(32, 7)))
const mailbox = newIdentity('acme', 'agent').did
const mails: string[] = []
const events: AuditEntry[] = []
const warned: unknown[] = []
let opened: TestStore
before(async () => {
  opened = await openTestStore()
  await ensureTenant(opened.store.engine, 'acme', 'Acme', 'sandbox')
})
after(() => opened?.close())

const rule = {
  name: 'log',
  condition: { watches: 'log', above: 0, window_minutes: 60 } as const,
  severity: 'critical' as const,
  resolve_after_minutes: 5,
  mail_to: ['ann@acme.example', 'full@acme.example'],
  mailboxes: [mailbox],
}

/** One look, a minute after the one before. */
async function look(read: () => Promise<number>) {
  clock.advance(minute_ms)
  await evaluateRules({
    db: opened.store.engine,
    transaction(tenant_id) {
      const transaction = opened.store.transaction(tenant_id)
      const commit = async (left: readonly AuditEntry[]) => {
        await transaction.commit(left)
        events.push(...left)
      }
      return { db: transaction.db, commit, rollback: () => transaction.rollback() }
    },
    read,
    vaultOf,
    async queueMail(_db, _tenant_id, { to, subject }) {
      if (to.startsWith('full')) return 'Enough mails.'
      mails.push(subject)
      return undefined
    },
    newId: randomUUID,
    clock,
    warn: (error) => warned.push(error),
  })
}
const unreadable = () => Promise.reject(new Error('statement timeout'))
const lookTimes = async (times: number, read: () => Promise<number>) => {
  for (let turn = 0; turn < times; turn++) await look(read)
}

test('who is told by a rule is told once when it was not read for 15 minutes', async () => {
  await opened.as('acme', (db) => putRule(db, 'acme', rule, mailbox, new Date(clock.now_ms())))
  await lookTimes(14, unreadable)
  assert.deepEqual([mails, events], [[], []], 'a short failure disturbs nobody')
  await lookTimes(10, unreadable)
  assert.deepEqual(mails, ['[critical] log cannot be read in acme'])
  assert.deepEqual(
    events.map(({ event_type, meta }) => [event_type, meta.rule, meta.to, meta.reason]),
    [
      ['AlertRuleUnread', 'log', undefined, 'It could not be read; it is tried again each minute.'],
      ['MailFailed', 'log', 'full@acme.example', 'Enough mails.'],
    ],
  )
  assert.deepEqual(new Set(warned.map(String)), new Set(['Error: statement timeout']))
  const left = await opened.as('acme', (db) =>
    db.execute<{ mailbox: string }>({ text: 'SELECT mailbox FROM mail_messages', values: [] }),
  )
  assert.deepEqual(left.rows, [{ mailbox }])
})

test('a rule that was read again, or set anew, counts from there', async () => {
  const none = async () => 0
  await look(none)
  const [read] = await opened.as('acme', (db) => listRules(db, 'acme'))
  assert.deepEqual([read!.last_value, read!.last_failure], [0, null])
  await lookTimes(20, unreadable)
  assert.equal(mails.length, 2)
  await opened.as('acme', (db) => putRule(db, 'acme', rule, mailbox, new Date(clock.now_ms())))
  await lookTimes(14, unreadable)
  assert.equal(mails.length, 2)
  await lookTimes(2, unreadable)
  assert.equal(mails.length, 3)
})
