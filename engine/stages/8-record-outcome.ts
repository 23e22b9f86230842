// Stage 8: record the outcome. Runs on every path, allowed or refused, and never breaks the answer.
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { no_treaty } from '@svc/contract/authority/treaty-grants'
import type { AnswerMetadata } from '@svc/contract/dispatch'
import {
  chargeQuanta,
  type Measured,
  type Multipliers,
  type RateVersion,
  rateAt,
} from '@svc/contract/money/charge'
import type { Refusal } from '@svc/contract/refusal'
import { type Call, type Done, inputText } from '../call.ts'
import { chainNames } from '../limits/budget.ts'
import { measure, usageOf } from '../limits/usage.ts'
import type { Ports, TakenRefusal } from '../ports.ts'
import { spend } from './5-reserve-budget.ts'
import { knownMeta, refusalMeta, sceneFacts, suppliedBy } from './8-record-fields.ts'

const retained_input_bytes_max = 64 * 1024

/** A refusal up to this stage took nothing from a bucket. */
const last_free_stage = 3

export function recordSuccess(call: Done, ports: Ports): AnswerMetadata {
  call.stage = 8
  const { request, credential } = call.asked
  const { facts, multipliers } = call.operation
  const tenant_id = credential.tenant_id
  const measured = measure(call.operation, call.used, call.reserved, ports.settings.watts_per_core)
  const rate = rateAt(call.books.rates, call.now_ms)
  const waited_ms = Math.round(call.used.waited_ms ?? 0)
  const quanta = call.replayed ? 0n : chargeQuanta(measured, rate, multipliers)
  const input_text = inputText(call)
  const input_hash = ports.audit_log.commitment(tenant_id, call.record_id, input_text)
  const keeps =
    facts.effect === 'write' && facts.keep_input !== false && input_text.length <= retained_input_bytes_max
  record(call, ports, {
    event_type: 'ProtocolInvocation',
    outcome: 'success',
    // In canonical order, so that it is written at native speed: this runs on every success.
    meta: {
      approval_ids: call.approvals?.map(({ approval_id }) => approval_id),
      caller_kind: call.caller.entity_kind,
      caller_level: call.caller.conformance_level,
      capability: call.operation.capability,
      credential: credential.key_id,
      depth: call.asked.within?.depth,
      endpoint: call.endpoint.id,
      envelope: call.envelope_id,
      gateway: call.asked.gateway?.did,
      grant: call.grant.name,
      grant_chain: chainNames(call),
      grant_ref: call.grant.source_ref,
      grant_source: call.grant.source,
      input_hash,
      module: isEmpty(call.module_metadata) ? undefined : call.module_metadata,
      origin: call.asked.origin,
      output_hash: ports.audit_log.commitment(tenant_id, call.record_id, call.output_text),
      policy_sets: call.policy_sets,
      replayed: call.replayed || undefined,
      scene: sceneFacts(call),
      supplied: suppliedBy({ action_kind: call.scene?.action_kind, module: call.module_supplied }),
      target_tenant: request.tenant_id === tenant_id ? undefined : request.tenant_id,
      treaty_id: call.grant.treaty && call.grant.source_ref,
      treaty_root: call.grant.treaty?.root_id,
      usage: call.replayed ? undefined : usageMeta(measured, quanta, rate, multipliers, waited_ms),
      version: call.registered.version,
    },
    input: keeps && !call.replayed ? { commitment: input_hash, text: input_text } : undefined,
  })
  spend(call, ports.budget_counters, quanta)
  if (!call.replayed) learnFrom(call, ports)
  return {
    correlation_id: call.correlation_id,
    protocol: call.registered.facts.id,
    version: call.registered.version,
    operation: call.operation.name,
    audit_head: ports.audit_log.head(tenant_id),
    audit_record_id: call.record_id,
    usage: usageOf(measured, quanta, waited_ms),
    replayed: call.replayed,
  }
}

function learnFrom({ operation, used }: Done, { reservations }: Ports): void {
  reservations.learn(operation, { ms: used.milliseconds, tokens: used.tokens_in + used.tokens_out })
}

