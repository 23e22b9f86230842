// From precedent to proposed policy: validated, backtested, and submitted to a council.

import { checkCedar, type PolicySet } from '@svc/contract/authority/policy'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { contentHash } from '@svc/contract/signing/canonical-json'
import type { Static } from 'typebox'
import { conveneMotion, requireL2 } from '../mace/api.ts'
import { policyDigest } from '../maxim/api.ts'
import { type Motion, openMotion, requireState } from '../motions/api.ts'
import { newestVersion } from '../policies/api.ts'
import {
  backtest,
  type Case,
  CasesByOperation,
  type Compared,
  compareOn,
  generalRule,
  inBps,
  isCaseSeen,
  judgeBy,
  lockPattern,
  mineInTurns,
  type Pattern,
  recordRef,
  requireOwn,
  scanChain,
  setInForce,
  splitInTime,
  type Withheld,
} from '../precedents/api.ts'
import { isSameProposal, type Proposal, proposalId } from './proposal.ts'
import { stateOf, statesFrom } from './proposal-fate.ts'
import { type FormalizeInput, type FormalizeOutput, viewOf } from './proposal-input.ts'
import { findProposal, keepProposal } from './proposal-store.ts'

const records_max = 20_000
const proposals_compared_max = 64
const day_ms = 86_400_000
const active_after_ms = 14 * day_ms
const active_after_ms_max = 366 * day_ms
const council_ms_max = 7 * day_ms
/** Time that a council needs to decide before the policy takes effect. */
const council_ms_min = 60_000
/** Maximum of each of the three numbers in MAXIM. */
const version_number_max = 999_999
const faults_told_max = 32
const body_told_length_max = 6_000
/** As in a search without a share of its own. */
const confirmed_bps_min = 9_000

type Draft = Omit<Proposal, 'backtest' | 'motion_id'>

export async function formalize(
  input: FormalizeInput,
  context: OperationContext<
    'audit_log' | 'authority' | 'charter' | 'compute' | 'notify' | 'policies' | 'tokens'
  >,
): Promise<Static<typeof FormalizeOutput>> {
  requireOwn(context)
  const { db, tenant_id, now } = context
  const precedent = await lockPattern(db, tenant_id, input.pattern_id)
  if (!precedent) throw notFound('pattern', input.pattern_id)
  if (input.proposal_target !== 'MAXIM') requireL2(context.caller, 'A proposal to the charter')
  await requireSound(input, context)
  requireTime(input, now)
  const draft = await draftOf(input, context)
  const same = await sameAlready(draft, input, context)
  if (same) return viewOf(await stateOf(context, same), now)
  const tried = await tryOut(draft, precedent, context)
  const motion_id = await bringBefore(draft, tried, context)
  const proposal: Proposal = { ...draft, backtest: tried, motion_id }
  await keepProposal(db, tenant_id, proposal)
  announce(proposal, context)
  return viewOf(await stateOf(context, proposal), now)
}

async function requireSound(
  { proposed_maxim }: FormalizeInput,
  context: OperationContext<'compute' | 'policies'>,
): Promise<void> {
  const { policies, faults } = await checkCedar(context, proposed_maxim)
  const all =
    policies === 0 && faults.length === 0 ? [{ message: 'must contain at least one policy' }] : faults
  if (all.length === 0) return
  throw refuse(
    'invalid_payload',
    `proposed_maxim cannot be enacted: ${all[0]!.message}. Correct it at the positions in details.faults (UTF-16 units).`,
    {
      reason: 'cedar',
      faults: all.slice(0, faults_told_max).map((fault) => ({ pointer: '/proposed_maxim', ...fault })),
    },
  )
}

function requireTime({ active_from, proposal_target }: FormalizeInput, now: string): void {
  if (active_from === undefined) return
  const ahead_ms = isMoment(active_from) ? Date.parse(active_from) - Date.parse(now) : Number.NaN
  const needed_ms = proposal_target === 'MAXIM' ? 0 : 2 * council_ms_min
  if (ahead_ms >= needed_ms && ahead_ms <= active_after_ms_max) return
  const message = `must be ${needed_ms / 1000} seconds to a year in the future`
  throw refuse(
    'invalid_payload',
    `active_from ${message}, so that the council can decide first; choose another time.`,
    {
      reason: 'active_from out of bounds',
      faults: [{ pointer: '/active_from', message }],
    },
  )
}

