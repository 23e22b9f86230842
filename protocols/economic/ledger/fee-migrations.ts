// What fees were ever due, in ten-thousandths of a minor unit, and what of them was charged: never more.
import { app_role, engine_role, isolateByTenant, type Migration } from '@svc/database/migration'

const charges_max = 512

// A payment from escrow is made by either organization, so the payer's sum is reached through one function only.
const charging = `
  CREATE FUNCTION svc_charge_fees(charges jsonb) RETURNS text[] LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $charge$
  DECLARE
    fees text[];
    charge record;
    part numeric;
    sums ledger_fee_sums;
    fee numeric;
  BEGIN
    IF jsonb_array_length(charges) NOT BETWEEN 1 AND ${charges_max} OR EXISTS (SELECT
        FROM jsonb_to_recordset(charges) AS c(amount numeric, bps integer, most numeric)
        WHERE (c.amount > 0 AND c.bps BETWEEN 1 AND 10000 AND c.most >= 0) IS NOT TRUE) THEN
      RAISE EXCEPTION 'Fees are charged on 1 to ${charges_max} payments, each of more than nothing, at 1 to 10000 basis points.';
    END IF;
    -- In one order for all transactions, so that none waits for another in a circle.
    FOR charge IN SELECT c.body->>'tenant_id' AS tenant_id, c.body->>'asset_id' AS asset_id,
        (c.body->>'amount')::numeric AS amount, (c.body->>'bps')::numeric AS bps,
        (c.body->>'most')::numeric AS most, c.n
      FROM jsonb_array_elements(charges) WITH ORDINALITY c(body, n) ORDER BY 1, 2, c.n
    LOOP
      part := charge.amount * charge.bps;
      INSERT INTO ledger_fee_sums AS s (tenant_id, asset_id, exact, charged)
        VALUES (charge.tenant_id, charge.asset_id, part, 0)
        ON CONFLICT (tenant_id, asset_id) DO UPDATE SET exact = s.exact + excluded.exact
        RETURNING s.* INTO sums;
      fee := least(div(sums.exact + 5000, 10000) - sums.charged, charge.most);
      UPDATE ledger_fee_sums s SET charged = s.charged + fee
        WHERE s.tenant_id = charge.tenant_id AND s.asset_id = charge.asset_id AND fee > 0;
      fees[charge.n] := fee::text;
    END LOOP;
    RETURN fees;
  END $charge$;
`

export const fee_migrations: readonly Migration[] = [
  {
    name: '2026-12-07-10-fees-of-sums',
    sql: `
      CREATE TABLE ledger_fee_sums (
        tenant_id text COLLATE "C" NOT NULL,
        asset_id text COLLATE "C" NOT NULL REFERENCES assets,
        exact numeric NOT NULL CHECK (exact > 0 AND exact = trunc(exact)),
        charged numeric NOT NULL CHECK (charged BETWEEN 0 AND div(exact + 5000, 10000)),
        PRIMARY KEY (tenant_id, asset_id)
      );
      ${isolateByTenant('ledger_fee_sums', ['SELECT'], ['SELECT', 'INSERT', 'UPDATE'])}
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ${charging}
      ALTER FUNCTION svc_charge_fees(jsonb) OWNER TO ${engine_role};
      REVOKE ALL ON FUNCTION svc_charge_fees(jsonb) FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION svc_charge_fees(jsonb) TO ${app_role}, ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
    `,
  },
]
