// The five actions on tenders in one operation: which fields each requires, and which it accepts.
import { isMoment } from '@svc/contract/moment'
import { Qty } from '@svc/contract/money/money'
import { refuse } from '@svc/contract/refusal'
import {
  CapabilityName,
  Closed,
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
  lot_id: Type.Optional(Uuid),
  task: Type.Optional(Text(4000)),
  capability: Type.Optional(CapabilityName),
  asset_id: Type.Optional(AssetId),
  reserve_price: Type.Optional(Qty),
  closes_at: Type.Optional(Timestamp),
  visibility: Type.Optional(OneOf('tenant', 'treaty')),
  price: Type.Optional(Qty),
  eta_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: 31_536_000 })),
  valid_until: Type.Optional(Timestamp),
  treaty_id: Type.Optional(Hash),
  signature: Type.Optional(Signature),
  public_key: Type.Optional(PublicKey),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 20 })),
  cursor: Type.Optional(Type.String({ pattern: '^[A-Za-z0-9_-]{1,160}$' })),
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
