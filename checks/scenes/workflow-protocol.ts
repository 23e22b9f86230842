// Workflow steps with configurable behaviour: their answers, failures, and external effects.
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { Type } from 'typebox'

/** What happened, in order; kept in the test, not in the database. */
export interface Effects {
  readonly log: string[]
  /** By name: how many more attempts fail, and how. */
  readonly failing: Map<string, { times: number; code: 'adapter_error' | 'policy_denied' | 'rate_limited' }>
}

type Handler = (
  input: { name: string; confidence?: number; value?: number },
  context: { readonly signal: AbortSignal },
) => Said | Promise<Said>
interface Said {
  name: string
  confidence: number
  value: number
}

const left = () => refuse('invalid_request', 'Whoever asked has left.', { reason: 'caller left' })

const Named = Closed({
  name: Type.String(),
  confidence: Type.Optional(Type.Number()),
  value: Type.Optional(Type.Integer()),
})
const SaidSchema = Closed({ name: Type.String(), confidence: Type.Number(), value: Type.Integer() })
const facts = {
  level: 'L0',
  meters: ['seconds'],
  keep_input: false,
  input: Named,
  output: SaidSchema,
  example: { name: 'a' },
} as const

const stopped = (signal: AbortSignal) =>
  new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))

function handlersOf({ log, failing }: Effects) {
  const act: Handler = ({ name, confidence = 1, value = 0 }) => {
    const plan = failing.get(name)
    if (plan && plan.times > 0) {
      plan.times--
      throw refuse(plan.code, `${name} fails as it was told to.`, { reason: 'told to', retry_after_ms: 1 })
    }
    log.push(name)
    return { name, confidence, value: value + 1 }
  }
  /** Refuses if the caller has already disconnected, as an external service would. */
  const heed: Handler = (input, context) => {
    if (context.signal.aborted) throw left()
    return act(input, context)
  }
  /** Stopped too late: it still takes effect. */
  const late: Handler = async (input, context) => {
    await stopped(context.signal)
    return act(input, context)
  }
  const hold: Handler = async ({ name }, { signal }) => {
    log.push(`${name} begun`)
    await stopped(signal)
    throw left()
  }
  return { act, heed, late, hold }
}

export function workflowProtocol(external_effects: Effects) {
  const { act, heed, late, hold } = handlersOf(external_effects)
  return protocol({
    id: 'STEPS',
    version: 'v1.0.0',
    plane: 'execution',
    estate: 'protocol',
    rate: 'infrastructure',
    category: 'svc-infrastructure',
    summary: 'Steps that do as they are told, for tests of workflows.',
    operations: {
      act: operation({ ...facts, summary: 'Do it.', effect: 'write', handle: act }),
      outside: operation({
        ...facts,
        summary: 'Do it outside.',
        effect: 'write',
        acts_outside: true,
        handle: act,
      }),
      heed: operation({
        ...facts,
        summary: 'Do it unless whoever asked left.',
        effect: 'write',
        handle: heed,
      }),
      late: operation({ ...facts, summary: 'Do it when stopped.', effect: 'write', handle: late }),
      hold: operation({ ...facts, summary: 'Go on until stopped.', effect: 'write', handle: hold }),
    },
  })
}
