// Whether the caveats of a grant hold for a call, and which one does not.
import type { AgentCapability, HeldCapability } from '@svc/contract/authority/capability'
import {
  type CaveatFacts,
  dependsOnCall,
  isWeeklyBudget,
  whyUnsatisfied,
} from '@svc/contract/authority/caveat'
import { inputJudge } from '@svc/contract/authority/input-condition'
import type { Books } from '@svc/contract/money/books'
import type { BudgetCounterState } from '@svc/contract/needs/budgets'
import type { Admitted, Call, Identified, Worst } from './call.ts'
import { unsatisfiedCaveat } from './cross-tenant-call.ts'
import { costOf, weekCounters, worstOf } from './limits/budget.ts'
import { isForOneCall, unusedIds } from './one-time-use.ts'
import type { Ports } from './ports.ts'

/** Also used by stage 1 to decide whether a caller may use a pre-release. */
export async function firstSatisfied(
  candidates: readonly HeldCapability[],
  call: Identified,
  ports: Ports,
  approval_follows = false,
): Promise<HeldCapability | undefined> {
  const singles = candidates.filter(isForOneCall)
  if (singles.length > 0 && isAdmitted(call)) call.unused_ids = await unusedIds(singles, call, ports)
  // A right to a single call is not used up where another grant is enough.
  const others = singles.length === 0 ? candidates : candidates.filter((grant) => !isForOneCall(grant))
  for (const grant of [...others, ...singles]) if (await caveatsHold(grant, call, ports, false)) return grant
  // Only where nothing else admits it: consent of others takes their time.
  if (approval_follows)
    for (const grant of [...others, ...singles]) if (await caveatsHold(grant, call, ports, true)) return grant
  return undefined
}

export function isExpired(grant: AgentCapability, now_ms: number): boolean {
  return grant.expires_at !== undefined && !(Date.parse(grant.expires_at) > now_ms)
}

export interface Unmet {
  readonly caveat: string
  readonly instead: string
}

/** Those that name the operation, in the order in which stage 4 tries them. */
export function inGateOrder(
  { operation }: Pick<Admitted, 'operation'>,
  capabilities: readonly HeldCapability[],
): HeldCapability[] {
  return operation.granted_by.flatMap((name) => capabilities.filter((grant) => grant.name === name))
}

/** Of the first grant that would count: what it lacks. */
export async function firstUnmet(
  call: Admitted,
  ports: Ports,
  capabilities: readonly HeldCapability[],
): Promise<Unmet | undefined> {
  const nearest = inGateOrder(call, capabilities).find((grant) => !isExpired(grant, call.now_ms))
  if (!nearest) return undefined
  // Consent can be asked for, so another caveat is what it lacks.
  const facts = { ...(await factsFor(nearest, call, ports)), approval_follows: true }
  const caveat = unsatisfiedCaveat(nearest, facts)
  return caveat === undefined ? undefined : { caveat, instead: whyUnsatisfied(caveat, facts) }
}

async function caveatsHold(
  grant: HeldCapability,
  call: Identified,
  ports: Ports,
  approval_follows: boolean,
): Promise<boolean> {
  if (grant.caveats.length === 0) return true
  const facts = await factsFor(grant, call, ports)
  return unsatisfiedCaveat(grant, { ...facts, approval_follows }) === undefined
}

export async function factsFor(grant: HeldCapability, call: Identified, ports: Ports): Promise<CaveatFacts> {
  return {
    now: new Date(call.now_ms),
    // Jurisdiction comes from the identity document, never from the caller.
    jurisdiction: asText(call.caller.extended.jurisdiction),
    action_kind: ownText(call.asked.request.input, 'action_kind'),
    tenant_id: call.asked.request.tenant_id,
    agent_did: call.caller.did,
    ...(grant.caveats.some(dependsOnCall) && factsOfCall(grant, call)),
    ...(grant.caveats.some(isWeeklyBudget) && (await weekOf(grant, call, ports))),
  }
}

/** Costs nothing for calls under other grants. All grants of a call share the work that its input may cause. */
function factsOfCall(grant: HeldCapability, call: Identified) {
  call.judgeInput ??= inputJudge(call.asked.request.input, call.now_ms)
  const { asked, judgeInput, unused_ids } = call
  const isUnused = (id: string) => unused_ids?.get(grant)?.has(id) ?? false
  return { address: asked.address, judgeInput, isUnused }
}

/** Only checked here, so that another grant is tried where the week is spent; stage 5 reserves, and waits for what others reserved. */
async function weekOf(grant: HeldCapability, call: Identified, ports: Ports) {
  const { tenant_id } = call.asked.credential
  const states = await weekStates(ports, tenant_id, weekCounters(grant, call.caller.did, call.now_ms))
  return {
    weekSpend(caveat: string) {
      const state = states.get(caveat)
      return state?.spent_micro_usd
    },
    call_cost_micro_usd: isAdmitted(call)
      ? costOf(call, reservedFor(call, grant, ports), ports.settings.watts_per_core)
      : undefined,
  }
}

function reservedFor(call: Admitted, { limits }: HeldCapability, { reservations }: Ports): Worst {
  return reservations.expected(call.operation, worstOf(call, limits?.max_tokens))
}

/** The state of each counter, by its caveat. All are asked at once: the counters of a tenant are one question to Redis. */
export async function weekStates(
  { budget_counters }: Pick<Ports, 'budget_counters'>,
  tenant_id: string,
  counters: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, BudgetCounterState>> {
  const states = [...counters].map(
    async ([caveat, counter]) => [caveat, await budget_counters.state(tenant_id, counter)] as const,
  )
  return new Map(await Promise.all(states))
}

/** Stage 1 asks about pre-releases before anything can be priced. */
function isAdmitted(call: Call & { books?: Books }): call is Admitted {
  return call.books !== undefined
}

export function ownText(input: unknown, name: string): string | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  return asText(Object.getOwnPropertyDescriptor(input, name)?.value)
}

function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
