// MAXIM backtest, an operation of our own: tests a draft policy on past decisions without enacting it.

import type { PolicySet } from '@svc/contract/authority/policy'
import type { OperationContext } from '@svc/contract/operation-context'
import { operation } from '@svc/contract/protocol'
import { stand_ins } from '@svc/contract/scene'
import {
  Closed,
  Did,
  described,
  HexHash,
  ListOf,
  OneOf,
  Outcome,
  Period,
  Ref,
  Text,
  Timestamp,
} from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  compareOn,
  type Flips,
  flipsOf,
  isCaseSeen,
  judgeBy,
  mineInTurns,
  recordRef,
  scanChain,
} from '../precedents/api.ts'
import { PolicyBody, PolicyId, requireSound } from './policy-authoring.ts'
import { requireOwn, setFor } from './policy-interpretation.ts'

const records_max = 20_000
const decisions_max = 10_000
const decisions_default = 1_000
const window_days_default = 90
const flips_told_max = 100
const deadline_ms = 30_000
/** Version under which a draft appears in results. */
const draft_version = '0.0.0'

const BacktestInput = Closed({
  policy_id: described(PolicyId, 'Policy that the draft replaces or adds.'),
  policy_body: PolicyBody,
  retire: Type.Optional(Type.Boolean({ default: false, description: 'Tests the removal of the policy.' })),
  decisions: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: decisions_max,
      default: decisions_default,
      description: 'How many of the newest decisions in the audit log to test.',
    }),
  ),
  window_days: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 3650,
      default: window_days_default,
      description: 'How far to look back, in days.',
    }),
  ),
  protocols: Type.Optional(
    described(ListOf(Text(64), 1, 64), 'Only decisions about these protocols; absent: all.'),
  ),
  include_scheduled: Type.Optional(
    Type.Boolean({ default: false, description: 'Includes planned policies besides those in force.' }),
  ),
})
type BacktestInput = Static<typeof BacktestInput>

const Count = Type.Integer({ minimum: 0 })

const Flip = Closed({
  record: described(Ref, 'The audit record of the decision.'),
  at: described(Timestamp, 'When it was made.'),
  caller_did: described(Did, 'Who called.'),
  protocol: Type.Optional(Type.String({ description: 'Protocol of the call.' })),
  operation: Type.Optional(Type.String({ description: 'Operation of the call.' })),
  was: described(Outcome, 'How the call ended. Refused: a rule did not allow it.'),
  would_be: described(OneOf('allow', 'deny'), 'What the draft would decide.'),
  by: Type.Optional(
    Type.String({ description: 'The policy that would deny it: maxim://<policy_id>@<version>.' }),
  ),
})

const BacktestOutput = Closed({
  policy_id: PolicyId,
  warnings: described(ListOf(Type.String(), 0, 64), 'Possible mistakes that Cedar found.'),
  window: described(Period, 'Time that was looked at; half-open: from <= t < to.'),
  head: described(HexHash, 'Hash of the newest record of your audit log when it was read.'),
  decisions: described(Count, 'Decisions looked at.'),
  evaluated: described(Count, 'Decisions that could be judged again.'),
  undecided: Type.Integer({ minimum: 0, description: 'Depend on facts that their records do not contain.' }),
  unjudged: Type.Integer({ minimum: 0, description: 'Ended before any policy was evaluated.' }),
  denied_anyway: described(
    Count,
    "Calls that today's policies deny with or without the draft; not its effect, so not counted below.",
  ),
  would_flip_allow_to_deny: described(Count, "Calls that today's policies allow and the draft would deny."),
  would_flip_deny_to_allow: described(Count, "Calls that today's policies deny and the draft would allow."),
  flips: Type.Array(Flip, { maxItems: flips_told_max, description: 'Newest first.' }),
  truncated: Type.Boolean({ description: 'The window contains older decisions that were not tested.' }),
  binding: Type.Literal(false, { description: 'Always false: nothing is enacted.' }),
})
type BacktestOutput = Static<typeof BacktestOutput>