async function draftOf(
  input: FormalizeInput,
  { db, tenant_id, caller, now }: OperationContext,
): Promise<Draft> {
  const { pattern_id, proposed_maxim: policy_body, proposal_target: target } = input
  const policy_id = input.policy_id ?? `precedent.${pattern_id.slice('sha256:'.length).slice(0, 16)}`
  const version = versionAfter((await newestVersion(db, tenant_id, policy_id))?.version)
  const active_ms =
    input.active_from === undefined ? Date.parse(now) + active_after_ms : Date.parse(input.active_from)
  const active_from = new Date(active_ms).toISOString()
  const digest = policyDigest({ policy_id, policy_body, version, active_from })
  const proposal_id = proposalId(tenant_id, { pattern_id, digest, target })
  const proposed = { proposed_by: caller.did, proposed_at: now }
  return {
    proposal_id,
    pattern_id,
    policy_id,
    version,
    policy_body,
    active_from,
    digest,
    target,
    ...proposed,
  }
}

/** The next minor version. */
function versionAfter(newest: string | undefined): string {
  if (newest === undefined) return '1.0.0'
  const [major, minor] = newest.replace(/^v/, '').split('.').map(Number)
  return minor! < version_number_max ? `${major}.${minor! + 1}.0` : `${major! + 1}.0.0`
}

/** Under the lock of the pattern: repeated or concurrent requests get one proposal and one council. */
async function sameAlready(
  draft: Draft,
  { active_from }: FormalizeInput,
  context: OperationContext,
): Promise<Proposal | undefined> {
  const { policy_id, policy_body, target } = draft
  const stated = await statesFrom(context, [draft.pattern_id], proposals_compared_max)
  const alive = stated.find(
    ({ proposal, state }) =>
      state !== 'REJECTED' && isSameProposal(proposal, { policy_id, policy_body, target, active_from }),
  )
  return alive?.proposal ?? findProposal(context.db, context.tenant_id, draft.proposal_id)
}

/** The policies in force beside the same with the proposal, on the requests of the pattern's window. */
async function tryOut(
  { policy_id, version, policy_body: body }: Draft,
  { pattern, window_days }: { readonly pattern: Pattern; readonly window_days: number },
  context: OperationContext<'audit_log' | 'charter' | 'policies'>,
): Promise<Proposal['backtest']> {
  const scan = await scanChain(context, window_days, {}, records_max)
  const today = await setInForce(context)
  const others = today.policies.filter((policy) => policy.policy_id !== policy_id)
  const policies = [...others, { policy_id, version, body }]
  const judgedBy = async (set: PolicySet) => {
    const judge = await judgeBy(context, set)
    return { set, judge: (scene: number) => judge(scan.scenes[scene]!) }
  }
  const proposed = await judgedBy({ set_digest: contentHash(policies), policies })
  const comparing = compareOn([...scan.scenes.keys()], await judgedBy(today), proposed)
  const verdicts = await mineInTurns(comparing, context.signal)
  const cases = scan.seen.filter(isCaseSeen)
  requireGround(pattern, cases, verdicts)
  const { flips, ...figures } = backtest(cases, verdicts, pattern)
  return {
    window: { from: scan.from, to: context.now },
    ...figures,
    flips: flips.map((one) => recordRef(context.tenant_id, one)),
    truncated: scan.is_cut,
  }
}

/** Only what was decided, and what the later cases confirm; a pattern whose cases have left the window is only back-tested. */
function requireGround(pattern: Pattern, cases: readonly Case[], verdicts: Compared): void {
  if (pattern.kind !== 'decision' || pattern.outcome !== 'refused') return
  const like = new CasesByOperation(cases).like(pattern.features)
  if (like.length === 0) return
  const ground = generalRule(pattern.features, like, confirmed_bps_min)
  const withheld = 'withheld' in ground ? ground.withheld : undefined
  if (withheld !== undefined) throw noGround(withheld)
  const denied = splitInTime(cases, pattern.features).later.filter(({ scene }) => {
    const says = (of: Compared['today']) => scene !== undefined && of.get(scene)?.says
    return says(verdicts.proposed) === 'deny' && says(verdicts.today) === 'allow'
  })
  const refused_before = denied.filter(({ is_decided }) => is_decided).length
  if (denied.length > 0 && inBps(refused_before, denied.length) < confirmed_bps_min)
    throw noGround('not_confirmed')
}

