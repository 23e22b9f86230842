// What would happen, stage by stage. The verdict is the real call's, because the same stages gave it.
import type { Refusal } from '@svc/contract/refusal'
import type { Call } from './call.ts'

export interface DryRun {
  readonly verdict: 'allowed' | 'refused'
  readonly stages: readonly StageVerdict[]
  readonly refusal: Refusal | undefined
  readonly stage: number
}

interface StageVerdict {
  readonly stage: number
  readonly name: string
  readonly verdict: 'passed' | 'refused' | 'not reached'
  readonly knew: Record<string, unknown>
}

const stages: readonly { name: string; knew: (call: Call) => Record<string, unknown> }[] = [
  {
    name: 'identity',
    knew: ({ caller }) => ({ did: caller?.did, kind: caller?.entity_kind, level: caller?.conformance_level }),
  },
  {
    name: 'version',
    knew: (call) => ({
      protocol: call.registered?.facts.id,
      version: call.registered?.version,
      operation: call.operation?.name,
    }),
  },
  {
    name: 'context',
    knew: (call) => ({ correlation_id: call.correlation_id, tenant_id: call.asked.request.tenant_id }),
  },
  {
    name: 'rate limit',
    knew: ({ allowance }) => ({ limit: allowance?.limit, remaining: allowance?.remaining }),
  },
  {
    name: 'capability',
    knew: (call) => ({
      requested: call.operation?.capability,
      grant: call.grant?.name,
      source: call.grant?.source,
      ref: call.grant?.source_ref,
    }),
  },
  { name: 'circuit breaker', knew: () => ({}) },
  { name: 'load balancing', knew: (call) => ({ endpoint: call.endpoint?.id }) },
  { name: 'input', knew: () => ({}) },
]

export function describeStages(call: Call, refusal: Refusal | undefined): DryRun {
  const refused_at = refusal ? call.stage : stages.length
  return {
    verdict: refusal ? 'refused' : 'allowed',
    stages: stages.map(({ name, knew }, stage) => ({
      stage,
      name,
      verdict: stage < refused_at ? 'passed' : stage === refused_at ? 'refused' : 'not reached',
      knew: stage <= refused_at ? knew(call) : {},
    })),
    refusal,
    stage: Math.min(refused_at, 7),
  }
}
