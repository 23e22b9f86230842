// Nobody may grant more than it holds.
import { isWithin } from '@svc/contract/authority/attenuation'
import type { TreatyBody } from '@svc/contract/authority/treaty'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'

/** Grants of the caller's organization must be within the caller's capabilities until the treaty ends. */
export async function requireHoldings(
  context: OperationContext<'authority'>,
  { grants, expires_at }: Pick<TreatyBody, 'grants' | 'expires_at'>,
  role: 'proposer' | 'signer',
): Promise<void> {
  const granted = grants.filter(({ to }) => to !== context.tenant_id)
  if (granted.length === 0) return
  const { held } = await context.authority.ofCaller()
  const now_ms = Date.parse(context.now)
  const usable = held.filter(({ expires_at: end }) => end === undefined || Date.parse(end) > now_ms)
  const beyond = granted.find((grant) => !isWithin(asCapability(grant, expires_at), usable))
  if (beyond) throw exceeding(context.caller.did, beyond.capability, role)
}

function asCapability(grant: TreatyBody['grants'][number], expires_at: string) {
  const { capability: name, caveats = [], limits: { weekly_budget_usd, ...limits } = {} } = grant
  const budget = weekly_budget_usd === undefined ? [] : [`weekly_budget:${weekly_budget_usd}`]
  return { name, caveats: [...caveats, ...budget], limits, expires_at }
}

function exceeding(did: string, capability: string, role: 'proposer' | 'signer'): Refusal {
  const reason = `grant exceeds ${role} capabilities`
  return refuse(
    'policy_denied',
    `${did} would grant ${capability} more widely or for longer than it holds it itself; obtain it first, or grant less.`,
    {
      requested_capability: capability,
      reason: role === 'proposer' ? `${reason}: ${capability}` : reason,
      denying_policy: 'MOAT no amplification',
      appeal_path: 'Aegis delegate',
    },
  )
}
