// Executes this engine's share of the workflow runs; each step is a call in the name of the run's owner.
import type { CachedKeyRing } from '@svc/adapters/access/key-ring'
import { hasWorkload } from '@svc/adapters/access/workloads'
import type { DatabaseChanges } from '@svc/adapters/change-notifications/database'
import { vaults } from '@svc/adapters/custody/vault'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { AuditLog } from '@svc/audit/audit-log'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { StandIn } from '@svc/contract/needs/stand-in'
import { type Refusal, type RefusalCode, refuse } from '@svc/contract/refusal'
import type { Credential } from '@svc/engine/call'
import type { Engine, Outcome } from '@svc/engine/dispatch'
import type { Clock, Log } from '@svc/engine/ports'
import type { OpenRegistry } from '@svc/engine/routing/registry'
import { findServed } from '@svc/engine/routing/served-operations'
import {
  compileManifest,
  type Executor,
  type ExternalEffect,
  manifestRef,
  openWorkers,
  type Performed,
  type Refused,
  startDueRuns,
  work_topic,
} from '@svc/protocols/execution/moon/api'
import { approvalState } from '@svc/protocols/governance/approvals/api'
import { isCurrentKey } from '@svc/protocols/identity/keys/api'
import { every } from './tick.ts'

const lease_ms = 5_000
const renew_every_ms = 1_000
const look_every_ms = 250
const schedule_every_ms = 1_000
const plans_kept_max = 256
const invocation_stage = 7
/** Refusals of the invocation before its handler was called, or that leave that open. */
const unclaimed: ReadonlySet<RefusalCode> = new Set([
  'invalid_payload',
  'payload_too_large',
  'idempotency_key_reused',
  'idempotency_in_flight',
  'no_endpoint_available',
  'unavailable',
  'draining',
])

interface Parts {
  readonly root_keys: RootKeys
  readonly store: PostgresStore
  readonly audit_log: AuditLog
  readonly engine: Engine
  readonly registry: OpenRegistry
  readonly keys: CachedKeyRing
  readonly change_notifications: DatabaseChanges
  readonly clock: Clock
  readonly log: Log
}

export interface Workflows {
  /** Performs a step; actions use it too. */
  readonly executor: Executor
  /** Starts no more steps: the engine is shutting down. */
  leave(): void
}

export function openWorkflows(parts: Parts, closing: (() => Promise<unknown>)[]): Workflows {
  const { store, change_notifications, clock, log } = parts
  const executor = executorOf(parts, vaults(parts.root_keys))
  const onFailure = (error: unknown, run_id: string) =>
    log.warn({ err: error, run_id }, 'a run could not continue; trying again')
  const workers = openWorkers({ db: store.engine, owner: clock.uuid(), lease_ms, executor, onFailure })
  const leaving = new AbortController()
  const { signal } = leaving
  const onMissed = (error: unknown, ref: string) =>
    log.warn({ err: error, ref }, 'a schedule could not be started; trying again in a minute')
  const schedule = () => {
    const now = new Date(clock.now_ms())
    return startDueRuns({ ...executor, db: store.engine, now, signal, onFailure: onMissed })
  }
  const listening = change_notifications.listen(work_topic)
  const follow = async () => {
    while (!signal.aborted) {
      await workers
        .takeUp()
        .catch((error) => log.warn({ err: error }, 'no run could be claimed; trying again'))
      await listening.heard(look_every_ms, signal)
    }
  }
  const following = follow()
  const timers = [every(renew_every_ms, () => workers.renew(), log), every(schedule_every_ms, schedule, log)]
  let left: Promise<void> | undefined
  const leave = () => {
    leaving.abort()
    left ??= workers.close()
  }
  closing.push(async () => {
    leave()
    await left
    await following
    listening.close()
    for (const timer of timers) clearInterval(timer)
  })
  return { executor, leave }
}

