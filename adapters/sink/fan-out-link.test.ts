import assert from 'node:assert/strict'
import test from 'node:test'
import { entryOf, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import { is_long } from '../../checks/faults/scene/chance.ts'
import { testDatabase } from '../../checks/rehearsal/test-database.ts'
import { eventually } from '../../checks/suite/eventually.ts'
import { type FanOutConfig, FanOutLink } from './fan-out-link.ts'

/** Nothing listens there. */
const brokers = ['127.0.0.1:1']

function listen() {
  const messages: string[] = []
  const note = (_: object, message: string) => void messages.push(message)
  return { said: messages, log: { debug() {}, info: note, warn: note, error: note } }
}

test('while the broker is away the lag is measured, it is reported once, and the audit log commits as usual', async (t) => {
  const database = await testDatabase()
  t.after(() => database.close())
  const projection_modules = [import.meta.resolve('@svc/audit/sinks/due')]
  const audit_log = await openTestAuditLog(database.url, await newFolder(), { projection_modules })
  t.after(() => audit_log.close())
  for (let i = 0; i < 7; i++) audit_log.record(entryOf('acme'))
  await audit_log.flush()
  const { said, log } = listen()
  const link = new FanOutLink({ db_url: database.url, kafka: { brokers, topic: 'svc.audit' } }, log)
  t.after(() => link.close())
  await eventually(() => assert.equal(link.lag(), 7))
  audit_log.record(entryOf('acme'))
  link.wake()
  await audit_log.close()
  await link.close()
  assert.equal(said.length, 1)
  assert.match(said[0]!, /not forwarded: .*ECONNREFUSED.*; they wait in the chain/)
})

const skip = is_long ? false : 'long form only: loading the client of the broker twice takes seconds'

test('a thread that dies is restarted, until it is closed', { skip }, async (t) => {
  const { said, log } = listen()
  const link = new FanOutLink({ db_url: 'postgres://nowhere' } as FanOutConfig, log)
  t.after(() => link.close())
  await eventually(() => assert.ok(said.length >= 2))
  assert.match(said[0]!, /the thread of the fan-out ended: .*; it is restarted/)
  await link.close()
})
