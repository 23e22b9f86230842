// The pipeline: every call passes these lines in this order, whatever its surface.
import type { Answer, AnswerMetadata } from '@svc/contract/dispatch'
import type { ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { asRefusal } from '@svc/database/as-refusal'
import { giveBackApprovals, requireApprovals } from './approval.ts'
import { beginCall, refuseWhileDraining, requireHome, tenantsOf } from './begin-call.ts'
import type { Admitted, Allowance, Asked, Authorised, Budgeted, Call, Credential, Placed } from './call.ts'
import { type DryRun, describeStages } from './dry-run.ts'
import { finishAnswer } from './idempotency/finish-answer.ts'
import { Ahead } from './judge-ahead.ts'
import { bucketSize } from './limits/limits.ts'
import { withOpenAppeal } from './open-appeal.ts'
import { type Permissions, permissionsOf, requirePermission } from './permissions.ts'
import type { CallEnding, Ports } from './ports.ts'
import type { Invocation, Serving } from './routing/record-served.ts'
import { type Served, serveInvocation } from './routing/serve-invocation.ts'
import { resolveIdentity } from './stages/0-resolve-identity.ts'
import { type ModuleCache, moduleCache, resolveVersion } from './stages/1-resolve-version.ts'
import { enrichContext } from './stages/2-enrich-context.ts'
import { limitRate, limitUnknown } from './stages/3-limit-rate.ts'
import { gateCapability } from './stages/4-gate-capability.ts'
import { breakCircuit } from './stages/5-break-circuit.ts'
import { releaseBudget, reserveBudget } from './stages/5-reserve-budget.ts'
import { chooseEndpoint } from './stages/6-choose-endpoint.ts'
import { checkInput } from './stages/7-check-schema.ts'
import { invokeModule, type UnderWay } from './stages/7-invoke-module.ts'
import { recordDryRun, recordRefusal, recordSuccess } from './stages/8-record-outcome.ts'
import { toPerson } from './to-person.ts'
import { concludeTimes, ended, passed, written } from './tracing.ts'

/** The result of a call. The answer may be sent as soon as this is returned: its record is in the journal. */
export type Outcome = {
  readonly correlation_id: string
  readonly tenant_id: string
  readonly allowance: Allowance
} & (
  | {
      readonly kind: 'success'
      readonly record_id: string
      readonly output_text: string
      readonly metadata: AnswerMetadata
    }
  | { readonly kind: 'dry_run'; readonly record_id: string | null; readonly dry_run: DryRun }
  | {
      readonly kind: 'refused'
      /** Null where it was counted with others: `correlation_id` is then that of their record, which is written later. */
      readonly record_id: string | null
      readonly refusal: Refusal
      readonly stage: number
      readonly audit_head: string | null
    }
)

export interface Engine {
  dispatch(incoming: Asked): Promise<Outcome>
  /** Runs what another engine has allowed its caller; its record is in the journal. */
  serve(invocation: Invocation): Promise<Served>
  /** New calls are refused from now on; resolves when the running ones are finished. */
  drain(): Promise<void>
  /** Ends all running calls, each with its record: the grace period is over. */
  cut(): void
  /** What this caller may call now, per operation. */
  permissions(credential: Credential, identity?: ResolvedAgentIdentity): Promise<Permissions>
  /** Throws the refusal the gate would give a call of this operation; nothing is recorded or taken. */
  requirePermission(
    credential: Credential,
    protocol: string,
    operation: string,
    identity?: ResolvedAgentIdentity,
  ): Promise<void>
  readonly in_flight: number
  readonly draining: boolean
}

export function createEngine(ports: Ports, serving: Serving = alone(ports)): Engine {
  const modules = moduleCache()
  const under_way: UnderWay = { redispatch: (incoming) => redispatch(incoming, engine), cuts: new Set() }
  const idle: (() => void)[] = []
  const leave = () => {
    engine.in_flight--
    if (engine.in_flight === 0) for (const resolve of idle.splice(0)) resolve()
  }
  const engine: Engine & { in_flight: number; draining: boolean } = {
    in_flight: 0,
    draining: false,
    async dispatch(incoming: Asked): Promise<Outcome> {
      engine.in_flight++
      const tenant_ids = tenantsOf(incoming)
      for (const tenant_id of tenant_ids) ports.homes?.enter(tenant_id)
      try {
        const call = beginCall(incoming, ports)
        incoming.begun?.(call)
        const outcome = await run(call, ports, modules, engine.draining, under_way)
        // Only now may the answer be sent: the decision survives a kill.
        await written(call, 'svc.dispatch', ports)
        concludeTimes(call, endingOf(outcome, ports), ports)
        return outcome
      } finally {
        for (const tenant_id of tenant_ids) ports.homes?.leave(tenant_id)
        leave()
      }
    },
    async serve(invocation: Invocation): Promise<Served> {
      engine.in_flight++
      const { tenant_id } = invocation.context
      ports.homes?.enter(tenant_id)
      try {
        return await serveInvocation(invocation, serving, ports, under_way, engine.draining)
      } finally {
        ports.homes?.leave(tenant_id)
        leave()
      }
    },
    drain(): Promise<void> {
      engine.draining = true
      return engine.in_flight === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))
    },
    cut(): void {
      const reason = refuse(
        'timeout',
        'The engine had to stop before this call was done; try it on another replica.',
        {
          reason: 'shutdown grace period over',
        },
      )
      for (const end of under_way.cuts) end(reason)
    },
    permissions: (credential, identity) => permissionsOf(ports, credential, identity),
    requirePermission: (credential, protocol, operation, identity) =>
      requirePermission(ports, credential, protocol, operation, identity),
  }
  return engine
}

