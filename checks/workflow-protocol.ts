// Steps for workflows that can be told how to behave: what they answer, how often they fail, whether they act outside.
import { operation, protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import { Closed } from '@svc/contract/schema'
import { Type } from 'typebox'

/** What happened, in order; kept by the test, not by the database. */
export interface Deeds {
  readonly log: string[]
  /** By name: how many more tries fail, and how. */
  readonly failing: Map<string, { times: number; code: 'adapter_error' | 'policy_denied' | 'rate_limited' }>
}

export function workflowProtocol({ log, failing }: Deeds) {
  const Named = Closed({
    name: Type.String(),
    confidence: Type.Optional(Type.Number()),
    value: Type.Optional(Type.Integer()),
  })
  const Said = Closed({ name: Type.String(), confidence: Type.Number(), value: Type.Integer() })
  const act = ({
    name,
    confidence = 1,
    value = 0,
  }: {
    name: string
    confidence?: number
    value?: number
  }) => {
    const plan = failing.get(name)
    if (plan && plan.times > 0) {
      plan.times--
      throw refuse(plan.code, `${name} fails as it was told to.`, { reason: 'told to', retry_after_ms: 1 })
    }
    log.push(name)
    return { name, confidence, value: value + 1 }
  }
  const facts = {
    level: 'L0',
    meters: ['seconds'],
    keep_input: false,
    input: Named,
    output: Said,
    example: { name: 'a' },
  } as const
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
    },
  })
}
