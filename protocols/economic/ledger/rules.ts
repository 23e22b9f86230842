// Ledger rules for every writer: triggers, so that no code can bypass them.
/** Error codes of the triggers; store.ts turns them into messages. */
export const ledger_faults = {
  insufficient_funds: 'SV001',
  max_supply: 'SV002',
  foreign_debit: 'SV003',
  unknown_asset: 'SV004',
  not_issuer: 'SV005',
  sealed: 'SV006',
} as const

// Triggers run as the writing role. Only the check at the end of a transaction must see more than that.
export const ledger_rules = `
  CREATE FUNCTION svc_ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $stays$
  BEGIN
    RAISE EXCEPTION 'The ledger is only ever added to; post a compensating journal instead.';
  END $stays$;
  CREATE TRIGGER ledger_entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
    FOR EACH STATEMENT EXECUTE FUNCTION svc_ledger_stays();
  CREATE TRIGGER ledger_journals_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_journals
    FOR EACH STATEMENT EXECUTE FUNCTION svc_ledger_stays();

  -- Only who defined an asset can have issued it, and every account has a balance from its first moment.
  CREATE FUNCTION svc_ledger_opens() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $opens$
  BEGIN
    IF NEW.type = 'issuance' AND (NEW.did <> '' OR
        NOT EXISTS (SELECT FROM assets WHERE asset_id = NEW.asset_id AND tenant_id = NEW.tenant_id)) THEN
      RAISE EXCEPTION USING ERRCODE = '${ledger_faults.not_issuer}', MESSAGE = 'not the issuer',
        DETAIL = jsonb_build_object('tenant_id', NEW.tenant_id, 'asset_id', NEW.asset_id)::text;
    END IF;
    INSERT INTO ledger_balances (account_id, tenant_id, type) VALUES (NEW.id, NEW.tenant_id, NEW.type);
    RETURN NULL;
  END $opens$;
  CREATE TRIGGER ledger_accounts_open AFTER INSERT ON ledger_accounts
    FOR EACH ROW EXECUTE FUNCTION svc_ledger_opens();

  -- Balances move with the entries, locked in the order of accounts, and never because somebody said so.
  CREATE FUNCTION svc_ledger_moves() RETURNS trigger LANGUAGE plpgsql
    SET search_path = pg_catalog, public, pg_temp AS $moves$
  DECLARE
    short record;
  BEGIN
    PERFORM FROM ledger_balances WHERE account_id IN (SELECT account_id FROM moved)
      ORDER BY account_id FOR UPDATE;
    SELECT a.*, b.balance, m.amount, s.max_supply INTO short
      FROM (SELECT account_id, sum(amount) AS amount FROM moved GROUP BY account_id) m
      JOIN ledger_balances b USING (account_id) JOIN ledger_accounts a ON a.id = m.account_id
      JOIN assets s ON s.asset_id = a.asset_id
      WHERE CASE WHEN a.type = 'issuance' THEN -(b.balance + m.amount) > s.max_supply
        ELSE b.balance + m.amount < 0 END
      ORDER BY a.id LIMIT 1;
    IF FOUND THEN
      RAISE EXCEPTION USING MESSAGE = 'the account does not cover this',
        ERRCODE = CASE WHEN short.type = 'issuance' THEN '${ledger_faults.max_supply}'
          ELSE '${ledger_faults.insufficient_funds}' END,
        DETAIL = jsonb_build_object('tenant_id', short.tenant_id, 'did', short.did, 'asset_id', short.asset_id,
          'type', short.type, 'balance', short.balance::text, 'amount', short.amount::text,
          'max_supply', short.max_supply::text)::text;
    END IF;
    UPDATE ledger_balances b SET balance = b.balance + m.amount
      FROM (SELECT account_id, sum(amount) AS amount FROM moved GROUP BY account_id) m
      WHERE b.account_id = m.account_id AND m.amount <> 0;
    RETURN NULL;
  END $moves$;
  CREATE TRIGGER ledger_entries_move AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS moved
    FOR EACH STATEMENT EXECUTE FUNCTION svc_ledger_moves();

  CREATE FUNCTION svc_ledger_balanced() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, public, pg_temp AS $balanced$
  BEGIN
    IF (SELECT sum(amount) FROM ledger_entries WHERE journal_id = NEW.journal_id AND asset_id = NEW.asset_id) <> 0
      OR NOT EXISTS (SELECT FROM ledger_accounts
        WHERE id = NEW.account_id AND asset_id = NEW.asset_id AND tenant_id = NEW.tenant_id) THEN
      RAISE EXCEPTION 'The journal % does not add up to nothing in %.', NEW.journal_id, NEW.asset_id;
    END IF;
    RETURN NULL;
  END $balanced$;
  CREATE CONSTRAINT TRIGGER ledger_entries_balanced AFTER INSERT ON ledger_entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION svc_ledger_balanced();
`
