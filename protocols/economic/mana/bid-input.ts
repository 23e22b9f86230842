// The five actions on tenders in one operation: which fields each requires, and which it accepts.
import { isMoment } from '@svc/contract/moment'
import { Qty } from '@svc/contract/money/money'
import { refuse } from '@svc/contract/refusal'
import {
  CapabilityName,
  Closed,
  described,
  Hash,
  OneOf,
  PublicKey,
  Signature,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { AssetId } from '../ledger/api.ts'

const lot_ms_max = 90 * 86_400_000

export const BidInput = Closed({
  action: Type.Optional(
    Type.Enum(['solicit', 'bid', 'withdraw', 'award', 'view'], {
      default: 'bid',
      description: 'view shows one lot, or those that are open.',
    }),
  ),
  lot_id: Type.Optional(described(Uuid, 'The lot; for bid, withdraw and award, or to view one.')),
  task: Type.Optional(Text(4000, { description: 'For solicit: the work, in words.' })),
  capability: Type.Optional(described(CapabilityName, 'For solicit: capability a bidder must hold.')),
  asset_id: Type.Optional(
    described(AssetId, 'For solicit: asset in which bids are made and the work is paid.'),
  ),
  reserve_price: Type.Optional(
    described(Qty, 'For solicit: the most you pay, in the smallest unit of the asset.'),
  ),
  closes_at: Type.Optional(
    described(Timestamp, 'For solicit: bids are taken until then, at most 90 days ahead.'),
  ),
  visibility: Type.Optional(
    described(
      OneOf('tenant', 'treaty'),
      'For solicit: who may bid; treaty includes treaty partners. Default tenant.',
    ),
  ),
  price: Type.Optional(described(Qty, 'For bid: what you ask, in the smallest unit of the asset.')),
  eta_seconds: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'For bid: time you need for the work.' }),
  ),
  valid_until: Type.Optional(
    described(Timestamp, 'For bid: your bid counts until then; absent: until the award.'),
  ),
  treaty_id: Type.Optional(
    described(Hash, 'For bid: treaty between the two organizations; needed if they differ.'),
  ),
  signature: Type.Optional(
    described(Signature, 'For award: of the contract; absent: the engine signs if it keeps your key.'),
  ),
  public_key: Type.Optional(described(PublicKey, 'For award: key that made the signature.')),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'For view: lots per page at most.' }),
  ),
  cursor: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9_-]{1,160}$',
      description: 'For view: next_cursor of the previous page.',
    }),
  ),
})
export type BidInput = Static<typeof BidInput>

type Field = Exclude<keyof BidInput, 'action'>

const fields = {
  solicit: {
    needs: ['task', 'capability', 'asset_id', 'reserve_price', 'closes_at'],
    takes: ['visibility'],
  },
  bid: { needs: ['lot_id', 'price', 'eta_seconds'], takes: ['valid_until', 'treaty_id'] },
  withdraw: { needs: ['lot_id'], takes: [] },
  award: { needs: ['lot_id'], takes: ['signature', 'public_key'] },
  view: { needs: [], takes: ['lot_id', 'limit', 'cursor'] },
} as const satisfies Record<string, { needs: readonly Field[]; takes: readonly Field[] }>

type Action = keyof typeof fields

/** An action's input with its required fields. */
export type FieldsOf<A extends Action> = {
  readonly [F in (typeof fields)[A]['needs'][number]]: NonNullable<BidInput[F]>
} & { readonly [F in (typeof fields)[A]['takes'][number]]?: BidInput[F] }

export function fieldsFor<A extends Action>(action: A, { action: _, ...given }: BidInput): FieldsOf<A> {
  const needs: readonly string[] = fields[action].needs
  const takes: readonly string[] = [...needs, ...fields[action].takes]
  const faults = [
    ...needs
      .filter((field) => given[field as Field] === undefined)
      .map((field) => ({ pointer: `/${field}`, message: `is required to ${action}` })),
    ...Object.keys(given)
      .filter((field) => given[field as Field] !== undefined && !takes.includes(field))
      .map((field) => ({ pointer: `/${field}`, message: `says nothing where the action is ${action}` })),
  ]
  if (faults.length === 0) return given as unknown as FieldsOf<A>
  const [{ pointer, message }] = faults as [(typeof faults)[number]]
  throw refuse('invalid_payload', `${pointer.slice(1)} ${message}; correct the fields and ask again.`, {
    reason: 'fields of the action',
    faults,
  })
}

/** A valid time after another one, within a sensible range. */
export function requireMoment(moment: string, field: Field, after: string): Date {
  const at_ms = Date.parse(moment)
  const message = !isMoment(moment)
    ? 'is no moment that exists'
    : at_ms <= Date.parse(after)
      ? `must come after ${after}`
      : at_ms > Date.parse(after) + lot_ms_max
        ? `is more than 90 days after ${after}`
        : undefined
  if (message === undefined) return new Date(at_ms)
  throw refuse('invalid_payload', `${field} is ${moment}, which ${message}; name another moment.`, {
    reason: field,
    faults: [{ pointer: `/${field}`, message }],
  })
}