function executorOf(parts: Parts, vaultOf: Executor['vaultOf']): Executor {
  const { store, registry, change_notifications, clock } = parts
  const plans = new Map<string, Promise<Awaited<ReturnType<typeof compileManifest>>>>()
  const find = (protocol: string, operation: string) => findServed(registry, protocol, operation)
  return {
    transaction: (tenant_id) => store.transaction(tenant_id),
    vaultOf,
    async planOf(manifest, place) {
      const name = `${registry.revision()} ${place.tenant_id} ${manifestRef(manifest)}`
      if (plans.size >= plans_kept_max) plans.clear()
      const compiling = plans.get(name) ?? compileManifest(place, manifest, find)
      plans.set(name, compiling)
      compiling.catch(() => plans.delete(name))
      return (await compiling).plan
    },
    perform: (external_effect, signal) => perform(parts, external_effect, signal),
    isOutside(protocol, operation) {
      const served_operation = find(protocol, operation)
      return served_operation?.facts.effect === 'write' && !writesRows(served_operation)
    },
    isWrite: (protocol, operation) => find(protocol, operation)?.facts.effect === 'write',
    endingOf: (protocol, operation) => find(protocol, operation)?.facts.ending,
    change_notifications,
    clock,
  }
}

/** Makes the call of a step. */
export async function perform(
  parts: Pick<Parts, 'audit_log' | 'engine' | 'registry' | 'keys' | 'clock' | 'store'>,
  external_effect: ExternalEffect,
  signal: AbortSignal,
): Promise<Performed> {
  const waiting = await stillWaiting(parts, external_effect)
  if (waiting) return waiting
  const { engine, registry, clock } = parts
  const { protocol, operation, input, tenant_id, acting, workflow, timeout_ms } = external_effect
  const begun_ms = clock.monotonic_ms()
  // As at the dispatch endpoint: nothing can be recorded for a tenant whose audit log is not open.
  await parts.audit_log.ready(acting.tenant_id)
  const credential = await credentialOf(acting, parts)
  if (!credential) return recordGone(parts, external_effect)
  const served_operation = findServed(registry, protocol, operation)
  const { idempotency_key, is_first = false, fence } = external_effect
  const ending = new AbortController()
  const dispatching = engine.dispatch({
    request: {
      protocol,
      version: served_operation?.version ?? 'v1',
      operation,
      input,
      tenant_id,
      ...(served_operation?.facts.effect === 'write' && idempotency_key !== undefined && { idempotency_key }),
      invoke_context: { metadata: { workflow } },
    },
    credential,
    origin: 'internal',
    signal: AbortSignal.any([signal, ending.signal]),
    fence,
    is_first,
    within: { correlation_id: acting.correlation_id, depth: acting.depth + 1 },
  })
  // Also where it was over in time: what listens stays in memory as long as `signal` does.
  const outcome = await within(timeout_ms, dispatching).finally(() => ending.abort())
  const elapsed_ms = clock.monotonic_ms() - begun_ms
  if (outcome) return performedOf(outcome, elapsed_ms)
  // Our own writes either commit or not; which of the two is known once the operation has stopped.
  if (!writesRows(served_operation)) return tooLate(external_effect, elapsed_ms)
  const late = performedOf(await dispatching, elapsed_ms)
  if (late.kind === 'done' || mayBeDone(late)) return late
  return tooLate(external_effect, elapsed_ms, late.has_claimed)
}

/** Undefined where the time is over first. */
async function within(ms: number, dispatching: Promise<Outcome>): Promise<Outcome | undefined> {
  const { promise: late, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), ms).unref()
  return Promise.race([dispatching, late]).finally(() => clearTimeout(timer))
}

/** A step that waits for consent is not called again, and recorded again, before there is a decision. */
async function stillWaiting(
  { store, clock }: Pick<Parts, 'store' | 'clock'>,
  { waits_for }: ExternalEffect,
): Promise<Performed | undefined> {
  const { approval_id, approval_tenant } = waits_for?.details ?? {}
  if (!waits_for || typeof approval_id !== 'string' || typeof approval_tenant !== 'string') return undefined
  const state = await approvalState(store.engine, approval_tenant, approval_id, new Date(clock.now_ms()))
  if (state === 'PENDING') return waits_for
  if (state !== 'EXPIRED') return undefined
  const message = 'Nobody decided in time whether this step may be done; start the run again to ask again.'
  return { ...waits_for, message, details: { ...waits_for.details, reason: 'approval expired' } }
}