/** Returns its place: a refusal that took nothing may be part of a flood, and is only counted. */
export function recordRefusal(call: Call, refusal: Refusal, ports: Ports): TakenRefusal {
  const { row } = refusal
  logBug(call, refusal, ports)
  return record(call, ports, {
    event_type: eventFor(call, refusal),
    outcome: row.outcome,
    meta: refusalMeta(call, refusal),
  })
}

/** A refusal by the treasury is a question of authority; a policy refusal is an attempted violation. */
function eventFor({ stage }: Call, { code, details, is_foreign, row }: Refusal): string {
  if (is_foreign) return row.event
  if (details.gate !== undefined) return 'AuthorizationCheck'
  const by_rule = stage === 4 && code === 'policy_denied' && details.denying_policy?.startsWith('maxim://')
  return by_rule ? 'SecurityViolation' : row.event
}

/** All that is needed to price it again: the rate's version is in the chain too. */
function usageMeta(
  measured: Measured,
  quanta: bigint,
  { version }: RateVersion,
  bps: Multipliers,
  waited_ms: number,
) {
  const { ms, tokens_in, tokens_out, uwh } = measured
  return {
    bps,
    ms,
    quanta: String(quanta),
    rate: version,
    tokens_in,
    tokens_out,
    uwh,
    ...(waited_ms > 0 && { waited_ms }),
  }
}

/** A dry run is recorded as an authorization check. */
export function recordDryRun(call: Call, refusal: Refusal | undefined, ports: Ports): TakenRefusal {
  if (refusal) logBug(call, refusal, ports)
  return record(call, ports, {
    event_type: 'AuthorizationCheck',
    outcome: refusal?.row.outcome ?? 'success',
    meta: { ...(refusal ? refusalMeta(call, refusal) : knownMeta(call)), stage: call.stage, dry_run: true },
  })
}

interface Stored {
  event_type: string
  outcome: 'success' | 'refused' | 'error'
  meta: Record<string, unknown>
  input?: { commitment: string; text: string }
}

function record(call: Call, ports: Ports, decision: Stored): TakenRefusal {
  const { credential } = call.asked
  const latency_ms = Math.round((ports.clock.monotonic_ms() - call.started_ms) * 1000) / 1000
  const protocol = call.registered?.facts.id
  const operation = call.operation?.name
  const entry: AuditEntry = {
    id: call.record_id,
    event_type: decision.event_type,
    correlation_id: call.correlation_id,
    timestamp: call.timestamp,
    tenant_id: credential.tenant_id,
    caller_did: credential.did,
    protocol,
    operation,
    outcome: decision.outcome,
    latency_ms,
    meta: decision.meta,
  }
  const labels = call.operation ? [protocol!, operation!] : ['unknown', 'unknown']
  const code = String(decision.meta.code ?? 'ok')
  ports.meters.dispatched(labels[0]!, labels[1]!, decision.outcome, code, latency_ms, credential.tenant_id)
  if (isFree(call, decision)) {
    const { other_tenant = protocol ?? '', asked } = call
    const about = asked.dry_run ? `${other_tenant} dry run` : other_tenant
    return ports.sums.take(entry, { kind: 'known', id: credential.key_id, about })
  }
  ports.audit_log.record(entry, decision.input)
  return { correlation_id: entry.correlation_id, record_id: entry.id }
}

/**
 * Unlimited in number: it took nothing from a bucket, or would fill the log of another tenant. A nested call belongs to an admitted one,
 * whose bucket limits both.
 */
function isFree({ asked, stage, operation }: Call, { outcome, meta }: Stored): boolean {
  if (asked.within) return false
  if (asked.dry_run) return true
  const took_nothing = stage <= last_free_stage || operation?.facts.exempt === true
  return outcome !== 'success' && (took_nothing || (stage === 4 && meta.reason === no_treaty))
}

function logBug(call: Call, { code, cause }: Refusal, ports: Ports): void {
  if (code !== 'internal') return
  ports.log.error({ err: cause, correlation_id: call.correlation_id, stage: call.stage }, 'a dispatch failed')
}

function isEmpty(object: Record<string, unknown>): boolean {
  for (const _ in object) return false
  return true
}
