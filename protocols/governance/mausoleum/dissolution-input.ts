// Input of a dissolution, and whether its schedule can be carried out.

import { parseDid } from '@svc/contract/identity/did'
import { MicroUsd, Qty, usd_asset } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  ListOf,
  OneOf,
  PublicKey,
  Ref,
  Signature,
  TenantId,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { type Creditor, parseObligationRef } from '../../economic/estate/api.ts'
import { AssetId } from '../../economic/ledger/api.ts'
import { dissolution_states, type Schedule } from './dissolution.ts'
import { any_asset, uneven } from './distribution.ts'

const AssetShare = Closed({
  asset_id: Type.Union([AssetId, Type.Literal(any_asset)], {
    description: 'An asset id, or * for all other assets.',
  }),
  to_did: Did,
  share_bps: Type.Integer({ minimum: 1, maximum: 10_000 }),
})

const ObligationTransfer = Closed({
  obligation: Type.String({
    pattern: '^made://contract/sha256:[0-9a-f]{64}/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
    description: 'made://contract/<contract_id>/<obligation_id>',
  }),
  to_did: Did,
  consent: Type.Optional(
    Type.String({
      ...Signature,
      description:
        'Signature of the other party over svc-contract-v1 and {action: novate, contract_id, obligation_id, to_did}.',
    }),
  ),
  accepted: Type.Optional(
    Type.String({
      ...Signature,
      description: 'Signature of to_did over the same text; needed if it becomes the debtor.',
    }),
  ),
  public_key: Type.Optional(PublicKey),
})

export const ScheduleInput = Closed({
  asset_distribution: ListOf(AssetShare, 0, 256),
  obligation_transfer: Type.Optional(ListOf(ObligationTransfer, 0, 256)),
  successor_did: Did,
})

export const InitiateInput = Closed({
  charter_authority: Type.String({
    ...Ref,
    description:
      'A verdict that binds MAUSOLEUM.initiate to the sha256 of {reason, schedule} as canonical JSON; to cancel, to the dissolution_id.',
  }),
  reason: Text(4000),
  schedule: Type.Optional(ScheduleInput),
  cancel: Type.Optional(Uuid),
})
export type InitiateInput = Static<typeof InitiateInput>

export const DissolutionStateName = OneOf(...dissolution_states, 'BLOCKED')

export const Creditors = ListOf(
  Closed({
    rank: Type.Integer({ minimum: 1, maximum: 3 }),
    ref: Type.String(),
    tenant_id: TenantId,
    asset_id: AssetId,
    amount: Qty,
    amount_micro_usd: Type.Optional(MicroUsd),
  }),
  0,
  2_100,
)

export const InitiateOutput = Closed({
  dissolution_id: Uuid,
  state: DissolutionStateName,
  notice_until: Timestamp,
  creditors: Creditors,
  blockers: ListOf(Type.String(), 0, 1_000),
})
export type InitiateOutput = Static<typeof InitiateOutput>

/** The subject a verdict must bind: exactly this reason and schedule. */
export function dissolutionSubject({ reason, schedule }: Pick<InitiateInput, 'reason' | 'schedule'>): string {
  return contentHash({ reason, schedule })
}

export function shownCreditors(creditors: readonly Creditor[]): InitiateOutput['creditors'] {
  return creditors.map((creditor) => ({
    ...creditor,
    amount: String(creditor.amount),
    ...(creditor.asset_id === usd_asset && { amount_micro_usd: String(creditor.amount) }),
  }))
}

/** Rejects an impossible schedule now, not after the announcement. */
export async function requireSchedule(
  context: OperationContext<'authority' | 'tenants'>,
  { schedule }: InitiateInput,
): Promise<Schedule> {
  if (!schedule) throw fault('/schedule', 'is required to dissolve an organization')
  const { asset_distribution, obligation_transfer = [], successor_did } = schedule
  const [wrong] = uneven(asset_distribution)
  if (wrong)
    throw fault(
      '/schedule/asset_distribution',
      `the shares of ${wrong.asset_id} sum to ${wrong.sum_bps}, not to 10000`,
    )
  await requireAbroad(context, '/schedule/successor_did', successor_did, 'successor unresolvable')
  for (const [place, { to_did }] of asset_distribution.entries())
    await requireAbroad(context, `/schedule/asset_distribution/${place}/to_did`, to_did)
  const named = new Set<string>()
  for (const [place, { obligation, to_did }] of obligation_transfer.entries()) {
    const at = `/schedule/obligation_transfer/${place}`
    if (!parseObligationRef(obligation) || named.has(obligation))
      throw fault(`${at}/obligation`, 'is listed twice or is not an obligation')
    named.add(obligation)
    await requireAbroad(context, `${at}/to_did`, to_did)
  }
  return { asset_distribution, obligation_transfer, successor_did }
}

/** The recipient must exist and belong to another organization. */
async function requireAbroad(
  context: OperationContext<'authority' | 'tenants'>,
  pointer: string,
  did: string,
  reason = 'heir unresolvable',
): Promise<void> {
  const { namespace } = parseDid(did)!
  if (namespace === context.tenant_id)
    throw fault(pointer, 'belongs to the organization that is being dissolved')
  const { identity } = await context.authority.of(did)
  const is_known =
    (await context.tenants.tierOf(namespace)) !== undefined && identity.auth_method !== 'unresolved'
  if (!is_known) throw fault(pointer, 'cannot be resolved', reason)
}

function fault(pointer: string, message: string, reason = 'schedule does not hold'): Refusal {
  return refuse(
    'invalid_payload',
    `The dissolution schedule is invalid: ${pointer} ${message}; correct it and let the charter decide again.`,
    { reason, faults: [{ pointer, message }] },
  )
}
