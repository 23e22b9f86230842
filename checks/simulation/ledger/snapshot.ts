// All rows of this seed's organizations in one read.
import type { SimulationDatabase } from '../database.ts'

export interface AccountRow {
  readonly tenant_id: string
  readonly did: string
  readonly asset_id: string
  readonly type: string
  readonly balance: number
  /** Of its entries. */
  readonly sum: number
}

export interface ContractRow {
  readonly contract_id: string
  readonly state: string
  readonly activated_ms: number | null
  readonly expires_ms: number
  readonly cancelled_by: readonly string[]
  readonly obligations: readonly ObligationRow[]
  readonly settlements: readonly SettlementRow[]
}

export interface ObligationRow {
  readonly id: string
  readonly settled: number
  readonly ended: string | null
  readonly ended_ms: number | null
}

export interface SettlementRow {
  readonly settlement_id: string
  readonly state: 'POSTED' | 'FINAL' | 'REVERSED'
  readonly final_ms: number
  readonly consents: readonly string[]
}

export interface OrderRow {
  readonly order_id: string
  readonly owner_did: string
  readonly seq: number
  readonly price: number | null
  readonly quantity: number
  readonly filled: number
  readonly reserved: number
  readonly state: string
}

export interface LogRow {
  readonly seq: number
  readonly order_id: string
  readonly at_ms: number
  readonly kind: 'place' | 'end' | 'reduce'
  /** Of the order as it was placed or reduced. */
  readonly remaining: number | null
  /** Of a limit order as it was placed. */
  readonly price: number | null
}

export interface TradeRow {
  readonly seq: number
  readonly place: number
  readonly taker: string
  readonly maker: string
  readonly price: number
  readonly quantity: number
  readonly notional: number
  readonly fee: number
}

export interface Snapshot {
  readonly answers: readonly { readonly key: string; readonly output_text: string }[]
  readonly accounts: readonly AccountRow[]
  readonly contracts: readonly ContractRow[]
  readonly orders: readonly OrderRow[]
  readonly log: readonly LogRow[]
  readonly trades: readonly TradeRow[]
  /** Correlation ids of journals posted by the engine itself. */
  readonly pay_ins: readonly string[]
}

const ms = (column: string) => `(extract(epoch FROM ${column}) * 1000)::float8`
const listOf = (query: string) => `(SELECT coalesce(json_agg(q), '[]') FROM (${query}) q)`

const snapshot_sql = `SELECT
  ${listOf('SELECT key, output_text FROM idempotency_keys WHERE tenant_id = ANY($1) AND output_text IS NOT NULL')} AS answers,
  ${listOf(`SELECT a.tenant_id, a.did, a.asset_id, a.type, b.balance::float8,
      (SELECT coalesce(sum(e.amount), 0)::float8 FROM ledger_entries e WHERE e.account_id = a.id) AS sum
    FROM ledger_accounts a JOIN ledger_balances b ON b.account_id = a.id WHERE a.tenant_id = ANY($1)`)} AS accounts,
  ${listOf(`SELECT contract_id, state, ${ms('activated_at')} AS activated_ms, ${ms('expires_at')} AS expires_ms,
      (SELECT coalesce(json_agg(s->>'signed_by'), '[]') FROM jsonb_array_elements(signatures) s
        WHERE s->>'purpose' = 'cancel') AS cancelled_by,
      ${listOf(`SELECT o.obligation_id AS id, o.settled::float8, o.ended, ${ms('o.ended_at')} AS ended_ms
        FROM obligations o WHERE o.contract_id = c.contract_id ORDER BY o.place`)} AS obligations,
      ${listOf(`SELECT s.settlement_id, s.state, ${ms('s.final_at')} AS final_ms,
          (SELECT coalesce(json_agg(o->>'side'), '[]') FROM jsonb_array_elements(s.consents) o) AS consents
        FROM settlements s WHERE s.contract_id = c.contract_id ORDER BY s.settlement_id`)} AS settlements
    FROM contracts c WHERE tenant_id = ANY($1) ORDER BY offered_at, contract_id`)} AS contracts,
  ${listOf(`SELECT order_id, owner_did, seq, price::float8, quantity::float8, filled::float8, reserved::float8, state
    FROM market_orders WHERE tenant_id = ANY($1) ORDER BY seq`)} AS orders,
  ${listOf(`SELECT seq, order_id, ${ms('at')} AS at_ms, command->>'kind' AS kind,
      coalesce(command->>'remaining', command->'order'->>'remaining')::float8 AS remaining,
      (command->'order'->>'price')::float8 AS price
    FROM market_order_log WHERE tenant_id = ANY($1) ORDER BY seq`)} AS log,
  ${listOf(`SELECT seq, place, taker_order_id AS taker, maker_order_id AS maker, price::float8, quantity::float8,
      notional::float8, fee::float8 FROM market_trades WHERE tenant_id = ANY($1) ORDER BY seq, place`)} AS trades,
  (SELECT coalesce(json_agg(correlation_id), '[]') FROM ledger_journals
    WHERE tenant_id = ANY($1) AND kind = 'pay-in') AS pay_ins`

export async function readSnapshot(
  { control }: SimulationDatabase,
  tenant_ids: readonly string[],
): Promise<Snapshot> {
  const { rows } = await control.query<Snapshot>(snapshot_sql, [tenant_ids])
  return rows[0]!
}
