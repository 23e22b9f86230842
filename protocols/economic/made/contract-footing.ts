// The basis of a contract between organizations: a treaty, or that one of them is the operator.
import { covers } from '@svc/contract/authority/capability'
import { tiers } from '@svc/contract/authority/tier'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { treatyStateAt } from '@svc/contract/authority/treaty-grants'
import { parseDid } from '@svc/contract/identity/did'
import { meetsLevel, type ResolvedAgentIdentity } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { type Contract, isBetweenTenants, type Side } from '../contracts/api.ts'
import type { Asset } from '../ledger/api.ts'

const wanted_capability = 'svc.made.economic_contract_create'
/** Delivered, not paid with: a treaty's currency is that of the money against them. */
const goods_kinds: ReadonlySet<Asset['kind']> = new Set(['commodity', 'service_unit'])
type Footing = Pick<Contract, 'proposer' | 'counterparty' | 'treaty_id'>

/** Assets and debts are stored in the tenant of the DID, whatever access a treaty grants. */
export function requireHome({ caller, tenant_id }: OperationContext): void {
  if (parseDid(caller.did)?.namespace === tenant_id) return
  throw refuse(
    'policy_denied',
    `You belong to another organization than ${tenant_id}; publish, agree and pay in your own, where contracts with others are listed too.`,
    { reason: 'not your organization' },
  )
}

export function requireL2(caller: ResolvedAgentIdentity, what: string): void {
  if (meetsLevel(caller, 'L2')) return
  throw refuse(
    'policy_denied',
    `${what} needs conformance level L2, which you have not shown; ask an administrator what is missing.`,
    {
      reason: 'conformance L2 required',
    },
  )
}

/** Checked on offer and again on acceptance, each time from the caller's side. */
export async function requireFooting(
  context: OperationContext<'engine' | 'treaties'>,
  contract: Footing,
  assets: ReadonlyMap<string, Asset>,
): Promise<void> {
  if (!isBetweenTenants(contract)) return
  requireL2(context.caller, 'A contract between organizations')
  if (isWithOperator(context, contract)) return
  const treaty = await activeTreaty(context, contract)
  for (const { asset_id, code, rail, kind } of assets.values()) {
    const { currency, rail: agreed } = treaty.settlement
    if (goods_kinds.has(kind) && (rail === agreed || rail === 'internal')) continue
    if ((currency === asset_id || currency === code) && agreed === rail) continue
    throw refuse(
      'policy_denied',
      `The treaty settles in ${currency} over ${agreed}, and ${asset_id} is ${code} over ${rail}; use what was agreed.`,
      { reason: 'currency not allowed by treaty', asset_id },
    )
  }
}

/** A tenant needs no treaty with the operator: this is how it refills and pays its invoices. */
function isWithOperator(
  { engine: { operator_tenant_id } }: OperationContext<'engine'>,
  { proposer, counterparty, treaty_id }: Footing,
) {
  return treaty_id === null && [proposer.tenant_id, counterparty.tenant_id].includes(operator_tenant_id)
}

async function activeTreaty(
  context: OperationContext<'treaties'>,
  { treaty_id, proposer, counterparty }: Footing,
): Promise<StandingTreaty> {
  const treaty = treaty_id === null ? undefined : await context.treaties.find(treaty_id)
  const now_ms = Date.parse(context.now)
  const parties = treaty?.parties.map(({ tenant }) => tenant) ?? []
  if (!treaty || ![proposer, counterparty].every(({ tenant_id }) => parties.includes(tenant_id)))
    throw noTreaty('there is none of that id between the two')
  const state = treatyStateAt(treaty, now_ms)
  if (state !== 'ACTIVE' && state !== 'EXPIRED') throw noTreaty(`that one is ${state}`)
  if (state === 'EXPIRED')
    throw refuse('policy_denied', `The treaty ${treaty.id} ended on ${treaty.expires_at}; renew it first.`, {
      reason: 'treaty grant expired',
      treaty_id: treaty.id,
    })
  const granted = treaty.grants.some(
    ({ to, capability }) => to === proposer.tenant_id && covers(capability, wanted_capability),
  )
  if (!granted) throw noTreaty(`that one does not grant ${wanted_capability} to ${proposer.tenant_id}`)
  return treaty
}

function noTreaty(why: string): Refusal {
  return refuse(
    'policy_denied',
    `A contract between organizations stands on an active treaty, and ${why}; conclude one, and name it as treaty_id.`,
    { reason: 'no active treaty' },
  )
}

/** The treaty's fee, else the payer's tier's; none within an organization or for the operator. */
export async function feesOf(
  context: OperationContext<'engine' | 'tenants' | 'treaties'>,
  contract: Footing,
): Promise<Record<Side, number>> {
  const { treaty_id } = contract
  const treaty = treaty_id === null ? undefined : await context.treaties.find(treaty_id)
  const bpsOf = async (side: Side): Promise<number> => {
    const { tenant_id } = contract[side]
    if (!isBetweenTenants(contract) || tenant_id === context.engine.operator_tenant_id) return 0
    if (treaty) return treaty.settlement.clearing_fee_bps
    return tiers[(await context.tenants.tierOf(tenant_id)) ?? 'sandbox'].settlement_bps
  }
  return { proposer: await bpsOf('proposer'), counterparty: await bpsOf('counterparty') }
}