/** Without a list of tenants, no work is done for other engines. */
function alone({ registry }: Ports): Serving {
  return { registry, operator_tenant_id: 'operator', tierOf: () => undefined }
}

async function run(
  call: Call,
  ports: Ports,
  modules: ModuleCache,
  draining: boolean,
  under_way: UnderWay,
): Promise<Outcome> {
  try {
    // Calls made by an operation while draining belong to an admitted call, so they proceed.
    if (draining && !call.asked.within) throw refuseWhileDraining()
    const at_home = call.asked.within ? undefined : requireHome(tenantsOf(call.asked), ports)
    if (at_home) await at_home
    const placed = await throughStages(call, ports, modules)
    if (placed.demands) {
      await checkInput(placed, ports)
      await requireApprovals(placed, ports)
    }
    if (call.asked.dry_run) return concludeDryRun(placed, undefined, ports)
    const invoking = invokeModule(placed, ports, under_way)
    const invoked = invoking instanceof Promise ? await invoking : invoking
    const finishing = finishAnswer(invoked, ports)
    const done = finishing instanceof Promise ? await finishing : finishing
    passed(call, 7, ports)
    const metadata = recordSuccess(done, ports)
    return { kind: 'success', output_text: done.output_text, metadata, ...common(call, ports) }
  } catch (thrown) {
    ended(call, ports)
    releaseBudget(call, ports)
    const named = namingCapability(await limitUnknown(call, asRefusal(thrown), ports), call)
    const refusal = await withOpenAppeal(named, call.asked.credential.tenant_id, ports)
    if (call.asked.dry_run) return concludeDryRun(call, refusal, ports)
    if (call.approvals) await giveBackApprovals(call, refusal, ports)
    const taken = recordRefusal(call, refusal, ports)
    const audit_head = ports.audit_log.head(call.asked.credential.tenant_id)
    return {
      kind: 'refused',
      refusal: worded(refusal, call, ports),
      stage: call.stage,
      audit_head,
      ...common(call, ports),
      ...taken,
    }
  }
}

function worded(
  refusal: Refusal,
  { asked, books, operation }: Call & Partial<Pick<Admitted, 'books'>>,
  ports: Ports,
): Refusal {
  return toPerson(refusal, { credential: asked.credential, books, capability: operation?.capability }, ports)
}

/** Every refusal names the requested capability, once it is known. */
function namingCapability(refusal: Refusal, { operation }: Call): Refusal {
  const { details } = refusal
  if (!operation || details.requested_capability) return refusal
  return refusal.with({ requested_capability: operation.capability })
}

/** A stage that returned a value is not awaited: each saved `await` saves a trip through the event loop's queue. */
async function throughStages(call: Call, ports: Ports, modules: ModuleCache): Promise<Placed> {
  const identity = resolveIdentity(call, ports)
  const identified = identity instanceof Promise ? await identity : identity
  passed(call, 0, ports)
  const version = resolveVersion(identified, ports, modules)
  const versioned = version instanceof Promise ? await version : version
  passed(call, 1, ports)
  const enriched = enrichContext(versioned)
  passed(call, 2, ports)
  const ahead = new Ahead()
  const admission = limitRate(enriched, ports, ahead)
  const admitted = admission instanceof Promise ? await admission : admission
  passed(call, 3, ports)
  const budgeting = ahead.pass(admitted, ports) ?? throughAuthority(admitted, ports)
  const budgeted = budgeting instanceof Promise ? await budgeting : budgeting
  passed(call, 5, ports)
  const placed = chooseEndpoint(budgeted, ports)
  passed(call, 6, ports)
  if (call.asked.dry_run) await checkInput(placed, ports)
  return placed
}

/** Stages 4 and 5, where they were not passed ahead. */
function throughAuthority(call: Admitted, ports: Ports): Budgeted | Promise<Budgeted> {
  const reserve = (authorised: Authorised) => {
    passed(call, 4, ports)
    return reserveBudget(breakCircuit(authorised, ports), ports)
  }
  const gate = gateCapability(call, ports)
  return gate instanceof Promise ? gate.then(reserve) : reserve(gate)
}

function concludeDryRun(call: Call, refusal: Refusal | undefined, ports: Ports): Outcome {
  const taken = recordDryRun(call, refusal, ports)
  return {
    kind: 'dry_run',
    dry_run: describeStages(call, refusal && worded(refusal, call, ports)),
    ...common(call, ports),
    ...taken,
  }
}

function endingOf(outcome: Outcome, { audit_log }: Ports): CallEnding {
  const { refusal } = outcome.kind === 'dry_run' ? outcome.dry_run : { refusal: undefined, ...outcome }
  return {
    root: 'svc.dispatch',
    outcome: refusal?.row.outcome ?? 'success',
    code: refusal?.code,
    audit_head: audit_log.head(outcome.tenant_id),
  }
}

/** Every answer reports the limits; a call that never reached stage 3 took nothing from its bucket. */
function untouched(call: Call, ports: Ports): Allowance {
  const rate = call.registered?.facts.rate ?? 'standard'
  const { capacity } = bucketSize(ports.settings.limits, rate, call.asked.credential.tier)
  const limit = Math.floor(capacity)
  return { allowed: true, limit, remaining: limit, reset_s: 0, retry_after_ms: 0 }
}

function common(call: Call, ports: Ports) {
  return {
    correlation_id: call.correlation_id,
    record_id: call.record_id,
    tenant_id: call.asked.credential.tenant_id,
    allowance: call.allowance ?? untouched(call, ports),
  }
}

async function redispatch(incoming: Asked, engine: Engine): Promise<Answer['output']> {
  const outcome = await engine.dispatch(incoming)
  if (outcome.kind === 'refused') throw outcome.refusal
  if (outcome.kind === 'dry_run') return outcome.dry_run
  return JSON.parse(outcome.output_text)
}