const sentences: Readonly<Record<Withheld, string>> = {
  missing_grant:
    'Calls of this pattern were refused because a right was missing or a limit was reached; that forbids nothing, so there is no rule to make of it. Write one with MAXIM author if you want it.',
  not_confirmed:
    'The latest third of the cases does not confirm the rule: too many that it would refuse were allowed. Narrow proposed_maxim, or wait until the practice is settled.',
  too_few_later:
    'Too few cases are later than those that the rule would be made from; surface the pattern again when it has recurred.',
}

function noGround(withheld: Withheld): Refusal {
  return refuse('policy_denied', sentences[withheld], {
    reason: withheld.replaceAll('_', ' '),
    denying_policy: 'MIMESIS precedent',
  })
}

async function bringBefore(
  draft: Draft,
  tried: Proposal['backtest'],
  context: OperationContext<'authority' | 'charter' | 'notify' | 'tokens'>,
): Promise<string | null> {
  if (draft.target === 'MAXIM') return null
  if (draft.target !== 'MACE') {
    const motion = await openMotion(context, draft.target)
    requireState(motion, 'formalize', ['CONVENED', 'OPEN'])
    requireBinding(motion, draft)
    return draft.target
  }
  const until_active_ms = Date.parse(draft.active_from) - Date.parse(context.now)
  const { motion_id } = await conveneMotion(context, {
    motion: {
      title: `Enact ${draft.policy_id} ${draft.version}`,
      text: textOf(draft, tried),
      charter_level: true,
      binds: [{ protocol: 'MAXIM', operation: 'author', subject: draft.digest }],
    },
    quorum: 'majority',
    deadline_ms: Math.min(council_ms_max, Math.floor(until_active_ms / 2)),
    composition_rules: { min_delegates: 1 },
  })
  return motion_id
}

function requireBinding({ body }: Motion, { digest }: Draft): void {
  const binds = body.binds.some(
    ({ protocol, operation, subject }) =>
      protocol === 'MAXIM' && operation === 'author' && subject === digest,
  )
  if (binds) return
  throw refuse(
    'policy_denied',
    `Motion ${body.motion_id} does not bind MAXIM.author to ${digest}, the digest of this policy; set proposal_target to MACE to convene one that does.`,
    { reason: 'motion does not bind this rule', subject: digest, appeal_path: 'MACE convene' },
  )
}

function textOf(draft: Draft, tried: Proposal['backtest']): string {
  const { policy_id, version, digest, pattern_id, active_from, policy_body } = draft
  const { evaluated, undecided, would_flip_allow_to_deny: denied, would_flip_deny_to_allow: allowed } = tried
  const body = policy_body.length <= body_told_length_max ? policy_body : `${digest} (too long to show here)`
  return `Policy ${policy_id} ${version} shall be in force from ${active_from}, as MAXIM author takes it under ${digest}.
It follows the precedent ${pattern_id}. Tried on ${evaluated} recorded requests it would have denied ${denied} that were allowed and allowed ${allowed} that were denied; ${undecided} could not be told.

${body}`
}

function announce({ backtest: tried, ...proposal }: Proposal, context: OperationContext): void {
  const { proposal_id, pattern_id, policy_id, version, digest, target, active_from, motion_id } = proposal
  const facts = { proposal_id, pattern_id, policy_id, version, digest, target, active_from }
  context.audit('PatternFormalized', {
    ...facts,
    ...(motion_id !== null && { motion_id }),
    would_flip_allow_to_deny: tried.would_flip_allow_to_deny,
    would_flip_deny_to_allow: tried.would_flip_deny_to_allow,
  })
}
