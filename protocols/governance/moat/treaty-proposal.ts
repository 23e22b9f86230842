// Proposes a treaty to another organization.

import { tiers } from '@svc/contract/authority/tier'
import { TreatyBody, TreatyState } from '@svc/contract/authority/treaty'
import { parseDid } from '@svc/contract/identity/did'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, Did, described, Hash, Timestamp } from '@svc/contract/schema'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { type StoredTreaty, sign_within_ms, treatyId } from './treaty.ts'
import { requireHoldings } from './treaty-grantors.ts'
import {
  CapabilitySchedule,
  DisputeClause,
  grantsOf,
  Rates,
  requireSpan,
  SettlementTerms,
} from './treaty-input.ts'
import { requireHome, tell } from './treaty-progress.ts'
import { treatyText } from './treaty-signature.ts'
import { countOffers, findTreaty, keepTreaty } from './treaty-store.ts'

/** Per pair of organizations: each proposal is written to the other's chain. */
const offers_max = 64

export const ProposeInput = Closed({
  counterparty_did: described(Did, 'DID that represents the other organization.'),
  capability_schedule: described(
    CapabilitySchedule,
    'What may be called, and by whom; one entry may grant to both parties.',
  ),
  rate_limits: Type.Optional(described(Rates, 'Bounds on all calls of a party together; absent: none.')),
  settlement_terms: Type.Optional(
    described(SettlementTerms, 'How payments are settled; absent: internal, usd, fee of your tier.'),
  ),
  dispute_clause: Type.Optional(
    described(DisputeClause, 'Where disputes are heard; absent: at the operator.'),
  ),
  expires_at: described(Timestamp, 'End of the term, at most five years ahead.'),
  effective_from: Type.Optional(described(Timestamp, 'Start of the term; default now.')),
})
type ProposeInput = Static<typeof ProposeInput>

export const ProposeOutput = Closed({
  treaty_id: described(Hash, 'Hash of the terms; both parties sign it.'),
  state: TreatyState,
  body: described(TreatyBody, 'The terms that are hashed and signed.'),
  signing_input: Type.String({
    description: 'The text to sign now; send its timestamp with the signature.',
  }),
  sign_by: described(Timestamp, 'It lapses if both have not signed by then.'),
})

export async function propose(
  input: ProposeInput,
  context: OperationContext<'authority' | 'engine' | 'register' | 'served' | 'tenants'>,
): Promise<Static<typeof ProposeOutput>> {
  requireHome(context, 'propose')
  const counterparty = await requireCounterparty(input.counterparty_did, context)
  const body = await bodyOf(input, counterparty, context)
  requireSpan(body.effective_from, body.expires_at, context.now)
  await requireHoldings(context, body, 'proposer')
  const treaty = draft(body, context)
  await requireRoom(context, counterparty)
  if (await keepTreaty(context.db, treaty, counterparty)) {
    const { id: treaty_id, root_id, proposed_by } = treaty
    await registerTreaty(context, treaty)
    const meta = { treaty_id, root_id, state: 'PROPOSED', proposed_by, sign_by: treaty.sign_by.toISOString() }
    tell(context, treaty, { type: 'TreatyProposed', meta })
    return answerOf(treaty, context)
  }
  const existing = await findTreaty(context.db, treaty.id)
  if (!existing) throw notFound('treaty', treaty.id)
  return answerOf(existing, context)
}

async function requireCounterparty(
  did: string,
  context: OperationContext<'authority' | 'tenants'>,
): Promise<string> {
  const tenant = parseDid(did)!.namespace
  if (tenant === context.tenant_id)
    throw refuse(
      'policy_denied',
      `${did} belongs to ${tenant}, as you do; a treaty is between two organizations.`,
      {
        reason: 'parties are the same tenant',
        denying_policy: 'MOAT parties',
      },
    )
  const { identity } = await context.authority.of(did)
  if (
    (await context.tenants.tierOf(tenant)) === undefined ||
    identity.auth_method === 'unresolved' ||
    identity.revoked
  )
    throw notFound('counterparty', did)
  const row = await sql<{ sealed: boolean }>`SELECT svc_is_sealed(${tenant}) AS sealed`.first(context.db)
  if (!row?.sealed) return tenant
  throw refuse('policy_denied', `${tenant} is dissolved and cannot sign treaties; ask its successor.`, {
    reason: 'counterparty is sealed',
    denying_policy: 'MAUSOLEUM',
  })
}

