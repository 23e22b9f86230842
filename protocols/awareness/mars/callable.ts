// Whether the caller could use a candidate now, and what prevents it if not.
import { covers, type HeldCapability } from '@svc/contract/authority/capability'
import { dependsOnCall, isCaveatSatisfied, isWeeklyBudget } from '@svc/contract/authority/caveat'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'

const treaty_question = 'svc.moat.compliance_query'

export interface Callable {
  readonly callable_now: boolean
  readonly why_not?: string
}

export type AskCallable = (tenant_id: string, did: string, capability: string) => Promise<Callable>

/** One query per tenant and capability, for any number of candidate agents. */
export function callableBy(
  context: OperationContext<'authority'>,
  capabilities: readonly HeldCapability[],
): AskCallable {
  const answers = new Map<string, Promise<Callable>>()
  return (tenant_id, did, capability) => {
    if (tenant_id === context.tenant_id) return ownAnswer(context, capabilities, capability)
    const key = `${tenant_id} ${capability}`
    const answer = answers.get(key) ?? treatyAnswer(context, capabilities, did, capability)
    answers.set(key, answer)
    return answer
  }
}

/** As stage 4 would decide now. What depends on the call itself cannot be checked before it. */
async function isUsable(grant: HeldCapability, context: OperationContext<'authority'>): Promise<boolean> {
  if (isExpired(grant, context.now)) return false
  const caveats = grant.caveats.filter((caveat) => !dependsOnCall(caveat))
  if (caveats.length === 0) return true
  const { jurisdiction } = context.caller.extended
  const spent = caveats.some(isWeeklyBudget)
    ? await context.authority.spentInWeek(context.caller.did, grant)
    : undefined
  const facts = {
    now: new Date(context.now),
    tenant_id: context.tenant_id,
    agent_did: context.caller.did,
    ...(typeof jurisdiction === 'string' ? { jurisdiction } : {}),
    weekSpend: (caveat: string) => spent?.get(caveat),
  }
  return caveats.every((caveat) => isCaveatSatisfied(caveat, facts))
}

export function isExpired({ expires_at }: HeldCapability, now: string): boolean {
  return expires_at !== undefined && !(Date.parse(expires_at) > Date.parse(now))
}

async function someUsable(
  grants: readonly HeldCapability[],
  context: OperationContext<'authority'>,
): Promise<boolean> {
  for (const grant of grants) if (await isUsable(grant, context)) return true
  return false
}

async function ownAnswer(
  context: OperationContext<'authority'>,
  capabilities: readonly HeldCapability[],
  capability: string,
): Promise<Callable> {
  const granting = capabilities.filter(({ name }) => covers(name, capability))
  if (granting.length === 0) return { callable_now: false, why_not: `capability not held: ${capability}` }
  return (await someUsable(granting, context))
    ? { callable_now: true }
    : { callable_now: false, why_not: `capability not usable now: ${capability}` }
}

async function treatyAnswer(
  context: OperationContext<'authority'>,
  capabilities: readonly HeldCapability[],
  did: string,
  capability: string,
): Promise<Callable> {
  // Asking without the capability would be recorded as a violation by the caller.
  const asking = capabilities.filter(({ name }) => covers(name, treaty_question))
  if (!(await someUsable(asking, context)))
    return { callable_now: false, why_not: `treaties not asked: ${treaty_question} not held` }
  const question = { party_a: context.caller.did, party_b: did, capability }
  try {
    const answer = (await context.call('MOAT', 'compliance_query', question)) as {
      active?: unknown
      reason?: unknown
    }
    if (answer.active === true) return { callable_now: true }
    return {
      callable_now: false,
      why_not: typeof answer.reason === 'string' ? answer.reason : 'no active treaty',
    }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const reason = error.code === 'unknown_protocol' ? undefined : error.details.reason
    return { callable_now: false, why_not: reason ?? 'no active treaty' }
  }
}
