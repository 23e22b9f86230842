// The rules of tasks: who sees one, how an agent answers, when nothing can be added, and what its content is.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { RefusalCode } from '@svc/contract/refusal'
import { signText } from '@svc/contract/signing/signature'
import { sql } from '@svc/database/sql'
import fc from 'fast-check'
import { assertRefused } from '../../../../checks/rehearsal/assert-refused.ts'
import {
  ann,
  bob,
  type Fields,
  type MailStage,
  type Party,
  rehearseMail,
} from '../../../../checks/scenes/mail-parties.ts'
import { mailDid } from '../../../../checks/scenes/mail-scene.ts'
import { newSubject } from '../../../../checks/scenes/test-identity.ts'
import { mars } from '../../mars/mars.ts'
import { kept_days, open_tasks_max, steps_max, task_bytes_max } from './limits.ts'
import { forgetTasks } from './store.ts'
import { contentOf, isEnded, type Step, task_states } from './task.ts'

const cy = { ...newSubject('Agent'), tenant_id: 'acme' }
const dot = { ...newSubject('Agent'), tenant_id: 'acme' }
let stage: MailStage

before(async () => {
  stage = await rehearseMail([mars])
  for (const agent of [cy, dot]) {
    const input = { name: 'Translator', entity_kind: 'Agent', capabilities: [], service_endpoints: [] }
    const { did, tenant_id, public_key, private_key } = agent
    const register = (more = {}) =>
      stage.run('MARS.register_agent', { ...input, ...more }, { did, tenant_id })
    const { details } = await register().catch((refusal) => refusal)
    await register({ signature: signText(private_key, details.faults[0].message), public_key })
  }
})
after(() => stage.close())

const ask = ({ did, tenant_id }: Party, operation: string, input: Fields) =>
  stage.ask({ did, tenant_id }, operation, input)
const words = (text: string) => ({ message_id: `m ${text}`, parts: [{ text }] })
const sendTask = async (who: Party, text: string, more: Fields = {}): Promise<Fields> =>
  (await ask(who, 'task_send', { agent_did: cy.did, message: words(text), ...more })).task
const getTask = async (who: Party, task_id: string, more: Fields = {}): Promise<Fields> =>
  (await ask(who, 'task_get', { task_id, ...more })).task
/** As an agent would: it takes its mail and replies in the thread. */
async function takeMail(who: Party): Promise<Fields> {
  const { messages } = await ask(who, 'message_receive', { max: 1 })
  await ask(who, 'message_receive', { max: 1, ack: [messages[0].receipt] })
  return messages[0]
}
const reply = (who: Party, { reply_to, thread_id }: Fields, more: Fields) =>
  ask(who, 'message_send', { to: reply_to, thread_id, ...more })
const form = { content_type: 'application/a2a+json' }
const refused = (call: Promise<Fields>, reason: string, code: RefusalCode = 'invalid_payload') =>
  assertRefused(call, code, reason)

test('a task reaches its agent as mail, and the reply in its thread completes it', async () => {
  const task = await sendTask(ann, 'hello', { context_id: 'talk 1' })
  assert.deepEqual([task.state, task.context_id, task.steps], ['submitted', 'talk 1', 1])
  assert.deepEqual(task.history, [{ role: 'user', ...words('hello') }])
  const mail = await takeMail(cy)
  assert.deepEqual(mail.body, { task_id: task.task_id, context_id: 'talk 1', message: words('hello') })
  assert.equal(mail.from, ann.did)
  await reply(cy, mail, { body: 'hallo' })
  const answered = await getTask(ann, task.task_id)
  assert.equal(answered.state, 'completed')
  assert.deepEqual(answered.artifacts[0].parts, [{ text: 'hallo' }])
  const { messages } = await ask(ann, 'message_receive', {})
  assert.deepEqual(messages, [], 'the answer is in the task, not also in the mailbox')
  await refused(reply(cy, mail, { body: 'again' }), 'task ended')
  const messages_of_batch = [{ to: cy.did }, { to: mail.reply_to, thread_id: mail.thread_id }]
  const batch = { messages: messages_of_batch.map((message) => ({ ...message, body: 'again' })) }
  const refusal = await assertRefused(ask(cy, 'message_send_many', batch), 'invalid_payload', 'task ended')
  assert.equal(refusal.details.message, 1)
  await refused(sendTask(ann, 'more', { task_id: task.task_id }), 'task ended')
  await refused(ask(ann, 'task_cancel', { task_id: task.task_id }), 'task ended')
})

