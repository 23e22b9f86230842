// Which recurring refusals the policies cover already.

import type { PolicySet } from '@svc/contract/authority/policy'
import { policySetAt } from '@svc/contract/authority/policy-timeline'
import type { OperationContext } from '@svc/contract/operation-context'
import type { RecordedScene } from '../../awareness/replay/api.ts'
import { readTimeline } from '../policies/api.ts'
import { judgeRecorded, judgeScenes, type Verdict } from './backtest.ts'
import { mineInTurns } from './mining-budget.ts'
import type { Seen } from './pattern.ts'
import type { Scan } from './pattern-scan.ts'
import type { PatternSupport } from './pattern-store.ts'

/** Number of evenly spread scenes of a pattern that are evaluated for coverage. */
const scenes_asked_max = 32

export interface Measured {
  readonly support: PatternSupport
  /** The matching cases. */
  readonly held: readonly Seen[]
}

/** The policies in force now. */
export async function setInForce({ db, tenant_id, now }: OperationContext): Promise<PolicySet> {
  const at = new Date(now)
  return policySetAt(await readTimeline(db, tenant_id, at), at.getTime())
}

/** As in stage 4: a charter member can always read its organization's audit log. */
export async function judgeBy(
  context: OperationContext<'charter' | 'policies'>,
  set: PolicySet,
): Promise<(recorded: RecordedScene) => Verdict> {
  const members = await context.charter.members()
  return (recorded) => {
    const { principal, resource } = recorded.scene
    const is_audit_log_read = resource.protocol === 'MAX' && !resource.state_changing
    if (is_audit_log_read && members.includes(principal.did)) return { says: 'allow' }
    return judgeRecorded(context.policies.cedar, set, recorded)
  }
}

/** By pattern: the one policy that would forbid all its scenes today. */
export async function coveringOf(
  measured: readonly Measured[],
  { scenes }: Scan,
  context: OperationContext<'charter' | 'policies'>,
): Promise<ReadonlyMap<string, string>> {
  const set = await setInForce(context)
  const refusals = measured.filter(
    ({ support: { pattern } }) => pattern.kind === 'decision' && pattern.outcome === 'refused',
  )
  if (set.policies.length === 0 || refusals.length === 0) return new Map()
  const samples = refusals.map(({ support, held }) => ({
    pattern_id: support.pattern_id,
    scenes: spread([...new Set(held.map(({ scene }) => scene))]),
  }))
  const judge = await judgeBy(context, set)
  const scene_numbers = samples.flatMap((one) => one.scenes.filter((scene) => scene !== undefined))
  const verdicts = await mineInTurns(
    judgeScenes(scene_numbers, (scene) => judge(scenes[scene]!), set),
    context.signal,
  )
  return new Map(
    samples.flatMap(({ pattern_id, scenes: own }) => {
      const rule = ruleOf(own.map((scene) => (scene === undefined ? undefined : verdicts.get(scene))))
      return rule === undefined ? [] : [[pattern_id, rule] as const]
    }),
  )
}

/** Undefined if one is not denied, is denied by another policy, or never reached the policies. */
function ruleOf(verdicts: readonly (Verdict | undefined)[]): string | undefined {
  const rules = new Set(verdicts.map((verdict) => (verdict?.says === 'deny' ? verdict.by : undefined)))
  return rules.size === 1 ? [...rules][0] : undefined
}

function spread<Value>(values: readonly Value[]): Value[] {
  const every = Math.max(1, Math.ceil(values.length / scenes_asked_max))
  return values.filter((_, place) => place % every === 0)
}
