// Part of stage 8: what a record says of its call, the words of callers apart from those of the engine.
import type { Refusal } from '@svc/contract/refusal'
import { tenant_id_pattern } from '@svc/contract/text-form'
import type { Call } from '../call.ts'

const cause_length_max = 200
const tenant_form = new RegExp(tenant_id_pattern)

/** The fields of every record of a dispatch, as far as the call came. */
export function knownMeta(call: Call): Record<string, unknown> {
  const { asked } = call
  const { tenant_id: target } = asked.request
  const { tenant_id: own } = asked.credential
  return {
    origin: asked.origin,
    gateway: asked.gateway?.did,
    approval_ids: call.approvals?.map(({ approval_id }) => approval_id),
    caller_kind: call.caller?.entity_kind,
    caller_level: call.caller?.conformance_level,
    capability: call.operation?.capability,
    credential: asked.credential.key_id,
    grant: call.grant?.name,
    grant_ref: call.grant?.source_ref,
    grant_source: call.grant?.source,
    policy_sets: call.policy_sets,
    scene: sceneFacts(call),
    treaty_id: call.grant?.treaty && call.grant.source_ref,
    treaty_root: call.grant?.treaty?.root_id,
    endpoint: call.endpoint?.id,
    envelope: call.envelope_id,
    version: call.registered?.version,
    target_tenant: target !== own && tenant_form.test(target) ? target : undefined,
    depth: asked.within?.depth,
  }
}

/** What this engine reads again of a module's refusal: its own text, never the payload's. */
const engine_details = new Set([
  'appeal_path',
  'approval_id',
  'approval_tenant',
  'approvers',
  'denying_policy',
  'dissent',
  'expires_at',
  'gate',
  'pass',
  'reason',
  'requested_capability',
  'retry_after_ms',
  'verdict',
])

/** Details of the first stages are the engine's own. Those of a module, and the text of a bug, may quote the caller. */
export function refusalMeta(call: Call, refusal: Refusal): Record<string, unknown> {
  const { details, code, is_foreign } = refusal
  // Whether an external service signs its answers comes from its registration, so it is set last.
  const is_known = (name: string) => name === 'answers' && call.endpoint?.kind === 'external'
  const is_own = (name: string) =>
    is_known(name) || (!is_foreign && (call.stage < 7 || engine_details.has(name)))
  const { faults, ...others } = { ...details, dissent: withoutWords(details.dissent) }
  const named = Object.entries(others)
  return {
    ...knownMeta(call),
    ...Object.fromEntries(named.filter(([name]) => is_own(name))),
    code,
    // Faults quote the payload's keys, so only their number is recorded.
    fault_count: faults?.length,
    reason: reasonOf(refusal),
    // A module's sentence may quote the payload; the engine's own quotes unknown names.
    sentence: call.operation && call.stage < 7 ? refusal.message : undefined,
    stage: call.stage,
    supplied: suppliedBy({
      ...unresolvedNames(call),
      sentence: call.operation ? undefined : refusal.message.toWellFormed(),
      ...Object.fromEntries(named.filter(([name]) => !is_own(name))),
      action_kind: call.scene?.action_kind,
      cause: causeText(refusal),
    }),
  }
}

/** What policies saw beyond the record's own fields. The kind of an action is caller text. */
export function sceneFacts({ scene }: Call): Record<string, unknown> | undefined {
  if (!scene) return undefined
  const { action_kind: _, ...facts } = scene
  return facts
}

/** Of a dissent only who and where; MACE tally shows the text. */
function withoutWords(dissent: unknown): unknown {
  return Array.isArray(dissent) ? dissent.map(({ reasoning: _, ...one }) => one) : dissent
}

function reasonOf({ code, details, is_foreign }: Refusal): string {
  return is_foreign ? code : (details.reason ?? code)
}

/** Until a module is found, names are caller text; so is a malformed tenant id. */
function unresolvedNames({ asked, operation }: Call): Record<string, unknown> {
  const { protocol, operation: name, version, tenant_id: target } = asked.request
  const tenant_id = tenant_form.test(target) ? undefined : target.toWellFormed()
  if (operation) return { tenant_id }
  return {
    tenant_id,
    protocol: protocol.toWellFormed(),
    operation: name.toWellFormed(),
    version: version.toWellFormed(),
  }
}

/** Undefined where empty. */
export function suppliedBy(words: Record<string, unknown>): Record<string, unknown> | undefined {
  // Most have none, and this runs for every call.
  for (const name in words)
    if (words[name] !== undefined)
      return Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined))
  return undefined
}

function causeText({ cause }: Refusal): string | undefined {
  return cause instanceof Error ? `${cause.name}: ${cause.message}`.slice(0, cause_length_max) : undefined
}
