// Whose capabilities a caller sees, and the facts that decide which of them can be used at a given time.
import type { HeldCapability } from '@svc/contract/authority/capability'
import { parseDid } from '@svc/contract/identity/did'
import type { Authority } from '@svc/contract/needs/authority'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { isBudgeted, spentAt } from './effective-view.ts'

/** Visible are the caller, identities of this tenant, and those admitted by a treaty. */
export async function visibleAuthority(
  agent_did: string,
  context: OperationContext<'authority'>,
): Promise<Authority> {
  const authority = await context.authority.of(agent_did)
  if (agent_did === context.caller.did)
    return { ...authority, held: (await context.authority.ofCaller()).held }
  if (parseDid(agent_did)?.namespace === context.tenant_id) return authority
  const capabilities = authority.held.filter(({ source }) => source === 'treaty')
  if (capabilities.length === 0) throw notFound('identity', agent_did)
  return { ...authority, held: capabilities, excluded: [] }
}

export async function momentOf(authority: Authority, at: string, context: OperationContext<'authority'>) {
  const { did, extended } = authority.identity
  const { jurisdiction } = extended
  const spent = new Map<HeldCapability, ReadonlyMap<string, bigint>>()
  for (const grant of authority.held.filter(isBudgeted)) {
    const amounts = spentAt(await context.authority.spentInWeek(did, grant), context.now, at)
    if (amounts) spent.set(grant, amounts)
  }
  const { tenant_id } = context
  return {
    at,
    spent,
    agent_did: did,
    tenant_id,
    ...(typeof jurisdiction === 'string' ? { jurisdiction } : {}),
  }
}
