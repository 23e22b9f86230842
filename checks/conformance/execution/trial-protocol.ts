// A protocol with what tests need of a module: answer, change, wait, fail, report, and echo its input.
import type { EventType } from '@svc/contract/audit/event'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { type RefusalCode, refusals, refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, OneOf, Text } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { Type } from 'typebox'

export interface Trial {
  readonly protocol: Protocol
  /** The inputs of `note`, once per effect. */
  readonly effects: string[]
  /** Calls of `hold` that are waiting inside the module. */
  readonly held: number
  /** Resolves when a call of `hold` is inside the module; the call ends when `release` is called. */
  entered(): Promise<void>
  release(): void
}

/** Longer than a test's own waits on a slow machine. */
const hold_ms_max = 120_000
const codes = Object.keys(refusals) as RefusalCode[]
const plain = { level: 'L0', meters: ['seconds'], input: Closed({}), output: AnyObject, example: {} } as const

export function trialProtocol(version = 'v1.0.0', id = 'TRIAL'): Trial {
  const effects: string[] = []
  let in_progress = 0
  let inside = Promise.withResolvers<void>()
  let gate = Promise.withResolvers<void>()
  const hold = async (_input: unknown, context: OperationContext) => {
    context.progress({ message: 'held' })
    in_progress++
    inside.resolve()
    await gate.promise
    return { held: true }
  }
  const trial = protocol({
    id,
    version,
    plane: 'awareness',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-infrastructure',
    summary: 'What a test of the service needs of a module.',
    operations: {
      ...speaking,
      ...failing,
      note: operation({
        ...plain,
        summary: 'Keep a text.',
        effect: 'write',
        input: Closed({ text: Text(1000) }),
        example: { text: 'x' },
        handle({ text }, context) {
          effects.push(text)
          context.audit('custom.noted', { length: text.length })
          return { count: effects.length }
        },
      }),
      hold: operation({
        ...plain,
        summary: 'Wait for the test.',
        effect: 'write',
        deadline_ms: hold_ms_max,
        handle: hold,
      }),
    },
  })
  return {
    protocol: trial,
    effects,
    get held() {
      return in_progress
    },
    entered: () => inside.promise,
    release() {
      gate.resolve()
      in_progress = 0
      gate = Promise.withResolvers()
      inside = Promise.withResolvers()
    },
  }
}

const speaking = {
  echo: operation({
    ...plain,
    summary: 'Say what was given.',
    effect: 'read',
    input: Closed({ say: Type.Optional(Text(100)), action_kind: Type.Optional(Text(100)) }),
    handle(input, context) {
      context.metadata.looked_at = ['the invoke context']
      return { said: input.say ?? null, invoke: JSON.parse(JSON.stringify(context.invoke)) }
    },
  }),
  report: operation({
    ...plain,
    summary: 'Report twice on the way.',
    effect: 'read',
    async handle(_input, context) {
      context.progress({ message: 'begun', fraction: 0 })
      context.progress({ message: 'nearly', fraction: 0.9, data: { left: 1 } })
      return { done: true }
    },
  }),
  tag: operation({
    ...plain,
    summary: 'Record an event of any tag.',
    effect: 'write',
    input: Closed({ event_type: Text(80) }),
    example: { event_type: 'custom.x' },
    handle({ event_type }, context) {
      context.audit(event_type as EventType, { by: 'trial' })
      return {}
    },
  }),
  spend: operation({
    needs: ['tokens'],
    ...plain,
    summary: 'Use tokens.',
    effect: 'read',
    meters: ['seconds', 'tokens'],
    handle(_input, context) {
      context.tokens.use(50_000, 50_000)
      return {}
    },
  }),
  costly: operation({
    ...plain,
    summary: 'Take three of the bucket.',
    effect: 'read',
    rate_cost: 3,
    handle: empty,
  }),
  verified: operation({
    ...plain,
    summary: 'Only for L1.',
    effect: 'read',
    level: 'L1',
    handle: empty,
  }),
  charter: operation({
    ...plain,
    summary: 'Only for L2.',
    effect: 'read',
    level: 'L2',
    handle: empty,
  }),
}

const failing = {
  fail: operation({
    ...plain,
    summary: 'Fail as told.',
    effect: 'read',
    input: Closed({ how: OneOf(...codes, 'bug', 'output') }),
    example: { how: 'bug' },
    handle: ({ how }) => failAs(how),
  }),
  small: operation({
    ...plain,
    summary: 'Take little.',
    effect: 'read',
    input: Closed({ text: Type.Optional(Text(100_000)) }),
    input_bytes_max: 2000,
    handle: empty,
  }),
  late: operation({
    ...plain,
    summary: 'Never answer in time.',
    effect: 'read',
    deadline_ms: 20,
    handle: (_input, context) => untilAborted(context),
  }),
  stall: operation({
    ...plain,
    summary: 'Wait for the database for longer than the deadline.',
    effect: 'read',
    deadline_ms: 200,
    handle: stall,
  }),
}

/** Its database answers long after the deadline. */
async function stall(_input: unknown, { db }: OperationContext): Promise<Record<string, unknown>> {
  await sql<{ pg_sleep: string }>`SELECT pg_sleep(600)`.execute(db)
  return {}
}

function empty(): Record<string, unknown> {
  return {}
}

function failAs(how: RefusalCode | 'bug' | 'output'): Record<string, unknown> {
  if (how === 'bug') throw new TypeError('a secret of the module')
  if (how === 'output') return [] as never
  throw refuse(how, `The module was told to fail with ${how}; tell it something else.`, { reason: 'as told' })
}

function untilAborted({ signal }: OperationContext): Promise<Record<string, unknown>> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve({}), { once: true }))
}