async function requireRoom({ db, tenant_id }: OperationContext, counterparty: string): Promise<void> {
  if ((await countOffers(db, tenant_id, counterparty, offers_max)) < offers_max) return
  throw refuse(
    'policy_denied',
    `You have ${offers_max} unsigned proposals to ${counterparty}; terminate some of them first.`,
    { reason: 'too many offers', denying_policy: 'MOAT offers', appeal_path: 'MOAT terminate' },
  )
}

/** Parties are ordered by tenant, so that a repeated proposal (same terms, same nonce) has one id. */
async function bodyOf(
  input: ProposeInput,
  counterparty: string,
  context: OperationContext<'engine' | 'served' | 'tenants'>,
): Promise<TreatyBody> {
  const {
    tenant_id,
    caller,
    now,
    engine: { operator_tenant_id },
  } = context
  const { rail = 'internal', currency = 'usd', clearing_fee_bps } = input.settlement_terms ?? {}
  const tier = (await context.tenants.tierOf(tenant_id)) ?? 'sandbox'
  const parties = [
    { tenant: tenant_id, did: caller.did },
    { tenant: counterparty, did: input.counterparty_did },
  ].sort((a, b) => (a.tenant < b.tenant ? -1 : 1))
  return {
    v: 1,
    parent: null,
    parties,
    grants: grantsOf(input.capability_schedule, { proposer: tenant_id, counterparty }, context.served),
    rate_limits: input.rate_limits ?? {},
    settlement: { rail, currency, clearing_fee_bps: clearing_fee_bps ?? tiers[tier].settlement_bps },
    dispute_resolution: await venueOf(
      input.dispute_clause ?? { via: 'MOOT', venue: operator_tenant_id },
      context,
    ),
    effective_from: input.effective_from ?? now,
    expires_at: input.expires_at,
    nonce: context.idempotency_key ?? context.invoke.correlation_id,
  }
}

/** The venue must exist, or both would be without a court. */
export async function venueOf(
  clause: Static<typeof DisputeClause>,
  context: OperationContext<'tenants'>,
): Promise<TreatyBody['dispute_resolution']> {
  const tenant = parseDid(clause.venue)?.namespace ?? clause.venue
  if ((await context.tenants.tierOf(tenant)) !== undefined) return clause
  throw notFound('venue', clause.venue)
}

export function draft(body: TreatyBody, context: OperationContext, root_id?: string): StoredTreaty {
  const id = treatyId(body)
  const proposed_at = new Date(context.now)
  const latest = new Date(proposed_at.getTime() + sign_within_ms)
  const expires_at = new Date(body.expires_at)
  return {
    id,
    body,
    root_id: root_id ?? id,
    proposer_tenant: context.tenant_id,
    proposed_by: context.caller.did,
    proposed_at,
    sign_by: latest < expires_at ? latest : expires_at,
    state: 'PROPOSED',
    activated_at: null,
    in_force_at: null,
    suspended: null,
    open_cases: [],
    ended_at: null,
    signatures: [],
  }
}

/** The terms are registered for the two parties only, so that both can read what they sign. */
export async function registerTreaty(
  context: OperationContext<'register'>,
  { id, body, root_id }: StoredTreaty,
): Promise<void> {
  const content = { treaty_id: id, root_id, body: { ...body } }
  await context.register({ kind: 'treaty', subject: id, visibility: 'treaty', content })
}

function answerOf(
  { id: treaty_id, state, body, sign_by }: StoredTreaty,
  { tenant_id, now }: OperationContext,
): Static<typeof ProposeOutput> {
  const signing_input = treatyText(treaty_id, tenant_id, now)
  return { treaty_id, state, body, signing_input, sign_by: sign_by.toISOString() }
}
