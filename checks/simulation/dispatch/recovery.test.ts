import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { SimulationDatabase } from '../database.ts'
import { Network } from '../network.ts'
import { simulateRuntime } from '../runtime.ts'
import { World } from '../world.ts'
import { type DispatchState, serve } from './dispatch.ts'
import type { DispatchEngine } from './engine.ts'
import { DispatchModel } from './model.ts'
import { recover } from './recovery.ts'

/** More tasks than run at the end of a history unless somebody waits for them. */
const tasks_before_ready = 200
const refused = { kind: 'refused', refusal: { row: { retry: 'never' }, details: {}, code: 'policy_denied' } }

/** An engine that takes long to load a tenant, and refuses its calls. */
function slowEngine(world: World): DispatchEngine {
  const ready = async () => {
    for (let i = 0; i < tasks_before_ready; i++) await pause(1)
  }
  const opened = {
    audit_log: { ready, flush: async () => {} },
    engine: { dispatch: async () => refused },
  }
  const engine = { name: 'engine-1', process: world.start('engine-1.1'), is_running: true, opened }
  return engine as unknown as DispatchEngine
}

test('a call that waited for its tenant when the faults end is answered before the end is checked', async () => {
  const restoreRuntime = simulateRuntime()
  try {
    const database = { link: () => ({}), control: { query: async () => ({ rows: [] }) } }
    const world = new World(1, database as unknown as SimulationDatabase)
    const [client, engine] = [world.start('client'), slowEngine(world)]
    const state = {
      world,
      redis: { link: () => ({}) },
      network: new Network(world),
      model: new DispatchModel(world.database, ['limited', 'poor']),
      limits: { register: () => {} },
      engines: [engine],
      tenant_ids: ['limited', 'poor'],
      is_closing: false,
      violation: undefined,
    } as unknown as DispatchState
    serve(state, engine)
    const sent = { tenant_id: 'poor', operation: 'happen', name: 'call 0', after_ms: 0, is_refused: false }
    void client.run(() => state.network.call('engine-1', JSON.stringify(sent), 60_000))
    await world.run(1)
    assert.equal(state.model.attempts.size, 0)
    await recover(state)
    assert.deepEqual(
      [...state.model.attempts.values()].map(({ answer }) => answer?.kind),
      ['refused'],
    )
  } finally {
    restoreRuntime()
  }
})
