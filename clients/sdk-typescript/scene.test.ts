import assert from 'node:assert/strict'
import { test } from 'node:test'
import { playScene, type SceneCast } from './scene.ts'

function castOf(answer: unknown) {
  const calls: unknown[] = []
  const cast: SceneCast = {
    stand_ins: { acme: 'dev', 'acme-compute-hours': 'dev-compute-hours' },
    async call(...call) {
      calls.push(call)
      return answer
    },
    async pause() {},
  }
  return { cast, calls }
}

test('a step is called in the organization that it names, with the real values of texts', async () => {
  const { cast, calls } = castOf({})
  const input = { instrument: 'acme-compute-hours/usd', memo: 'of acme' }
  await playScene(
    [
      { call: 'MARKET.create_order', input },
      { as: 'operator', tenant_id: 'acme', call: 'MARKET.create_order', input },
    ],
    cast,
  )
  const real = { instrument: 'dev-compute-hours/usd', memo: 'of acme' }
  assert.deepEqual(calls, [
    ['you', 'MARKET', 'create_order', real, undefined],
    ['operator', 'MARKET', 'create_order', real, 'dev'],
  ])
})

test('an id of an answer, also in a list, stands for the real one from then on', async () => {
  const { cast } = castOf({ records: [{ correlation_id: 'real' }, {}] })
  const scene = [{ call: 'MAX.audit_query', input: {}, answer: { records: [{ correlation_id: 'id' }] } }]
  const fill = await playScene(scene, cast)
  assert.deepEqual(fill({ correlation_id: 'id' }), { correlation_id: 'real' })
  await assert.rejects(playScene(scene, castOf({ records: [] }).cast), /has no text where the scene has id/)
})