test('an agent can say how far it is, ask its caller, and send artifacts in pieces', async () => {
  const { task_id, context_id } = await sendTask(ann, 'long work')
  const mail = await takeMail(cy)
  const artifact = (text: string, more = {}) => [{ artifact_id: 'a', parts: [{ text }], ...more }]
  await reply(cy, mail, { ...form, body: { state: 'working', artifacts: artifact('one') } })
  await reply(cy, mail, { ...form, body: { state: 'input_required', message: words('Which gate?') } })
  const waiting = await getTask(ann, task_id, { wait_ms: 20_000 })
  assert.deepEqual([waiting.state, waiting.status_message], ['input_required', words('Which gate?')])
  await refused(sendTask(ann, 'four', { task_id, context_id: 'another' }), 'other context')
  await sendTask(ann, 'four', { task_id, context_id })
  const more = await takeMail(cy)
  assert.equal(more.thread_id, mail.thread_id)
  const { task, new_steps } = await ask(ann, 'task_get', { task_id, after: 3 })
  assert.equal(task.steps, 4)
  assert.deepEqual(
    new_steps.map(({ n, by, state }: Step) => [n, by, state]),
    [[4, 'user', 'submitted']],
  )
  await reply(cy, more, {
    ...form,
    body: { state: 'completed', message: words('done'), artifacts: artifact('two', { append: true }) },
  })
  const whole = await getTask(ann, task_id)
  assert.deepEqual(
    whole.artifacts.map(({ parts }: Fields) => parts),
    [[{ text: 'one' }, { text: 'two' }]],
  )
  assert.deepEqual(
    whole.history.map(({ role, message_id }: Fields) => [role, message_id]),
    [
      ['user', 'm long work'],
      ['agent', 'm Which gate?'],
      ['user', 'm four'],
    ],
  )
  const short = await getTask(ann, task_id, { history_length: 1 })
  assert.deepEqual(
    short.history.map(({ message_id }: Fields) => message_id),
    ['m four'],
  )
  assert.equal((await getTask(ann, task_id, { history_length: 0 })).history, undefined)
})

test('only its caller sees a task, only its agent answers it, and neither can be told from a missing one', async () => {
  const { task_id } = await sendTask(ann, 'private')
  const mail = await takeMail(cy)
  for (const other of [cy, dot, bob])
    for (const operation of ['task_get', 'task_cancel'])
      await refused(ask(other, operation, { task_id }), 'not_found')
  await refused(ask(ann, 'task_get', { task_id, agent_did: dot.did }), 'not_found')
  assert.deepEqual((await ask(cy, 'task_list', {})).items, [])
  await reply(dot, mail, { body: 'I am not that agent' })
  assert.equal((await getTask(ann, task_id)).state, 'submitted')
  const { messages } = await ask(ann, 'message_receive', { filter: { from: dot.did } })
  assert.equal(messages[0].body, 'I am not that agent', 'then it is mail')
  await refused(sendTask(ann, 'who?', { agent_did: mailDid('e') }), 'not_found')
  await refused(sendTask(bob, 'of another tenant', { agent_did: cy.did }), 'not_found')
})

test('a canceled task tells its agent, and takes no answer', async () => {
  const { task_id } = await sendTask(ann, 'never mind')
  const mail = await takeMail(cy)
  const { task } = await ask(ann, 'task_cancel', { task_id })
  assert.equal(task.state, 'canceled')
  assert.equal((await takeMail(cy)).body.canceled, true)
  await refused(reply(cy, mail, { body: 'too late' }), 'task ended')
})

test('answers and messages of no valid form are refused', async () => {
  await refused(
    ask(ann, 'task_send', {
      agent_did: cy.did,
      message: { message_id: 'x', parts: [{ text: 'a', url: 'b' }] },
    }),
    'content',
  )
  const { task_id } = await sendTask(ann, 'forms')
  const mail = await takeMail(cy)
  for (const body of [
    {},
    { state: 'lost' },
    { message: { parts: [] } },
    'text',
    { state: 'working', more: 1 },
  ])
    await refused(reply(cy, mail, { ...form, body }), 'content')
  await reply(cy, mail, { ...form, body: { message: words('just words') } })
  const { new_steps } = await ask(ann, 'task_get', { task_id, after: 1 })
  assert.deepEqual([new_steps[0].direct, new_steps[0].state], [true, 'completed'])
})

test('lists are pages of the own tasks, the last changed first', async () => {
  const context_id = 'listed'
  const ids: string[] = []
  for (const text of ['one', 'two', 'three']) ids.push((await sendTask(dot, text, { context_id })).task_id)
  const first = await ask(dot, 'task_list', { context_id, limit: 2 })
  const rest = await ask(dot, 'task_list', { context_id, limit: 2, cursor: first.next_cursor })
  const listed = [...first.items, ...rest.items].map(({ task_id }: Fields) => task_id)
  assert.deepEqual(listed.toSorted(), ids.toSorted())
  assert.equal(first.total, 3)
  assert.equal(first.items[0].history, undefined)
  const { items } = await ask(dot, 'task_list', { context_id, history_length: 1 })
  assert.equal(items[0].history.length, 1)
  assert.deepEqual((await ask(dot, 'task_list', { context_id, state: 'completed' })).total, 0)
  assert.deepEqual((await ask(dot, 'task_list', { context_id: 'other' })).items, [])
})

