// Who takes part: an operator that issues the assets and owns the market, and two partner organizations with a treaty.
import type { KeyObject } from 'node:crypto'
import { didOfKey } from '@svc/contract/identity/did'
import { privateKeyOf, publicKeyOf } from '@svc/contract/signing/signature'
import { tenant_setting } from '@svc/database/migration'
import type { World } from '../world.ts'

export interface Agent {
  readonly did: string
  readonly tenant_id: string
  readonly public_key: string
  readonly private_key: KeyObject
}

export interface Organizations {
  readonly operator: string
  readonly partners: readonly string[]
  readonly tenant_ids: readonly string[]
  readonly agents: ReadonlyMap<string, Agent>
  readonly coin: string
  readonly gold: string
  readonly treaty: { readonly id: string; readonly settlement: TreatySettlement }
}

interface TreatySettlement {
  readonly rail: 'internal'
  readonly currency: string
  readonly clearing_fee_bps: number
}

export const treaty_fee_bps = 37
/** Of the tier `charter`, which all have. */
export const tier_fee_bps = 25
/** A settlement can be reversed for so long. */
const finality_s_of = { coin: 7_200, gold: 1_800 } as const
export const lot_size = 10
export const funds = { coin: 4_000, gold: 400 } as const

/** New ones, funded, so that seeds do not meet in a tenant. */
export async function openOrganizations(world: World): Promise<Organizations> {
  const { seed } = world
  const [operator, ...partners] = ['v', 'a', 'b'].map((name) => `d${seed}-${name}`) as [string, ...string[]]
  const agents = new Map<string, Agent>()
  for (const tenant_id of [operator, ...partners, ...partners]) {
    const private_key = privateKeyOf(world.random.bytes(32))
    const public_key = publicKeyOf(private_key)
    const did = didOfKey(tenant_id, 'agent', Buffer.from(public_key, 'base64url'))
    agents.set(did, { did, tenant_id, public_key, private_key })
  }
  const [coin, gold] = [`coin-${seed}`, `gold-${seed}`]
  const settlement = { rail: 'internal', currency: coin, clearing_fee_bps: treaty_fee_bps } as const
  const treaty = { id: `sha256:${'7'.repeat(64)}`, settlement, expires_at: '2028-01-01T00:00:00Z' }
  const organizations = {
    ...{ operator, partners, agents, coin, gold, treaty },
    tenant_ids: [operator, ...partners],
  }
  await fund(world, organizations)
  return organizations
}

async function fund({ database }: World, organizations: Organizations): Promise<void> {
  const { operator, agents, coin, gold } = organizations
  const { control } = database
  await control.query(forget_sql)
  for (const [asset_id, finality_s, lot] of [
    [coin, finality_s_of.coin, 1],
    [gold, finality_s_of.gold, lot_size],
  ] as const)
    await control.query(
      `INSERT INTO assets (asset_id, tenant_id, asset_hash, kind, rail, code, decimals, finality_s, lot_size, tick_size,
        published_by, published_at) VALUES ($1, $2, $1, 'token', 'internal', $1, 0, $3, $4, 1, 'operator', now())`,
      [asset_id, operator, finality_s, lot],
    )
  const journals = [...agents.values()].flatMap(({ tenant_id, did }) =>
    (['coin', 'gold'] as const).map((name) => {
      const asset_id = organizations[name]
      const entries = [
        { tenant_id: operator, asset_id, type: 'issuance', amount: String(-funds[name]) },
        { tenant_id, did, asset_id, type: 'available', amount: String(funds[name]) },
      ]
      const correlation_id = '00000000-0000-4000-8000-000000000000'
      return { tenant_id: operator, kind: 'open', ref: 'open', correlation_id, at: '2026-11-15', entries }
    }),
  )
  await control.query('SELECT set_config($1, $2, false)', [tenant_setting, operator])
  await control.query('SELECT svc_post_journals($1::jsonb)', [JSON.stringify(journals)])
}

/** Sweeps look at all tenants: rows of earlier seeds would be found again. */
const forget_sql = `
  DELETE FROM audit_outbox; DELETE FROM idempotency_keys;
  DELETE FROM market_trades; DELETE FROM market_order_log; DELETE FROM market_orders;
  DELETE FROM market_book_seq; DELETE FROM market_instruments;
  DELETE FROM settlement_references; DELETE FROM settlements; DELETE FROM obligations; DELETE FROM contracts`
