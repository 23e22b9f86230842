// Input of a dissolution, and whether its schedule can be carried out.

import { parseDid } from '@svc/contract/identity/did'
import { MicroUsd, Qty, usd_asset } from '@svc/contract/money/money'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  described,
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
  to_did: described(Did, 'Who gets this share.'),
  share_bps: Type.Integer({
    minimum: 1,
    maximum: 10_000,
    description: 'Share in hundredths of a percent; the shares of one asset add up to 10000.',
  }),
})

const ObligationTransfer = Closed({
  obligation: Type.String({
    pattern: '^made://contract/sha256:[0-9a-f]{64}/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
    description: 'made://contract/<contract_id>/<obligation_id>',
  }),
  to_did: described(Did, 'Who takes the obligation over.'),
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
  public_key: Type.Optional(described(PublicKey, 'Key of to_did, for its signature in accepted.')),
})

export const ScheduleInput = Closed({
  asset_distribution: described(
    ListOf(AssetShare, 0, 256),
    'Who gets what is left after the creditors were paid.',
  ),
  obligation_transfer: Type.Optional(
    described(
      ListOf(ObligationTransfer, 0, 256),
      'Obligations that others take over; all others must be settled or ended.',
    ),
  ),
  successor_did: described(Did, 'Who takes over for the organization.'),
})

export const InitiateInput = Closed({
  charter_authority: Type.String({
    ...Ref,
    description:
      'A verdict that binds MAUSOLEUM.initiate to the sha256 of {reason, schedule} as canonical JSON; to cancel, to the dissolution_id.',
  }),
  reason: Text(4000, { description: 'Why the organization is dissolved, or why that is cancelled.' }),
  schedule: Type.Optional(described(ScheduleInput, 'Who takes over what; needed unless you cancel.')),
  cancel: Type.Optional(described(Uuid, 'Dissolution to cancel, instead of beginning one.')),
})
export type InitiateInput = Static<typeof InitiateInput>

export const DissolutionStateName = OneOf(...dissolution_states, 'BLOCKED')

export const Creditors = ListOf(
  Closed({
    rank: Type.Integer({
      minimum: 1,
      maximum: 3,
      description: 'Order of payment: 1 awards of MOOT, 2 invoices of MEAL, 3 contracts.',
    }),
    ref: Type.String({ description: 'Contract or invoice that is owed.' }),
    tenant_id: described(TenantId, 'Organization that is owed.'),
    asset_id: AssetId,
    amount: described(Qty, 'How much is owed, in whole minor units of the asset.'),
    amount_micro_usd: Type.Optional(
      described(MicroUsd, 'The same in whole millionths of a US dollar; only for usd.'),
    ),
  }),
  0,
  2_100,
)

export const InitiateOutput = Closed({
  dissolution_id: described(Uuid, 'Names the dissolution.'),
  state: described(
    DissolutionStateName,
    'Where it stands; BLOCKED: a step failed and is retried. It can be cancelled while INITIATED.',
  ),
  notice_until: described(Timestamp, 'End of the notice period; until then it can be cancelled.'),
  creditors: described(Creditors, 'Who is paid before anything is distributed, in this order.'),
  blockers: described(
    ListOf(Type.String(), 0, 1_000),
    'What must be resolved before it can go on, in words.',
  ),
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
