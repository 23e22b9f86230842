// MERIT evaluate_ethics: advice on an action, with reasons and objections; never a decision.

import { parseDid } from '@svc/contract/identity/did'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { Closed, Did, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { keepContent, linkContent } from '../../cognition/content/api.ts'
import { askRationale, faulty } from '../opinions/api.ts'
import { Credential } from './credential.ts'
import { issueCredential } from './credential-issue.ts'
import { condition_kinds, type EthicsFinding, type EthicsQuestion, verdicts } from './ethics.ts'
import {
  Action,
  alternatives_max,
  duties_max,
  judgedActionOf,
  PrincipleId,
  principle_ids,
} from './ethics-action.ts'
import { dutiesOf } from './ethics-duties.ts'
import { compute } from './ethics-job.ts'
import { default_principles } from './ethics-principles.ts'

const thread_ms_max = 8_000
/** Measured: this many effects, of at most three actions, are judged in under five milliseconds. */
const inline_effects_max = 24
const job = computation<EthicsQuestion, EthicsFinding>(new URL('./ethics-job.ts', import.meta.url))

export const EvaluateInput = Closed({
  action: Action,
  alternatives: Type.Optional(ListOf(Action, 0, alternatives_max)),
  principles: Type.Optional(
    ListOf(
      Closed({
        id: PrincipleId,
        weight: Type.Optional(Type.Number({ minimum: 0, maximum: 10, default: 1 })),
      }),
      1,
      principle_ids.length,
    ),
  ),
  policy_refs: Type.Optional(
    Type.Array(Ref, {
      maxItems: duties_max,
      description: 'maxim://<policy_id>, or one version with @1.2.0.',
    }),
  ),
  issue_credential: Type.Optional(
    Type.Boolean({ default: false, description: 'Only permitted actions are certified.' }),
  ),
  subject_did: Type.Optional(Did),
})
type EvaluateInput = Static<typeof EvaluateInput>

const Score = Type.Number({ minimum: -1, maximum: 1 })
const Verdict = OneOf(...verdicts)

export const EvaluateOutput = Closed({
  evaluation_ref: Ref,
  verdict: Verdict,
  principles: ListOf(
    Closed({ id: PrincipleId, score: Score, reasons: ListOf(Type.String(), 0, 16) }),
    1,
    principle_ids.length,
  ),
  violated: ListOf(Closed({ rule_ref: Ref, text: Type.String() }), 0, 512),
  conditions: ListOf(Closed({ kind: OneOf(...condition_kinds), text: Type.String() }), 0, 64),
  best_alternative: Type.Optional(
    Closed({
      index: Type.Integer({ minimum: 0, maximum: alternatives_max - 1 }),
      verdict: Verdict,
      welfare: Type.Number(),
      dominates: Type.Boolean({ description: 'Nobody is worse off than with the action.' }),
    }),
  ),
  dissent: ListOf(
    Closed({ principle: PrincipleId, score: Score, reason: Type.String() }),
    0,
    principle_ids.length,
  ),
  welfare: Type.Number({ description: 'Welfare of all affected parties; losses count more than gains.' }),
  spread: Type.Number({ minimum: 0, description: 'Standard deviation of welfare.' }),
  ambiguous: Type.Boolean({ description: 'Two principles are equally strong in opposite directions.' }),
  rationale: Type.Optional(Closed({ text: Text(4096), model: Type.String(), verified: Type.Literal(false) })),
  binding: Type.Literal(false),
  credential: Type.Optional(Credential),
  credential_withheld: Type.Optional(
    Type.String({ description: 'Why no credential was issued although requested.' }),
  ),
})
type EvaluateOutput = Static<typeof EvaluateOutput>

export async function evaluateEthics(
  input: EvaluateInput,
  context: OperationContext<
    | 'audit_log'
    | 'compute'
    | 'custody'
    | 'embedder'
    | 'model'
    | 'register'
    | 'telemetry'
    | 'tokens'
    | 'treaties'
    | 'vault'
  >,
): Promise<EvaluateOutput> {
  requireFitting(input, context)
  context.takePath('protocol')
  const question = await questionOf(input, context)
  const finding = await find(question, context)
  if (finding.ambiguous) context.takePath('agent')
  const rationale = finding.ambiguous ? await rationaleFor(input, finding, context) : undefined
  const { issue_credential = false, subject_did, ...asked } = input
  const evaluation_ref = await keepEvaluation(context, asked, { ...finding, ...(rationale && { rationale }) })
  const answer = {
    ...asAnswer(finding),
    evaluation_ref,
    binding: false,
    ...(rationale && { rationale }),
  } as const
  if (!issue_credential) return answer
  const { verdict, conditions } = finding
  if (verdict !== 'permit' && verdict !== 'permit_with_conditions')
    return {
      ...answer,
      credential_withheld: `The verdict is ${verdict}; only what is permitted is certified.`,
    }
  const credential = await issueCredential(context, {
    id: subject_did!,
    evaluation: evaluation_ref,
    verdict,
    conditions: condition_kinds.filter((kind) => conditions.some((condition) => condition.kind === kind)),
  })
  return { ...answer, credential }
}

function requireFitting(
  { principles = [], issue_credential = false, subject_did }: EvaluateInput,
  { caller, tenant_id }: OperationContext,
): void {
  for (const [place, { id }] of principles.entries())
    if (principles.findIndex((other) => other.id === id) !== place)
      throw faulty('duplicate_principle', `/principles/${place}/id`, 'stands there already')
  if (issue_credential !== (subject_did !== undefined))
    throw faulty('subject', '/subject_did', 'stands with issue_credential, and is needed with it')
  // The status lists are this organization's: it issues for its own agents only.
  if (issue_credential && parseDid(caller.did)?.namespace !== tenant_id)
    throw refuse(
      'policy_denied',
      `${tenant_id} issues credentials through its own agents; ask one of them.`,
      {
        reason: 'not of this organization',
        denying_policy: 'MERIT same tenant',
      },
    )
}

async function questionOf(
  input: EvaluateInput,
  context: OperationContext<'telemetry' | 'treaties'>,
): Promise<EthicsQuestion> {
  const { action, alternatives = [], policy_refs = [], principles } = input
  const actions = [
    { action, pointer: '/action' },
    ...alternatives.map((other, place) => ({ action: other, pointer: `/alternatives/${place}` })),
  ]
  const duties = await dutiesOf(context, actions, policy_refs)
  const judged_actions = actions.map((one, place) =>
    judgedActionOf(one.action, context.caller.did, duties[place]!),
  )
  return {
    judged_action: judged_actions[0]!,
    alternatives: judged_actions.slice(1),
    principles: principles?.map(({ id, weight = 1 }) => ({ id, weight })) ?? default_principles,
  }
}

function find(
  question: EthicsQuestion,
  context: OperationContext<'compute'>,
): EthicsFinding | Promise<EthicsFinding> {
  const judged_actions = [question.judged_action, ...question.alternatives]
  const effects = judged_actions.reduce((sum, judged_action) => sum + judged_action.effects.length, 0)
  if (effects <= inline_effects_max && judged_actions.length <= 3)
    return compute(question, { elapsed_ms: () => 0 })
  return context.compute(job, question, thread_ms_max)
}

function asAnswer(finding: EthicsFinding) {
  const { principles, violated, conditions, dissent, ...rest } = finding
  return {
    ...rest,
    principles: principles.map((one) => ({ ...one, reasons: [...one.reasons] })),
    violated: violated.map((rule) => ({ ...rule })),
    conditions: conditions.map((condition) => ({ ...condition })),
    dissent: dissent.map((one) => ({ ...one })),
  }
}

/** Content-addressed and immutable: the later state of a credential is not part of it. */
async function keepEvaluation(
  context: OperationContext<'embedder' | 'vault'>,
  request: Pick<EvaluateInput, 'action' | 'alternatives'>,
  ethics_finding: EthicsFinding,
): Promise<string> {
  const { caller, now, record_id } = context
  const body = {
    type: 'MeritEvaluation',
    evaluator: caller.did,
    evaluated_at: now,
    record_id,
    asked: request,
    found: ethics_finding,
  }
  const evaluation_ref = `merit://evaluation/${sha256Hex(canonicalJson(body))}`
  const { commitment } = await keepContent(context, { ref: evaluation_ref, kind: 'evaluation', body })
  const { target_ref } = request.action
  if (target_ref !== undefined) await linkContent(context, evaluation_ref, [{ ref: target_ref }], 'evaluates')
  context.audit('EthicsEvaluated', {
    evaluation_ref,
    commitment,
    verdict: ethics_finding.verdict,
    violated: ethics_finding.violated.map(({ rule_ref }) => rule_ref),
    ambiguous: ethics_finding.ambiguous,
    affected: request.action.affected?.length ?? 0,
    alternatives: request.alternatives?.length ?? 0,
  })
  return evaluation_ref
}

/** A model's unverified explanation; the verdict does not depend on it. */
async function rationaleFor(
  { action, alternatives }: EvaluateInput,
  finding: EthicsFinding,
  context: OperationContext<'model' | 'tokens'>,
): Promise<EvaluateOutput['rationale']> {
  return await askRationale(
    context,
    'Principles are torn about this action. Say in at most four sentences what speaks for and against it, and what ' +
      'a reviewer should find out. Use only what is given; decide nothing.',
    { finding, action, alternatives },
  )
}
