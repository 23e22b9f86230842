import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stand_ins } from '../../generated/sdk-operations.ts'
import { playScene, type SceneCast, type SceneStep, standInsFor } from './scene.ts'

const you = { tenant_id: 'sud', did: `did:oas:sud:agent:${'d4'.repeat(32)}` }
const now_ms = Date.parse('2030-05-01T12:00:00Z')

/** Records the calls, and answers them in order. */
function castOf(answers: readonly unknown[]) {
  const calls: unknown[] = []
  const steps: SceneStep[] = []
  let pauses = 0
  const cast: SceneCast = {
    stand_ins: standInsFor({ you }, now_ms),
    async call(...call) {
      calls.push(call)
      return answers[calls.length - 1]
    },
    async pause() {
      pauses++
    },
    done: (step) => steps.push(step),
  }
  return { cast, calls, steps, pauses: () => pauses }
}

test('your own tenant and DID, and times from now, take the place of what stands for them', () => {
  const own = standInsFor({ you }, now_ms)
  assert.equal(own[stand_ins.tenant], 'sud')
  assert.equal(own[stand_ins.did], you.did)
  assert.equal(own[stand_ins.now], '2030-05-01T12:00:00.000Z')
  assert.equal(own[stand_ins.an_hour_ago], '2030-05-01T11:00:00.000Z')
  assert.equal(own[stand_ins.tomorrow], '2030-05-02T12:00:00.000Z')
  assert.equal(own[stand_ins.partner_did], undefined, 'there is no partner here')
})

test('texts of an answer stand for the real ones later, alone and inside of longer texts', async () => {
  const ref = 'mind://cell/0199f3b0-5c1e-7c3a-9d2e-6f1b2a3c4d5e'
  const scene: SceneStep[] = [
    { call: 'MIND.store_memory', input: { by: stand_ins.did }, answer: { items: [{ ref }] } },
    { as: 'partner', call: 'MAESTRO.goal.refine', input: { about: [ref] } },
  ]
  const { cast, calls, steps } = castOf([{ items: [{ ref: 'mind://cell/real', more: 1 }] }, {}])
  const fill = await playScene(scene, cast)
  assert.deepEqual(calls, [
    ['you', 'MIND', 'store_memory', { by: you.did }, undefined],
    ['partner', 'MAESTRO', 'goal.refine', { about: ['mind://cell/real'] }, undefined],
  ])
  assert.deepEqual(steps, scene)
  const example = { [ref]: `${ref}#2`, at: stand_ins.now, owner: 'acme', shop: 'acme store' }
  assert.deepEqual(fill(example), {
    'mind://cell/real': 'mind://cell/real#2',
    at: '2030-05-01T12:00:00.000Z',
    owner: 'sud',
    shop: 'acme store',
  })
})

test('a step is called in the organization that it names', async () => {
  const input = { instrument: `${stand_ins.asset}/usd` }
  const { cast, calls } = castOf([{}])
  await playScene([{ as: 'operator', tenant_id: 'acme', call: 'MARKET.create_order', input }], cast)
  assert.deepEqual(calls, [
    ['operator', 'MARKET', 'create_order', { instrument: 'sud-compute-hours/usd' }, 'sud'],
  ])
})

test('a call is repeated until its answer has the values, and a missing text is an error', async () => {
  const waiting: SceneStep = { call: 'MOON.list', input: {}, until: { runs: [{ state: 'waiting' }] } }
  const { cast, calls, pauses } = castOf([{ runs: [] }, { runs: [{ state: 'waiting', steps: 2 }] }])
  await playScene([waiting], cast)
  assert.deepEqual([calls.length, pauses()], [2, 1])
  const lacking: SceneStep = { call: 'MOTE.list', input: {}, answer: { items: [{ device_did: 'a device' }] } }
  await assert.rejects(playScene([lacking], castOf([{ items: [] }]).cast), /no text .* a device/)
})

test('a new key signs a text of an earlier answer', async () => {
  const scene: SceneStep[] = [
    { new_key: 'the public key' },
    { call: 'MARS.register_agent', input: {}, answer: { text: 'the text to sign' } },
    { sign: 'the text to sign', key: 'the public key', signature: 'the signature' },
  ]
  const fill = await playScene(scene, castOf([{ text: 'sign me' }]).cast)
  const [key, signature] = fill(['the public key', 'the signature']).map((text) =>
    Buffer.from(text, 'base64url'),
  )
  const public_key = await crypto.subtle.importKey('raw', key!, 'Ed25519', false, ['verify'])
  assert.ok(await crypto.subtle.verify('Ed25519', public_key, signature!, Buffer.from('sign me')))
  await assert.rejects(playScene(scene.slice(1), castOf([{ text: 'sign me' }]).cast), /no earlier step/)
})
