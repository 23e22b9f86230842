// Steps of simulated runs: what each does outside, how long it takes and how it fails is decided by the seed at its first call.
import { setTimeout as pause } from 'node:timers/promises'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { refuseWhileStopped } from '@svc/protocols/execution/stop-latch/api'
import { currentProcess, type World } from '../world.ts'
import type { Effects } from './effects.ts'

const effects_of = new WeakMap<World, Effects>()

/** From now on steps of this world's processes have their effects here. */
export function countEffects(world: World, effects: Effects): void {
  effects_of.set(world, effects)
}

function effectsHere(): Effects {
  return effects_of.get(currentProcess()!.world)!
}

function nameOf({ invoke }: OperationContext): string {
  const { run, path } = invoke.metadata.workflow as { run: string; path: string }
  return `${run} ${path}`
}

const left = () => refuse('invalid_request', 'Whoever asked has left.', { reason: 'caller left' })

/** Its effect is a row: it happens with the commit of the call, or not at all. */
async function act(_: object, context: OperationContext) {
  const name = nameOf(context)
  const { delay_ms, failure } = effectsHere().call(name)
  context.audit('custom.effect', { name })
  if (delay_ms > 0) await pause(delay_ms)
  if (context.signal.aborted) throw left()
  if (failure)
    throw refuse(failure, 'It fails as it was told to.', { reason: 'told to', retry_after_ms: 500 })
  return {}
}

/** Its effect is outside: the intent is committed first, under the stop's lock, as by MAT and MOTE. */
async function actOutside(_: object, context: OperationContext) {
  const { tenant_id, caller } = context
  const name = nameOf(context)
  const effects = effectsHere()
  const { delay_ms, failure, is_answer_lost } = effects.call(name)
  const under_way = effects.enter(name, currentProcess()!)
  try {
    await context.apart(({ db }) => refuseWhileStopped(db, tenant_id, { agent: caller.did }))
    effects.intended(tenant_id, name)
    if (delay_ms > 0) await pause(delay_ms)
    if (context.signal.aborted) throw left()
    if (failure) {
      const details = { reason: 'told to', performed: 'no', retry_after_ms: 500 }
      throw refuse(failure, 'It fails as it was told to.', details)
    }
    effects.happen(name)
    if (is_answer_lost) throw refuse('adapter_error', 'Its answer was lost.', { reason: 'told to' })
    return {}
  } finally {
    effects.leave(under_way)
  }
}

const facts = {
  level: 'L0',
  meters: ['seconds'],
  effect: 'write',
  keep_input: false,
  input: Closed({}),
  output: Closed({}),
  example: {},
} as const

export const steps_protocol = protocol({
  id: 'STEPS',
  version: 'v1.0.0',
  plane: 'execution',
  estate: 'protocol',
  rate: 'infrastructure',
  category: 'svc-infrastructure',
  summary: 'Steps whose effects are counted, for simulated workflows.',
  operations: {
    act: operation({ ...facts, summary: 'Do it in our own rows.', handle: act }),
    outside: operation({ ...facts, summary: 'Do it outside.', acts_outside: true, handle: actOutside }),
  },
})
