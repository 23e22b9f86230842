// The market's tables. Order books belong to the venue; traders use operations, and see their own trades.
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'

const open_states = `('OPEN', 'PARTIALLY_FILLED')`

/** The lowest rank is the best on either side, so that one index serves both in order of priority. */
export const rank_expression = "CASE side WHEN 'buy' THEN -price ELSE price END"

const instruments = `
  CREATE TABLE market_instruments (
    tenant_id text COLLATE "C" NOT NULL,
    instrument text COLLATE "C" NOT NULL,
    base_asset text COLLATE "C" NOT NULL,
    quote_asset text COLLATE "C" NOT NULL,
    lot_size numeric(38,0) NOT NULL CHECK (lot_size > 0),
    tick_size numeric(38,0) NOT NULL CHECK (tick_size > 0),
    opened_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, instrument),
    CHECK (instrument = base_asset || '/' || quote_asset AND base_asset <> quote_asset)
  );
  ${isolateByTenant('market_instruments', ['SELECT', 'INSERT'], ['SELECT'])}

  -- Where a book stands, and the moment it was last changed: no book goes back in time, whichever replica's clock asks.
  CREATE TABLE market_book_seq (
    tenant_id text COLLATE "C" NOT NULL,
    instrument text COLLATE "C" NOT NULL,
    seq bigint NOT NULL CHECK (seq >= 0),
    at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, instrument),
    FOREIGN KEY (tenant_id, instrument) REFERENCES market_instruments
  );
  ${isolateByTenant('market_book_seq', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}
`

const orders = `
  CREATE TABLE market_orders (
    tenant_id text COLLATE "C" NOT NULL,
    order_id uuid PRIMARY KEY,
    instrument text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    owner_tenant text COLLATE "C" NOT NULL,
    owner_did text COLLATE "C" NOT NULL,
    client_order_id text COLLATE "C",
    side text COLLATE "C" NOT NULL CHECK (side IN ('buy', 'sell')),
    type text COLLATE "C" NOT NULL CHECK (type IN ('limit', 'market')),
    time_in_force text COLLATE "C" NOT NULL CHECK (time_in_force IN ('GTC', 'IOC', 'FOK', 'GTD')),
    post_only boolean NOT NULL,
    directed_to text COLLATE "C",
    price numeric(38,0) CHECK (price > 0),
    quantity numeric(38,0) NOT NULL CHECK (quantity > 0),
    filled numeric(38,0) NOT NULL,
    filled_notional numeric(38,0) NOT NULL,
    reserved numeric(38,0) NOT NULL,
    state text COLLATE "C" NOT NULL
      CHECK (state IN ('OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'EXPIRED')),
    ended_because text COLLATE "C",
    expires_at timestamptz,
    placed_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    correlation_id uuid NOT NULL,
    FOREIGN KEY (tenant_id, instrument) REFERENCES market_instruments,
    CHECK (filled BETWEEN 0 AND quantity AND (filled = quantity) = (state = 'FILLED')),
    CHECK ((state IN ${open_states}) = (reserved > 0) AND reserved >= 0),
    CHECK ((state = 'OPEN' AND filled > 0) IS FALSE AND (state = 'PARTIALLY_FILLED' AND filled = 0) IS FALSE),
    CHECK ((type = 'market') = (price IS NULL) AND (time_in_force = 'GTD') = (expires_at IS NOT NULL))
  );
  CREATE INDEX market_orders_lit ON market_orders (tenant_id, instrument, side, (${rank_expression}), seq)
    WHERE state IN ${open_states} AND directed_to IS NULL;
  CREATE INDEX market_orders_of_owner ON market_orders (tenant_id, owner_did, instrument, seq)
    WHERE state IN ${open_states};
  CREATE INDEX market_orders_to ON market_orders (tenant_id, directed_to, instrument, seq)
    WHERE state IN ${open_states} AND directed_to IS NOT NULL;
  CREATE INDEX market_orders_ending ON market_orders (expires_at, order_id)
    WHERE state IN ${open_states} AND expires_at IS NOT NULL;
  CREATE INDEX market_orders_ending_here ON market_orders (tenant_id, instrument, expires_at)
    WHERE state IN ${open_states} AND expires_at IS NOT NULL;
  CREATE UNIQUE INDEX market_orders_client ON market_orders (tenant_id, owner_did, client_order_id)
    WHERE client_order_id IS NOT NULL;
  ${isolateByTenant('market_orders', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE'])}

  -- All that ever changed a book, by its seq: matching it again gives the same trades.
  CREATE TABLE market_order_log (
    tenant_id text COLLATE "C" NOT NULL,
    instrument text COLLATE "C" NOT NULL,
    seq bigint NOT NULL,
    order_id uuid NOT NULL,
    at timestamptz NOT NULL,
    command jsonb NOT NULL,
    PRIMARY KEY (tenant_id, instrument, seq)
  );
  ${isolateByTenant('market_order_log', ['SELECT', 'INSERT'], ['SELECT', 'INSERT'])}
`

