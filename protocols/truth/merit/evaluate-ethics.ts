// MERIT evaluate_ethics: advice on an action, with reasons and objections; never a decision.

import { parseDid } from '@svc/contract/identity/did'
import { computation } from '@svc/contract/needs/computation'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { keepContent, linkContent } from '../../cognition/content/api.ts'
import { askRationale, faulty } from '../opinions/api.ts'
import { findConcerns } from './concerns.ts'
import { issueCredential } from './credential-issue.ts'
import { condition_kinds, type EthicsFinding, type EthicsQuestion } from './ethics.ts'
import { judgedActionOf } from './ethics-action.ts'
import { dutiesOf } from './ethics-duties.ts'
import { compute } from './ethics-job.ts'
import { default_principles } from './ethics-principles.ts'
import type { EvaluateInput, EvaluateOutput } from './evaluate-ethics-schema.ts'
import { readActions, readByModel } from './read-action.ts'

const thread_ms_max = 8_000
/** Measured: this many effects, of at most three actions, are judged in under five milliseconds. */
const inline_effects_max = 24
const job = computation<EthicsQuestion, EthicsFinding>(new URL('./ethics-job.ts', import.meta.url))

export async function evaluateEthics(
  input: EvaluateInput,
  context: OperationContext<
    | 'audit_log'
    | 'authority'
    | 'compute'
    | 'custody'
    | 'embedder'
    | 'model'
    | 'policies'
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
  const finding = await judgeFully(input, question, context)
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
  const { kind, description, target_ref } = input.action
  const credential = await issueCredential(context, {
    id: subject_did!,
    evaluation: evaluation_ref,
    action: { kind, description, ...(target_ref !== undefined && { target_ref }) },
    verdict,
    conditions: condition_kinds.filter((kind) => conditions.some((condition) => condition.kind === kind)),
  })
  return { ...answer, credential }
}

/** A model is asked only where it could make the verdict stricter. */
async function judgeFully(
  { action }: EvaluateInput,
  question: EthicsQuestion,
  context: OperationContext<'compute' | 'model' | 'tokens'>,
): Promise<EthicsFinding> {
  const finding = await find(question, context)
  if (finding.ambiguous || (isPermitted(finding) && context.model)) context.takePath('agent')
  if (!isPermitted(finding)) return finding
  const readings = await readByModel(action, context)
  if (readings.length === 0) return finding
  const { judged_action } = question
  const stricter = { ...judged_action, readings: [...judged_action.readings, ...readings] }
  return await find({ ...question, judged_action: stricter }, context)
}

function isPermitted({ verdict }: EthicsFinding): boolean {
  return verdict === 'permit' || verdict === 'permit_with_conditions'
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
  context: OperationContext<'authority' | 'embedder' | 'policies' | 'telemetry' | 'treaties'>,
): Promise<EthicsQuestion> {
  const { action, alternatives = [], policy_refs = [], principles } = input
  const actions = [
    { action, pointer: '/action' },
    ...alternatives.map((other, place) => ({ action: other, pointer: `/alternatives/${place}` })),
  ]
  const duties = await dutiesOf(context, actions, policy_refs)
  const readings = await readActions([action, ...alternatives], await findConcerns(context), context)
  const judged_actions = actions.map((one, place) =>
    judgedActionOf(one.action, context.caller.did, duties[place]!, readings[place]!),
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
  const { principles, violated, conditions, missing, read, dissent, ...rest } = finding
  return {
    ...rest,
    principles: principles.map((one) => ({ ...one, reasons: [...one.reasons] })),
    violated: violated.map((rule) => ({ ...rule })),
    conditions: conditions.map((condition) => ({ ...condition })),
    missing: missing.map((one) => ({ ...one })),
    read: read.map((one) => ({ ...one, words: [...one.words] })),
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
    missing: ethics_finding.missing.map(({ field }) => field),
    read: ethics_finding.read.map(({ ref }) => ref),
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
