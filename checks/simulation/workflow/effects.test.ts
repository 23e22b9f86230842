import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SimulationDatabase } from '../database.ts'
import { World } from '../world.ts'
import { Effects } from './effects.ts'

function open() {
  const world = new World(1, {} as SimulationDatabase)
  return { effects: new Effects(world), process: world.start('engine') }
}

function isBroken(effects: Effects): boolean {
  effects.intended('acme', 'an effect')
  return effects.violation !== undefined
}

test('nothing may begin after the answer to a stop that no lift overlapped', () => {
  const { effects, process } = open()
  effects.lifting('acme', process)()
  effects.lifting('other', process)
  const stopped = effects.stopping('acme')
  assert.equal(isBroken(effects), false)
  stopped()
  assert.equal(isBroken(effects), true)
})

test('a lift that was under way while a stop was may have come after it, whichever was answered first', () => {
  const orders: Record<string, (effects: Effects, process: ReturnType<typeof open>['process']) => void> = {
    'sent after the stop, answered before it': (effects, process) => {
      const stopped = effects.stopping('acme')
      effects.lifting('acme', process)()
      stopped()
    },
    'sent before the stop, answered before it': (effects, process) => {
      const lifted = effects.lifting('acme', process)
      const stopped = effects.stopping('acme')
      lifted()
      stopped()
    },
    'sent before the stop, answered after it': (effects, process) => {
      const lifted = effects.lifting('acme', process)
      effects.stopping('acme')()
      lifted()
    },
    'sent after the answer to the stop': (effects, process) => {
      effects.stopping('acme')()
      effects.lifting('acme', process)
    },
  }
  for (const [order, act] of Object.entries(orders)) {
    const { effects, process } = open()
    act(effects, process)
    assert.equal(isBroken(effects), false, order)
  }
})
