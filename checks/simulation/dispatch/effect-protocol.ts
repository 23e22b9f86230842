// A protocol with countable effects, each answered with a number of its own: a second run of the same request is noticed.
import { setTimeout as pause } from 'node:timers/promises'
import type { CallContext } from '@svc/contract/operation-context'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { Type } from 'typebox'

/** What the simulation sees of a handler. */
export interface HandlerObserver {
  began(correlation_id: string): void
  ended(correlation_id: string): void
  /** Asks the service outside; rejects where no answer comes. */
  act(name: string, key: string | undefined): Promise<string>
}

const Input = Closed({
  name: Type.String(),
  after_ms: Type.Integer({ minimum: 0, maximum: 60_000 }),
  /** It changes its mind after the effect. */
  is_refused: Type.Boolean(),
})
const Output = Closed({ name: Type.String(), number: Type.String() })
const example = { name: 'one', after_ms: 0, is_refused: false }
const facts = {
  effect: 'write',
  level: 'L0',
  meters: ['seconds'],
  input: Input,
  output: Output,
  example,
} as const

export const act_deadline_ms = 5_000

export function effectProtocol(observer: HandlerObserver): Protocol {
  const observed = async <Result>(context: CallContext, work: () => Promise<Result>): Promise<Result> => {
    const { correlation_id } = context.invoke
    observer.began(correlation_id)
    try {
      return await work()
    } finally {
      observer.ended(correlation_id)
    }
  }
  return protocol({
    id: 'EFFECTS',
    version: 'v1.0.0',
    plane: 'awareness',
    estate: 'protocol',
    rate: 'infrastructure',
    category: 'svc-infrastructure',
    summary: 'Effects that can be counted.',
    operations: {
      happen: operation({
        ...facts,
        summary: 'Happen in our own rows.',
        handle: ({ name, after_ms, is_refused }, context) =>
          observed(context, async () => {
            await sql`SELECT 1`.execute(context.db)
            context.audit('custom.effect', { name })
            if (after_ms > 0) await pause(after_ms)
            if (is_refused) throw refuse('policy_denied', 'Refused after its effect; send another.', {})
            return { name, number: context.newId() }
          }),
      }),
      act: operation({
        ...facts,
        summary: 'Happen outside.',
        acts_outside: true,
        deadline_ms: act_deadline_ms,
        handle: ({ name }, context) =>
          observed(context, async () => {
            const number = await observer.act(name, context.idempotency_key).catch((error) => {
              throw refuse('adapter_error', 'The service outside did not answer; try again.', {}, error)
            })
            context.audit('custom.effect', { name })
            return { name, number }
          }),
      }),
    },
  })
}
