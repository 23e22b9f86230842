// Needs the engine provides itself, from what it knows of the call and of what it serves.

import { kinOf } from '@svc/contract/authority/approval'
import { tiers } from '@svc/contract/authority/tier'
import { runway_counter } from '@svc/contract/money/budget-counter'
import type { Needs } from '@svc/contract/needs/needs'
import { refuse } from '@svc/contract/refusal'
import { useApprovals } from '../approval.ts'
import { judgeCrossTenantCall } from '../cross-tenant-call.ts'
import { explainAccess } from '../explain-access.ts'
import { weekStates } from '../grant-caveats.ts'
import { tokensExhausted, weekCounters } from '../limits/budget.ts'
import { bucketSize } from '../limits/limits.ts'
import type { Ports } from '../ports.ts'
import { allPlaces, allServed, findServed } from '../routing/served-operations.ts'
import { knownHoldings } from '../stages/4-gate-capability.ts'
import { growBudget } from '../stages/5-reserve-budget.ts'
import type { HandlerContext } from './handler-context.ts'
import { lineagesOf } from './lineages.ts'
import { ceilingsOf, heldWithin } from './nested-call.ts'
import type { Asking, EngineNeed } from './world-needs.ts'

interface EngineAsking extends Asking {
  readonly context: HandlerContext & Needs
  readonly ports: Ports
}

type Provider<N extends EngineNeed> = (asking: EngineAsking) => Needs[N]

const audit_log: Provider<'audit_log'> = ({ context, ports }) => ports.audit_log.forTenant(context.tenant_id)

const authority: Provider<'authority'> = ({ context: { tenant_id }, call, ports }) => ({
  async ofCaller() {
    const capabilities = await knownHoldings(call, ports, tenant_id)
    return { identity: call.caller, held: heldWithin(capabilities, ceilingsOf(call.asked)) }
  },
  of: (did) => ports.capabilities.authorityOf(did, tenant_id),
  explain(question) {
    const { credential } = call.asked
    const own = question.did === call.caller.did ? { credential, identity: call.caller } : undefined
    return explainAccess(ports, question, tenant_id, own)
  },
  async spentInWeek(did, grant) {
    const states = await weekStates(ports, tenant_id, weekCounters(grant, did, call.now_ms))
    return new Map([...states].map(([caveat, { spent_micro_usd }]) => [caveat, spent_micro_usd]))
  },
})

const budgets: Provider<'budgets'> = ({ context, ports: { budget_counters, treasury } }) => ({
  rules: async () => treasury.of(context.tenant_id),
  counter: async (name) => budget_counters.state(context.tenant_id, name),
  countSpent(quanta) {
    const take = { budget_counter: runway_counter, limit: 0n, amount: 0n, counts: 'usd' } as const
    context.afterCommit(async () => budget_counters.settle(context.tenant_id, [take], quanta))
  },
})

/** Queued and charged for the caller's own tenant, whoever is called; no longer than its tier allows. */
const compute: Provider<'compute'> = ({ call, ports }) => {
  const { credential } = call.asked
  const { compute_ms_max } = tiers[credential.tier]
  return (job, input, deadline_ms) =>
    ports.compute(job, input, Math.min(deadline_ms, compute_ms_max), credential)
}

const engines = new WeakMap<Ports['settings'], Needs['engine']>()

/** One object per engine, so that a protocol can tell engines of one process apart. */
const engine: Provider<'engine'> = ({ ports: { settings } }) => {
  const facts = engines.get(settings) ?? {
    did: settings.engine_did,
    operator_tenant_id: settings.operator_tenant_id,
  }
  engines.set(settings, facts)
  return facts
}

const lineages: Provider<'lineages'> = ({ ports: { identity } }) => lineagesOf(identity)

const policies: Provider<'policies'> = ({ context, ports }) => ({
  cedar: ports.policies.cedar,
  named: (set_digest) => ports.policies.named(context.tenant_id, set_digest),
})

const remote: Provider<'remote'> = ({ context, call }) =>
  call.endpoint.remoteFor?.(context.invoke, context.signal)

const requireApproval: Provider<'requireApproval'> =
  ({ call, ports }) =>
  (who, ref) =>
    useApprovals(call, ports, [{ tenant_id: call.context.tenant_id, who, by: 'tool', ref }])

const served: Provider<'served'> = ({ call, ports: { registry, breaker, settings } }) => ({
  find: (protocol, operation) => findServed(registry, protocol, operation),
  all: () => allServed(registry),
  places: () => allPlaces(registry, breaker, call.asked.credential.tenant_id),
  bucketOf(protocol) {
    const rate = registry.versions(protocol)?.[0]?.facts.rate
    return rate && bucketSize(settings.limits, rate, call.asked.credential.tier)
  },
})

/** Work that outlives its call runs with what its caller's credential carried, and nothing more. */
const standIn: Provider<'standIn'> =
  ({ call: { asked, caller, correlation_id } }) =>
  () => {
    if (asked.within?.ceilings)
      throw refuse(
        'policy_denied',
        'A plugin cannot leave work behind that goes on as its caller; do it in the call.',
        { reason: 'called by a plugin' },
      )
    const { key_id, did, tenant_id, tier, capabilities, ...more } = asked.credential
    const { usable_for, proof_key, delegation_id, workload_id, budget } = more
    return {
      ...{ key_id, did, tenant_id, tier, capabilities, correlation_id, depth: asked.within?.depth ?? 0 },
      kin: kinOf(caller),
      ...(usable_for && { usable_for }),
      ...(proof_key !== undefined && { proof_key }),
      ...(delegation_id !== undefined && { delegation_id }),
      ...(workload_id !== undefined && { workload_id }),
      ...(budget && { budget }),
    }
  }

const tokens: Provider<'tokens'> = ({ context, call, ports }) => ({
  max: call.worst.tokens,
  use(tokens_in, tokens_out) {
    // Refused here, while the operation can still be undone: a fraction of a token would only fail when priced.
    for (const count of [tokens_in, tokens_out]) {
      if (!Number.isSafeInteger(count) || count < 0)
        throw new RangeError(`${count} is not a number of tokens`)
    }
    const { used } = context
    used.tokens_in += tokens_in
    used.tokens_out += tokens_out
    // Where tokens are not metered nobody pays for them, and none are reserved.
    if (call.operation.multipliers[0] === 0) return
    const tokens = used.tokens_in + used.tokens_out
    if (tokens > call.worst.tokens) throw tokensExhausted(call.operation.capability, call.worst.tokens)
    // Begun here, and awaited before the operation is committed.
    if (tokens > call.reserved.tokens) growBudget(call, { ms: 0, tokens }, ports).catch(() => {})
  },
  count: (texts) => ports.countTokens(texts, call.asked.credential),
})

const treaties: Provider<'treaties'> = ({ context, ports }) => ({
  find: (treaty_id) => ports.treaties.find(context.tenant_id, treaty_id),
  judge(question) {
    const { jurisdiction } = context.caller.extended
    return judgeCrossTenantCall(ports, question, typeof jurisdiction === 'string' ? jurisdiction : undefined)
  },
})

export const engine_needs: { readonly [N in EngineNeed]: Provider<N> } = {
  audit_log,
  authority,
  budgets,
  compute,
  engine,
  lineages,
  policies,
  remote,
  requireApproval,
  served,
  standIn,
  tokens,
  treaties,
}
