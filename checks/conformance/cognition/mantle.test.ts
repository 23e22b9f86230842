// Scenario 10, nightly consolidation, over HTTP: what many episodes state becomes one lasting memory, once.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { asOwner } from '@svc/audit/test-audit-log'
import { Recipe } from '@svc/contract/recipe'
import { Compile } from 'typebox/compile'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const [minute_ms, day_ms] = [60_000, 86_400_000]
const episodes = 40
let clock: ManualClock
let service: InProcessService

before(async () => {
  clock = manualClock('2026-11-15T10:00:00.000Z')
  service = await startInProcess({ clock })
})
after(() => service.stop())

const ask = (
  operation: string,
  input: unknown,
  protocol = 'MIND',
  who: Addresses = service,
): Promise<Answer> => dispatch(who, { protocol, operation, input })
const done = async (operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(operation, input, protocol)).output
const consolidate = (namespace: string, more: Fields = {}) =>
  done('consolidate', { namespace, targets: ['episodic', 'semantic'], ...more }, 'MANTLE')
const rows = (text: string, values: unknown[]) =>
  asOwner(service.db_url, async (owner) => (await owner.query(text, values)).rows)

const late = { subject: 'Northwind', predicate: 'delivers', object: 'late' }
async function mention(namespace: string, place: number, triples: Fields[] = [late]): Promise<string> {
  const { ref } = await done('store_memory', {
    kind: 'episodic',
    namespace,
    payload: { text: `Delivery ${place} of Northwind came late again.` },
    occurred_at: new Date(clock.now_ms() - place * day_ms).toISOString(),
    triples,
  })
  return ref
}

test('40 episodes that state the same make one semantic memory derived from all of them; a second run makes none', async () => {
  // One after another: all at once, a busy machine refuses some for want of a connection.
  const refs: string[] = []
  for (let place = 0; place < episodes; place++) refs.push(await mention('supply', place))
  const planned = await consolidate('supply', { dry_run: true })
  assert.deepEqual(
    [planned.examined, planned.semantic_created.length, planned.consolidation_ref],
    [40, 1, undefined],
  )
  const first = await consolidate('supply')
  assert.deepEqual([first.examined, first.semantic_created.length, first.truncated], [episodes, 1, false])
  const [{ ref, support, confidence }] = first.semantic_created
  assert.deepEqual([support, confidence], [episodes, 41 / 42])
  const edges = await rows(`SELECT target FROM mind_edge WHERE source = $1 AND relation = 'derived_from'`, [
    ref,
  ])
  assert.deepEqual(edges.map(({ target }) => target).sort(), refs.sort())
  assert.equal(first.episodes.flatMap(({ cells }: Fields) => cells).length, episodes)

  for (const again of [await consolidate('supply'), await consolidate('supply', whole_window())]) {
    assert.deepEqual([again.semantic_created, again.procedural_created, again.episodes], [[], [], []])
    assert.equal(again.watermark, first.watermark)
  }
  const answer = await done('recall_memory', {
    predicate: { semantic: { text: 'Northwind delivers late' } },
    kinds: ['semantic'],
    namespace: 'supply',
  })
  assert.deepEqual(answer.memories[0].payload, late)
})

const whole_window = () => ({
  window: { from: '2026-01-01T00:00:00Z', to: new Date(clock.now_ms() + minute_ms).toISOString() },
})

test('a repeated sequence becomes a procedure with a draft recipe, once', async () => {
  const agent = await service.newCaller({ tenant_id: 'makers' })
  const as = (operation: string, input: unknown, protocol?: string) => ask(operation, input, protocol, agent)
  for (let round = 0; round < 3; round++) {
    const stored = assertSuccess(
      await as('store_memory', { kind: 'semantic', payload: { round }, dedupe: false }),
    ).output
    assertSuccess(await as('recall_memory', { predicate: { structural: { match: { round } } } }))
    const edit = { target: stored.ref, expected_version: 1, patch: { round: -round }, reason: 'turned' }
    assertSuccess(await as('edit', edit, 'MAME'))
  }
  const run = async () =>
    assertSuccess(await as('consolidate', { targets: ['procedural'] }, 'MANTLE')).output as Fields
  const [procedure, ...more] = (await run()).procedural_created
  assert.deepEqual(
    [procedure.steps, procedure.support, more],
    [['MIND.store_memory', 'MIND.recall_memory', 'MAME.edit'], 3, []],
  )
  const recall = { predicate: { semantic: { text: procedure.steps.join(' ') } }, kinds: ['procedural'] }
  const { memories } = assertSuccess(await as('recall_memory', recall)).output as Fields
  assert.deepEqual([...Compile(Recipe).Errors(memories[0].payload.recipe)], [])
  assert.equal(memories[0].payload.recipe.id, procedure.recipe_id)
  assert.deepEqual((await run()).procedural_created, [])
})