const trades = `
  CREATE TABLE market_trades (
    tenant_id text COLLATE "C" NOT NULL,
    trade_id uuid PRIMARY KEY,
    instrument text COLLATE "C" NOT NULL,
    -- The seq of the order that took, and which of its trades this is.
    seq bigint NOT NULL,
    place integer NOT NULL,
    price numeric(38,0) NOT NULL CHECK (price > 0),
    quantity numeric(38,0) NOT NULL CHECK (quantity > 0),
    notional numeric(38,0) NOT NULL CHECK (notional > 0),
    fee numeric(38,0) NOT NULL CHECK (fee >= 0),
    taker_side text COLLATE "C" NOT NULL CHECK (taker_side IN ('buy', 'sell')),
    taker_order_id uuid NOT NULL REFERENCES market_orders,
    maker_order_id uuid NOT NULL REFERENCES market_orders,
    taker_tenant text COLLATE "C" NOT NULL,
    taker_did text COLLATE "C" NOT NULL,
    maker_tenant text COLLATE "C" NOT NULL,
    maker_did text COLLATE "C" NOT NULL,
    directed boolean NOT NULL,
    -- Matched and settled in one transaction: no trade is seen before it is paid.
    state text COLLATE "C" NOT NULL DEFAULT 'SETTLED' CHECK (state = 'SETTLED'),
    journal_id uuid NOT NULL,
    traded_at timestamptz NOT NULL,
    UNIQUE (tenant_id, instrument, seq, place)
  );
  ${isolateByTenant('market_trades', ['SELECT', 'INSERT'], ['SELECT'])}
  -- A contract at home may wait for a trade made elsewhere: what both who traded may know of it leaves by a function alone.
  CREATE FUNCTION svc_trade_state(wanted uuid) RETURNS text LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $state$
    SELECT state FROM market_trades WHERE trade_id = wanted
      AND current_setting('${tenant_setting}', true) IN (tenant_id, taker_tenant, maker_tenant)
  $state$;
  GRANT CREATE ON SCHEMA public TO ${engine_role};
  ALTER FUNCTION svc_trade_state(uuid) OWNER TO ${engine_role};
  REVOKE CREATE ON SCHEMA public FROM ${engine_role};
  REVOKE ALL ON FUNCTION svc_trade_state(uuid) FROM PUBLIC;
  GRANT EXECUTE ON FUNCTION svc_trade_state(uuid) TO ${app_role}, ${engine_role};
`

export const market_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-93-market',
    sql: `
      ${instruments}
      ${orders}
      ${trades}
      -- An order is taken as it is: what it asked for, and of whom, never changes behind its owner's back.
      REVOKE UPDATE ON market_orders FROM ${app_role}, ${engine_role};
      GRANT UPDATE (seq, price, quantity, filled, filled_notional, reserved, state, ended_because, expires_at,
        updated_at, correlation_id) ON market_orders TO ${app_role};
      GRANT UPDATE (reserved, state, ended_because, updated_at) ON market_orders TO ${engine_role};
    `,
  },
]

export const market_rule_migrations: readonly Migration[] = [
  {
    name: '2026-12-06-80-market-rules',
    sql: `
      CREATE TABLE market_rules (
        tenant_id text COLLATE "C" PRIMARY KEY,
        internal_trades boolean NOT NULL,
        set_by text COLLATE "C" NOT NULL,
        set_at timestamptz NOT NULL
      );
      ${isolateByTenant('market_rules', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT'])}
      -- What a change did to the price levels that everybody sees; null for changes from before this was written.
      ALTER TABLE market_order_log ADD COLUMN levels jsonb;
    `,
  },
]