for (const [name, steps, bytes] of [
  ['steps', steps_max - 1, 100],
  ['bytes', 1, task_bytes_max],
] as const)
  test(`a task without room for more ${name} takes nothing, but can still be canceled`, async () => {
    const { task_id } = await sendTask(ann, 'fill me')
    const mail = { reply_to: ann.did, thread_id: `task:${task_id}` }
    await sql`UPDATE mim_tasks SET steps = ${steps}, bytes = ${bytes} WHERE task_id = ${task_id}`.execute(
      stage.store.engine,
    )
    await refused(
      reply(cy, mail, { ...form, body: { state: 'completed', message: words('more') } }),
      'task full',
      'policy_denied',
    )
    const { task } = await ask(ann, 'task_cancel', { task_id })
    assert.equal(task.state, 'canceled')
  })

test('a caller has a bounded number of open tasks, and old ones are destroyed', async () => {
  const eve: Party = { did: mailDid('f'), tenant_id: 'acme' }
  const { changed_at } = await sendTask(eve, 'first')
  await stage.as('acme', (db) =>
    sql`INSERT INTO mim_tasks SELECT tenant_id, gen_random_uuid(), caller_did, agent_did, context_sealed, context_wrapped,
      context_key, state, steps, bytes, created_at, changed_at FROM mim_tasks, generate_series(2, ${open_tasks_max}::integer)
      WHERE caller_did = ${eve.did}`.execute(db),
  )
  await refused(sendTask(eve, 'one more'), 'too many open tasks', 'policy_denied')
  const later = (days: number) => new Date(Date.parse(changed_at) + days * 86_400_000)
  await forgetTasks(stage.store.engine, later(kept_days - 1))
  await refused(sendTask(eve, 'still'), 'too many open tasks', 'policy_denied')
  await forgetTasks(stage.store.engine, later(kept_days + 1))
  assert.equal((await sendTask(eve, 'again')).state, 'submitted')
})

const text = fc.string({ minLength: 1, maxLength: 3 })
const message = fc.record({
  message_id: text,
  parts: fc.array(fc.record({ text }), { minLength: 1, maxLength: 1 }),
})
const artifact = fc.record(
  {
    artifact_id: fc.constantFrom('a', 'b'),
    parts: fc.array(fc.record({ text }), { minLength: 1, maxLength: 3 }),
    append: fc.boolean(),
  },
  { requiredKeys: ['artifact_id', 'parts'] },
)
const steps = fc
  .array(
    fc.record(
      {
        by: fc.constantFrom('user' as const, 'agent' as const),
        state: fc.constantFrom(...task_states),
        message,
        artifacts: fc.array(artifact, { maxLength: 3 }),
      },
      { requiredKeys: ['by', 'state'] },
    ),
    { maxLength: 12 },
  )
  .map((all) => all.map((step, index): Step => ({ n: index + 1, at: '2026-01-01T00:00:00Z', ...step })))

test('no message is lost or shown twice, and a shorter history is the end of the whole', () => {
  fc.assert(
    fc.property(steps, fc.nat({ max: 15 }), (all, length) => {
      const { history = [], status_message } = contentOf(all)
      const message_ids = all.flatMap(({ message }) => (message ? [message.message_id] : []))
      const shown = [...history, ...(status_message ? [status_message] : [])]
      assert.deepEqual(
        shown.map(({ message_id }) => message_id),
        message_ids,
      )
      const { history: short = [] } = contentOf(all, length)
      assert.deepEqual(short, length === 0 ? [] : history.slice(-length))
    }),
  )
})

test('an artifact consists of the parts since it was last begun anew', () => {
  fc.assert(
    fc.property(steps, (all) => {
      const artifacts = all.flatMap((step) => step.artifacts ?? [])
      for (const { artifact_id, parts } of contentOf(all).artifacts ?? []) {
        const own = artifacts.filter((one) => one.artifact_id === artifact_id)
        const begun = Math.max(
          0,
          own.findLastIndex(({ append }) => !append),
        )
        assert.deepEqual(
          parts,
          own.slice(begun).flatMap((one) => one.parts),
        )
      }
    }),
  )
})

test('final states are those of A2A', () => {
  assert.deepEqual(task_states.filter(isEnded), ['completed', 'failed', 'canceled', 'rejected'])
})
