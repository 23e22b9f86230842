// "No person ever sees a sentence about her own DID": refusals of every operation, as somebody who signed in.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { key_only_resolver } from '@svc/adapters/identity/key-only'
import { catalogue } from '@svc/catalogue/catalogue'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { personWith, type SignedInPerson } from '../../scenes/people-scene.ts'

let engine: InProcessService

before(async () => {
  engine = await startInProcess({ identity: key_only_resolver })
})
after(() => engine.stop())

const refused_least = 20

async function walk(person: SignedInPerson): Promise<number> {
  let refused = 0
  for (const { id, operations } of catalogue) {
    for (const [name, { example }] of Object.entries(operations)) {
      for (const input of [example, {}]) {
        const { body } = await person.call(`${id}.${name}`, input)
        if (!body.error) continue
        refused++
        assert.doesNotMatch(body.error.message, /did:/, `${id}.${name}`)
      }
    }
  }
  return refused
}

test('without a role: what would help, and no DID', async () => {
  const nora = await personWith(engine, 'nora', [])
  assert.ok((await walk(nora)) > refused_least)
  const { body } = await nora.call('MEAL.statement')
  assert.equal(
    body.error.message,
    'You may not use svc.meal.statement; the roles auditor, finance and administrator may. Ask an administrator of acme.',
  )
  assert.equal(body.error.details.agent_did, nora.did)
})

test('with every capability: what still refuses names no DID', async () => {
  const anna = await personWith(engine, 'anna', ['administrator'])
  assert.ok((await walk(anna)) > refused_least)
})

test('whoami says why not without a DID, to a person and to an agent', async () => {
  const vera = await personWith(engine, 'vera', ['viewer'])
  const response = await fetch(`${engine.api_url}/v1/whoami`, {
    headers: { authorization: `Bearer ${vera.api_key}` },
  })
  const { operations } = (await response.json()) as { operations: { why_not?: string }[] }
  const reasons = operations.flatMap(({ why_not }) => why_not ?? [])
  assert.ok(reasons.length > refused_least)
  for (const reason of reasons) assert.doesNotMatch(reason, /did:/)
  const agent = await engine.newCaller({ tenant_id: 'acme' })
  const whoami = await fetch(`${engine.api_url}/v1/whoami`, {
    headers: { authorization: `Bearer ${agent.api_key}`, 'x-agent-did': agent.agent_did },
  })
  const { operations: of_agent } = (await whoami.json()) as { operations: { why_not?: string }[] }
  const sentences = of_agent.flatMap(({ why_not }) => why_not ?? [])
  assert.ok(
    sentences.some((reason) =>
      reason.startsWith('This identity holds no usable capability for svc.meal.statement;'),
    ),
  )
  for (const reason of sentences) assert.doesNotMatch(reason, /did:/)
})