export const backtestPolicy = operation({
  summary: 'Test a draft policy on the newest decisions in your audit log; nothing is enacted or stored.',
  effect: 'read',
  level: 'L1',
  meters: ['seconds'],
  // Evaluated on thousands of recorded calls.
  rate_cost: 25,
  deadline_ms,
  needs: ['audit_log', 'charter', 'compute', 'policies'],
  input: BacktestInput,
  output: BacktestOutput,
  example: {
    policy_id: 'no-new-treaties',
    policy_body:
      '@reason("no treaties are proposed while the auditors are here")\n' +
      'forbid(principal, action, resource)\n' +
      'when { resource.protocol == "MOAT" && resource.operation == "propose" };',
    decisions: 500,
  },
  scene: [
    {
      call: 'MOAT.propose',
      input: {
        counterparty_did: stand_ins.partner_did,
        capability_schedule: [{ capability: 'svc.mind.recall_memory', granted_to: 'both' }],
        expires_at: stand_ins.in_a_year,
      },
    },
  ],
  handle: tryOnAuditLog,
})

/** Evaluates the policies in force, without and with the draft, on the last decisions: the difference is its effect. */
async function tryOnAuditLog(
  input: BacktestInput,
  context: OperationContext<'audit_log' | 'charter' | 'compute' | 'policies'>,
): Promise<BacktestOutput> {
  requireOwn(context)
  const { policy_id, decisions = decisions_default, window_days = window_days_default, protocols } = input
  const warnings = await requireSound(input, context)
  const { today, proposed } = await setsOf(input, context)
  const scan = await scanChain(context, window_days, { protocols }, records_max)
  const all = scan.seen.filter(isCaseSeen)
  const cases = all.slice(-decisions)
  const scenes = cases.flatMap(({ scene }) => (scene === undefined ? [] : [scene]))
  const judgedBy = async (set: PolicySet) => {
    const judge = await judgeBy(context, set)
    return { set, judge: (scene: number) => judge(scan.scenes[scene]!) }
  }
  const comparing = compareOn(scenes, await judgedBy(today), await judgedBy(proposed))
  const flips = flipsOf(cases, await mineInTurns(comparing, context.signal))
  const is_cut = scan.is_cut || cases.length < all.length
  const oldest = cases[0]
  return {
    policy_id,
    warnings,
    window: {
      from: is_cut && oldest ? new Date(oldest.at_ms).toISOString() : scan.from,
      to: context.now,
    },
    head: scan.head,
    decisions: cases.length,
    unjudged: cases.length - flips.decided.length - flips.undecided,
    ...figuresOf(flips, context.tenant_id),
    truncated: is_cut,
    binding: false,
  }
}

/** Today's policies, and the same with the draft in place of its policy. */
async function setsOf(
  { policy_id, policy_body: body, retire, include_scheduled = false }: BacktestInput,
  context: OperationContext,
): Promise<{ readonly today: PolicySet; readonly proposed: PolicySet }> {
  const { policies: standing } = await setFor(Date.parse(context.now), include_scheduled, context)
  const others = standing.filter((policy) => policy.policy_id !== policy_id)
  const policies = retire ? others : [...others, { policy_id, version: draft_version, body }]
  return { today: setOf(standing), proposed: setOf(policies) }
}

function setOf(policies: PolicySet['policies']): PolicySet {
  return { set_digest: contentHash(policies), policies }
}

function figuresOf({ decided, undecided, denied_now, allowed_now, denied_anyway }: Flips, tenant_id: string) {
  const flips = [...denied_now, ...allowed_now]
    .sort((a, b) => b.one.seq - a.one.seq)
    .slice(0, flips_told_max)
    .map(({ one, verdict }) => flipOf(one, verdict, tenant_id))
  return {
    evaluated: decided.length,
    undecided,
    denied_anyway,
    would_flip_allow_to_deny: denied_now.length,
    would_flip_deny_to_allow: allowed_now.length,
    flips,
  }
}

type Judged = Flips['decided'][number]

function flipOf(one: Judged['one'], verdict: Judged['verdict'], tenant_id: string): Static<typeof Flip> {
  const { protocol, operation: name, outcome } = one.step
  return {
    record: recordRef(tenant_id, one),
    at: new Date(one.at_ms).toISOString(),
    caller_did: one.caller_did,
    ...(protocol !== undefined && { protocol }),
    ...(name !== undefined && { operation: name }),
    was: outcome,
    ...(verdict.says === 'deny' ? { would_be: 'deny', by: verdict.by } : { would_be: 'allow' }),
  }
}
