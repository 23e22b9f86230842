// Tests a policy on past requests: which of them it would have decided differently.
import type { Cedar, PolicySet, Scene } from '@svc/contract/authority/policy'
import { ruleOn } from '@svc/contract/authority/policy-ruling'
import type { RecordedScene, SceneFact } from '../../awareness/replay/api.ts'
import { type Case, inBps } from './mining.ts'
import type { Mining } from './mining-budget.ts'
import { looksLike, type Pattern } from './pattern.ts'

const scenes_in_a_turn_max = 16
/** Longer policies take longer per scene: with a large organization's set, a third of a second. */
const characters_in_a_turn = 16_384
const flips_told_max = 20

/** `open`: depends on facts that the record lacks. */
export type Verdict = { readonly says: 'allow' | 'open' } | { readonly says: 'deny'; readonly by: string }

export interface Backtest {
  readonly evaluated: number
  readonly undecided: number
  readonly would_flip_allow_to_deny: number
  readonly would_flip_deny_to_allow: number
  readonly agrees_with_pattern_bps: number
  /** Newest first. */
  readonly flips: readonly Case[]
}

/** The decision of policies on a recorded request. A missing fact counts only if a policy uses it. */
export function judgeRecorded(cedar: Cedar, set: PolicySet, { scene, unknown }: RecordedScene): Verdict {
  const named = (fact: SceneFact) =>
    unknown.includes(fact) && set.policies.some(({ body }) => body.includes(fact))
  if (named('human_root')) return { says: 'open' }
  const open = (['jurisdiction', 'action_kind', 'amount_micro_usd', 'input'] as const).filter(named)
  if (open.length > 0 && cedar.unknownsOf(set, scene, open).length > 0) return { says: 'open' }
  const first = ruling(cedar, set, scene)
  if (!unknown.includes('state_changing') || (!named('state_changing') && first.is_sure)) return first.verdict
  const second = ruling(cedar, set, changing(scene))
  return first.verdict.says === second.verdict.says ? first.verdict : { says: 'open' }
}

function ruling(cedar: Cedar, set: PolicySet, scene: Scene): { verdict: Verdict; is_sure: boolean } {
  const decision = cedar.decide(set, scene)
  const policy_ruling = ruleOn(set.set_digest, decision, scene)
  return {
    verdict: policy_ruling.allowed ? { says: 'allow' } : { says: 'deny', by: policy_ruling.denying_policy },
    // A policy error denies only state-changing calls.
    is_sure: decision.errors.length === 0,
  }
}

function changing({ resource, ...scene }: Scene): Scene {
  return { ...scene, resource: { ...resource, state_changing: true } }
}

/** Today's policies beside the same with the proposal, on the same requests. */
export function* compareOn(
  scenes: readonly number[],
  today: { readonly set: PolicySet; judge(scene: number): Verdict },
  proposed: { readonly set: PolicySet; judge(scene: number): Verdict },
): Mining<Compared> {
  return {
    today: yield* judgeScenes(scenes, today.judge, today.set),
    proposed: yield* judgeScenes(scenes, proposed.judge, proposed.set),
  }
}

/** Each scene is evaluated once, however many requests share it. */
export function* judgeScenes(
  scenes: Iterable<number>,
  judge: (scene: number) => Verdict,
  { policies }: PolicySet,
): Mining<ReadonlyMap<number, Verdict>> {
  const verdicts = new Map<number, Verdict>()
  const characters = policies.reduce((sum, { body }) => sum + body.length, 1)
  const in_a_turn = Math.max(1, Math.min(scenes_in_a_turn_max, Math.floor(characters_in_a_turn / characters)))
  for (const scene of scenes) {
    if (verdicts.has(scene)) continue
    verdicts.set(scene, judge(scene))
    if (verdicts.size % in_a_turn === 0) yield
  }
  return verdicts
}

interface Judged {
  readonly one: Case
  readonly verdict: Verdict
  readonly before: Verdict
}

/** Decisions that would change. */
export interface Flips {
  readonly decided: readonly Judged[]
  readonly undecided: number
  readonly denied_now: readonly Judged[]
  readonly allowed_now: readonly Judged[]
  /** Denied by today's policies with or without the proposal. */
  readonly denied_anyway: number
}

/** Verdicts of today's policies, and of the same with the proposal. */
export interface Compared {
  readonly today: ReadonlyMap<number, Verdict>
  readonly proposed: ReadonlyMap<number, Verdict>
}

/** Only what the proposal itself changes: what today's policies already decide otherwise than when it was recorded is not its effect. */
export function flipsOf(cases: readonly Case[], { today, proposed }: Compared): Flips {
  const judged = cases.flatMap((one) => {
    const verdict = one.scene === undefined ? undefined : proposed.get(one.scene)
    const before = one.scene === undefined ? undefined : today.get(one.scene)
    return verdict && before ? [{ one, verdict, before }] : []
  })
  const decided = judged.filter(({ verdict, before }) => verdict.says !== 'open' && before.says !== 'open')
  // What a capability or a module refused, no policy decides; a call that only a policy refused could have gone on.
  const open = decided.filter(({ one }) => one.step.outcome !== 'refused' || one.is_by_rule === true)
  return {
    decided,
    undecided: judged.length - decided.length,
    denied_now: open.filter(({ before, verdict }) => before.says === 'allow' && verdict.says === 'deny'),
    allowed_now: open.filter(({ before, verdict }) => before.says === 'deny' && verdict.says === 'allow'),
    denied_anyway: open.filter(({ before, verdict }) => before.says === 'deny' && verdict.says === 'deny')
      .length,
  }
}

export function backtest(cases: readonly Case[], verdicts: Compared, pattern: Pattern): Backtest {
  const { decided, undecided, denied_now, allowed_now } = flipsOf(cases, verdicts)
  const expected = pattern.outcome === 'refused' ? 'deny' : 'allow'
  const alike = decided.filter(({ one }) => isLike(one, pattern))
  const agreeing = alike.filter(({ verdict }) => verdict.says === expected)
  return {
    evaluated: decided.length,
    undecided,
    would_flip_allow_to_deny: denied_now.length,
    would_flip_deny_to_allow: allowed_now.length,
    agrees_with_pattern_bps: alike.length === 0 ? 0 : inBps(agreeing.length, alike.length),
    flips: [...denied_now, ...allowed_now]
      .map(({ one }) => one)
      .sort((a, b) => b.seq - a.seq)
      .slice(0, flips_told_max),
  }
}

/** For a sequence, its last step. */
function isLike({ features, step }: Case, pattern: Pattern): boolean {
  if (pattern.kind === 'decision') return looksLike(features, pattern.features)
  const last = pattern.sequence.at(-1)!
  return step.protocol === last.protocol && step.operation === last.operation
}