/** Its commit was not confirmed, or an earlier attempt is not over: that it was late is then not what matters. */
function mayBeDone({ code, details }: Refused): boolean {
  return details.outcome === 'unknown' || code === 'idempotency_in_flight'
}

function writesRows(served_operation: ReturnType<typeof findServed>): boolean {
  return (
    served_operation?.facts.effect === 'write' &&
    !served_operation.is_external &&
    served_operation.facts.acts_outside !== true
  )
}

function performedOf(outcome: Outcome, elapsed_ms: number): Performed {
  if (outcome.kind === 'success') {
    const { output_text, record_id } = outcome
    return { kind: 'done', output: JSON.parse(output_text), record_id, elapsed_ms }
  }
  if (outcome.kind === 'dry_run') throw new Error('a step is never a dry run')
  const { refusal, record_id, stage } = outcome
  const { code, message, details } = refusal
  const has_claimed = stage === invocation_stage && !unclaimed.has(code)
  return { kind: 'refused', code, message, details: { ...details }, record_id, elapsed_ms, has_claimed }
}

function tooLate(
  { protocol, operation, timeout_ms }: ExternalEffect,
  elapsed_ms: number,
  has_claimed = false,
): Performed {
  const message = `${protocol}.${operation} did not answer within the step's ${timeout_ms} ms.`
  return { kind: 'refused', code: 'timeout', message, details: {}, record_id: null, elapsed_ms, has_claimed }
}

/** A run has its credential's capabilities as long as the credential is valid. Sign-ins expire; the identity is resolved at every step. */
async function credentialOf(
  acting: StandIn,
  { keys, clock, store }: Pick<Parts, 'keys' | 'clock' | 'store'>,
): Promise<Credential | undefined> {
  const { correlation_id: _, depth: _depth, kin: _kin, ...credential } = acting
  if (credential.key_id.includes(':')) return credential
  const key = await keys.find(credential.key_id)
  if (key?.revoked) return undefined
  const is_over = !key || (key.expires_at_ms != null && key.expires_at_ms <= clock.now_ms())
  // An old session is swept, and can no longer be revoked with the mapping it rests on.
  const { tenant_id, workload_id } = credential
  if (!key && workload_id !== undefined && !(await hasWorkload(store.engine, tenant_id, workload_id)))
    return undefined
  // A key that its identity has given up ends what its sessions began, also those that were swept.
  const { proof_key, did } = credential
  if (
    proof_key !== undefined &&
    workload_id === undefined &&
    !(await isCurrentKey(store.engine, did, proof_key))
  )
    return undefined
  // A session lasts minutes, and its key is proven anew for the next one: only its revocation ends what it began.
  if (is_over && credential.proof_key === undefined) return undefined
  // A bounded key has the capabilities of other keys, which may have ended since.
  return key ? { ...credential, capabilities: key.capabilities } : credential
}

/** The call never reached the first stage, so its refusal is recorded here. */
async function recordGone(
  { audit_log, clock }: Pick<Parts, 'audit_log' | 'clock'>,
  external_effect: ExternalEffect,
): Promise<Performed> {
  const { protocol, operation, acting, workflow } = external_effect
  const { code, message, details, row } = keyGone()
  const record_id = clock.uuid()
  audit_log.record({
    id: record_id,
    event_type: row.event,
    correlation_id: acting.correlation_id,
    timestamp: new Date(clock.now_ms()).toISOString(),
    tenant_id: acting.tenant_id,
    caller_did: acting.did,
    protocol,
    operation,
    outcome: row.outcome,
    latency_ms: 0,
    meta: { code, reason: details.reason, sentence: message, workflow, origin: 'internal' },
  })
  await audit_log.written()
  return { kind: 'refused', code, message, details: { ...details }, record_id, elapsed_ms: 0 }
}

function keyGone(): Refusal {
  return refuse(
    'unauthenticated',
    'The API key this run was started with is revoked or has expired; start it again with a valid key.',
    { reason: 'key revoked' },
  )
}
