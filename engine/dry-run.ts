// The result of a dry run, stage by stage. The verdict is that of a real call: the same stages decide it.
import type { Refusal } from '@svc/contract/refusal'
import { stages } from '@svc/contract/stage'
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

/** What each stage learned, by its number; a dry run ends with the input check of stage 7. */
const knowledge: readonly ((call: Call) => Record<string, unknown>)[] = [
  ({ caller }) => ({ did: caller?.did, kind: caller?.entity_kind, level: caller?.conformance_level }),
  (call) => ({
    protocol: call.registered?.facts.id,
    version: call.registered?.version,
    operation: call.operation?.name,
  }),
  (call) => ({ correlation_id: call.correlation_id, tenant_id: call.asked.request.tenant_id }),
  ({ allowance }) => ({ limit: allowance?.limit, remaining: allowance?.remaining }),
  (call) => ({
    requested: call.operation?.capability,
    grant: call.grant?.name,
    source: call.grant?.source,
    ref: call.grant?.source_ref,
  }),
  () => ({}),
  (call) => ({ endpoint: call.endpoint?.id }),
  () => ({}),
]

export function describeStages(call: Call, refusal: Refusal | undefined): DryRun {
  const refused_at = refusal ? call.stage : knowledge.length
  return {
    verdict: refusal ? 'refused' : 'allowed',
    stages: knowledge.map((knew, stage) => ({
      stage,
      name: stages[stage]!.title,
      verdict: stage < refused_at ? 'passed' : stage === refused_at ? 'refused' : 'not reached',
      knew: stage <= refused_at ? knew(call) : {},
    })),
    refusal,
    stage: Math.min(refused_at, 7),
  }
}
