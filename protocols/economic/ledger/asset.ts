// An asset: something that can be owned and paid. Its definition never changes, so its hash identifies it.

import { Qty } from '@svc/contract/money/money'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, OneOf } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'

const decimals_default = 6

export const AssetId = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{1,63}$',
  description: 'Name of an asset, the same for everybody.',
})
const Code = Type.String({
  pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$',
  description: 'Such as USD or GPUH.',
})
const Rail = Type.String({
  pattern: '^[a-z0-9][a-z0-9._-]{0,63}$',
  description: 'internal, or the name of the outside system this is paid through.',
})

export const AssetInput = Closed({
  asset_id: AssetId,
  kind: described(
    OneOf('fiat', 'credit', 'token', 'commodity', 'service_unit'),
    'What the asset is; fiat needs conformance L2.',
  ),
  rail: Rail,
  denomination: Type.Union(
    [
      Code,
      Closed({
        code: Code,
        decimals: Type.Integer({
          minimum: 0,
          maximum: 12,
          description: 'Digits after the point: a minor unit is 10^-decimals.',
        }),
      }),
    ],
    { description: 'Code alone, with 6 decimals, or code and decimals.' },
  ),
  settlement_finality_seconds: Type.Integer({
    minimum: 0,
    maximum: 2_592_000,
    description: 'How long a settlement can still be reversed by both.',
  }),
  lot_size: Type.Optional(described(Qty, 'Orders are for multiples of this many minor units.')),
  tick_size: Type.Optional(described(Qty, 'Prices are multiples of this many minor units.')),
  max_supply: Type.Optional(
    described(Qty, 'The most minor units that can be issued; absent means no limit.'),
  ),
})

export interface Definition {
  readonly asset_id: string
  readonly kind: Static<typeof AssetInput>['kind']
  readonly rail: string
  readonly code: string
  readonly decimals: number
  readonly finality_s: number
  readonly lot_size: bigint
  readonly tick_size: bigint
  readonly max_supply: bigint | null
}

export interface Asset extends Definition {
  /** The issuer. */
  readonly tenant_id: string
  readonly asset_hash: string
}

/** Fills in defaults, so that equivalent inputs give the same definition. */
export function definitionOf(input: Static<typeof AssetInput>): Definition {
  const { denomination } = input
  const { code, decimals } =
    typeof denomination === 'string' ? { code: denomination, decimals: decimals_default } : denomination
  const definition = {
    asset_id: input.asset_id,
    kind: input.kind,
    rail: input.rail,
    code,
    decimals,
    finality_s: input.settlement_finality_seconds,
    lot_size: BigInt(input.lot_size ?? 1),
    tick_size: BigInt(input.tick_size ?? 1),
    max_supply: input.max_supply === undefined ? null : BigInt(input.max_supply),
  }
  for (const field of ['lot_size', 'tick_size', 'max_supply'] as const)
    if (definition[field] === 0n) throw nothingOf(field)
  return definition
}

function nothingOf(field: string) {
  return refuse(
    'invalid_payload',
    `${field} is 0, of which nothing can be traded or issued; give at least 1.`,
    {
      reason: `${field} is 0`,
      faults: [{ pointer: `/${field}`, message: 'must be at least 1' }],
    },
  )
}

/** The definition as published: without its issuer. */
export function publishedForm(definition: Definition) {
  const { code, decimals, finality_s, lot_size, tick_size, max_supply, ...rest } = definition
  return {
    ...rest,
    denomination: { code, decimals },
    settlement_finality_seconds: finality_s,
    lot_size: String(lot_size),
    tick_size: String(tick_size),
    ...(max_supply !== null && { max_supply: String(max_supply) }),
  }
}

export function assetHash(definition: Definition): string {
  return contentHash(publishedForm(definition))
}
