// Calls that need the consent of others: asked for once, used once. Calls without such a rule never come here.
import type { ApprovalRequest, Demand, MissingConsent } from '@svc/contract/authority/approval'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Call, inputText, type Placed } from './call.ts'
import { describeStages } from './dry-run.ts'
import { costOf } from './limits/budget.ts'
import type { Ports } from './ports.ts'

const retained_input_bytes_max = 64 * 1024
const shape_fields_max = 32
const shape_name_length_max = 64

/** After stage 6 and the input check, so that nobody is asked about a call that could not run. */
export async function requireApprovals(call: Placed, ports: Ports): Promise<void> {
  const { stage } = call
  call.stage = 4
  await useApprovals(call, ports, call.demands ?? [])
  call.stage = stage
}

/** Also for operations that learn only in their handler that consent is needed, before their first effect. */
export async function useApprovals(call: Placed, ports: Ports, demands: readonly Demand[]): Promise<void> {
  for (const tenant_id of new Set(demands.map((demand) => demand.tenant_id))) {
    const request = requestOf(
      call,
      ports,
      tenant_id,
      demands.filter((demand) => demand.tenant_id === tenant_id),
    )
    const answer = await (call.asked.dry_run ? ports.approvals.look(request) : ports.approvals.use(request))
    if ('who' in answer) throw notApproved(call, tenant_id, answer)
    const { approval_id } = answer
    call.approvals = [...(call.approvals ?? []), { tenant_id, approval_id }]
    call.acted = false
    if (answer.state === 'replay') call.only_replay = usedBefore(call, approval_id)
  }
}

/** The same call may then be tried again with the same consent, unless something may have been done. */
export async function giveBackApprovals(call: Call, refusal: Refusal, ports: Ports): Promise<void> {
  const { approvals = [], only_replay } = call
  if (approvals.length === 0 || only_replay || mayBeDone(call, refusal)) return
  for (const { tenant_id, approval_id } of approvals) {
    await ports.approvals.giveBack(tenant_id, approval_id, call.record_id).catch((error) => {
      ports.log.warn(
        { err: error, correlation_id: call.correlation_id },
        'an approval could not be given back',
      )
    })
  }
}

function mayBeDone({ acted, operation, endpoint }: Call, { row, details }: Refusal): boolean {
  if (acted || details.outcome === 'unknown') return true
  if (row.outcome === 'refused' || operation?.facts.effect === 'read') return false
  // What only wrote our rows was rolled back.
  return endpoint?.kind !== 'native' || operation?.facts.acts_outside === true
}

function requestOf(
  call: Placed,
  ports: Ports,
  tenant_id: string,
  demands: readonly Demand[],
): ApprovalRequest {
  const { asked, caller, registered, operation, record_id, correlation_id, now_ms } = call
  const input_text = inputText(call)
  const input_hash = sha256Hex(input_text)
  const { facts } = operation
  const keeps = facts.keep_input !== false && input_text.length <= retained_input_bytes_max
  const about = {
    caller: caller.did,
    demands: demands.map(({ who, by, ref }) => [who, by, ref]),
    from: asked.credential.tenant_id,
    input_hash,
    major: registered.version.split('.')[0],
    operation: operation.name,
    protocol: registered.facts.id,
    target: asked.request.tenant_id,
  }
  return {
    tenant_id,
    caller,
    caller_tenant: asked.credential.tenant_id,
    protocol: registered.facts.id,
    operation: operation.name,
    version: registered.version,
    target_tenant: asked.request.tenant_id,
    call_hash: sha256Hex(canonicalJson(about)),
    input_hash,
    input_bytes: Buffer.byteLength(input_text),
    input_text: keeps ? input_text : undefined,
    input_shape: shapeOf(asked.request.input),
    cost_micro_usd: costOf(call, call.worst, ports.settings.watts_per_core),
    effects: {
      summary: facts.summary,
      effect: facts.effect,
      acts_outside: facts.acts_outside === true,
      dry_run: dryRunOf(call),
    },
    demands,
    record_id,
    correlation_id,
    idempotency_key: asked.request.idempotency_key,
    at: new Date(now_ms),
  }
}

/** Every stage before the invocation has passed, and the input fits. */
function dryRunOf(call: Call): ApprovalRequest['effects']['dry_run'] {
  const { verdict, stages } = describeStages(call, undefined)
  return {
    verdict,
    stages: stages.map((stage) => ({ stage: stage.stage, name: stage.name, verdict: stage.verdict })),
  }
}

function shapeOf(input: unknown): Record<string, string> {
  if (typeof input !== 'object' || input === null) return { '': typeof input }
  const fields = Object.entries(input).slice(0, shape_fields_max)
  return Object.fromEntries(
    fields.map(([name, value]) => [name.slice(0, shape_name_length_max).toWellFormed(), kindOf(value)]),
  )
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `list of ${value.length}`
  if (typeof value === 'string') return `text of ${value.length}`
  return value === null ? 'null' : typeof value
}

function notApproved(
  call: Placed,
  approval_tenant: string,
  { state, approval_id, who, expires_at }: MissingConsent,
): Refusal {
  const { capability } = call.operation
  const details = {
    requested_capability: capability,
    approval_id,
    approval_tenant,
    approvers: who,
    expires_at,
    denying_policy: denyingOf(call),
  }
  if (state === 'refused')
    return refuse(
      'policy_denied',
      `${capability} needs approval, and this call was refused (approval ${approval_id}); ask again after ${expires_at}, or change the call.`,
      { ...details, reason: 'approval refused' },
    )
  return refuse(
    'approval_required',
    approval_id === null
      ? `${capability} needs the approval of ${who.join(' and ')}; make the call without a dry run to ask them.`
      : `${capability} needs the approval of ${who.join(' and ')}. They were asked (approval ${approval_id}) and can decide until ${expires_at}; repeat exactly this call once it is given.`,
    { ...details, reason: 'approval required' },
  )
}

function denyingOf({ demands }: Placed): string | undefined {
  return demands?.find(({ by }) => by === 'policy')?.ref
}

/** Its idempotency key was used with the consent before: only the stored answer may be given again. */
function usedBefore(call: Placed, approval_id: string): Refusal {
  return refuse(
    'approval_required',
    `The approval of ${call.operation.capability} was used by an earlier call with this idempotency key, which left no answer; look whether it was done, then ask again under a new key.`,
    { requested_capability: call.operation.capability, approval_id, reason: 'approval used' },
  )
}
