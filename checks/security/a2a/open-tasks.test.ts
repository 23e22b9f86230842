// Tasks that are sent at once count against each other.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { sql } from '@svc/database/sql'
import { open_tasks_max } from '@svc/protocols/awareness/mim/tasks/limits'
import { type A2aScene, ask, register, startA2a } from '../../conformance/a2a/a2a-scene.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'

let scene: A2aScene
let ann: Addresses
let cy: Addresses

before(async () => {
  scene = await startA2a()
  ann = await scene.newParty()
  cy = await scene.newParty()
  await register(cy)
})
after(() => scene?.stop())

test('a caller with one task left who sends many at once begins one', async () => {
  const message = { message_id: 'm', parts: [{ text: 'hello' }] }
  const input = { agent_did: cy.agent_did, message }
  await ask(ann, 'MIM', 'task_send', input)
  const transaction = scene.service.store.transaction('acme')
  await sql`INSERT INTO mim_tasks SELECT tenant_id, gen_random_uuid(), caller_did, agent_did, context_sealed, context_wrapped,
      context_key, state, steps, bytes, created_at, changed_at FROM mim_tasks, generate_series(3, ${open_tasks_max}::integer)
      WHERE caller_did = ${ann.agent_did}`.execute(transaction.db)
  await transaction.commit([])
  const request = { protocol: 'MIM', operation: 'task_send', input }
  const answers = await Promise.all(Array.from({ length: 8 }, () => dispatch(ann, request)))
  const reasons = answers.map(({ status, body }) => (status === 200 ? 'sent' : body.error.reason))
  assert.deepEqual(reasons.toSorted(), ['sent', ...Array.from({ length: 7 }, () => 'too many open tasks')])
})
