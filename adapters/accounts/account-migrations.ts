// The tables behind the login: people, their browser sessions, the OAuth server's state and its signing keys.
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { changes_channel } from '../access/api-keys.ts'

const engine_may = `SELECT, INSERT, UPDATE, DELETE`

/** Notifies every replica on commit that its cached copy is stale. */
function tellChange(table: string, kind: string, id: string, when: string): string {
  return `
    CREATE FUNCTION ${table}_told() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('${changes_channel}', '${kind}:' || ${id});
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${table}_tell AFTER ${when} EXECUTE FUNCTION ${table}_told();`
}

export const account_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-20-accounts',
    sql: `
      CREATE TABLE users (
        user_id text PRIMARY KEY,
        tenant_id text NOT NULL REFERENCES tenants,
        did text NOT NULL,
        login text NOT NULL CHECK (login = lower(login)),
        name text,
        password_hash bytea CHECK (octet_length(password_hash) = 32),
        password_salt bytea CHECK (octet_length(password_salt) >= 16),
        password_cost jsonb,
        password_changed_at timestamptz,
        oidc_issuer text,
        oidc_subject text,
        disabled_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        CHECK ((oidc_issuer IS NULL) = (oidc_subject IS NULL)),
        CHECK ((password_hash IS NULL) = (password_salt IS NULL) AND (password_hash IS NULL) = (password_cost IS NULL))
      );
      CREATE UNIQUE INDEX users_by_login ON users (login);
      CREATE UNIQUE INDEX users_by_subject ON users (oidc_issuer, oidc_subject) WHERE oidc_issuer IS NOT NULL;
      CREATE INDEX users_of_tenant ON users (tenant_id, login);
      ${isolateByTenant('users', [], ['SELECT', 'INSERT', 'UPDATE'])}
      ${tellChange('users', 'user', 'NEW.user_id', 'UPDATE OF disabled_at, did, password_hash ON users FOR EACH ROW')}

      CREATE TABLE sessions (
        session_id text PRIMARY KEY,
        token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
        user_id text NOT NULL REFERENCES users,
        tenant_id text NOT NULL REFERENCES tenants,
        created_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        revoked_at timestamptz
      );
      CREATE INDEX sessions_of_user ON sessions (user_id);
      CREATE INDEX sessions_by_expiry ON sessions (expires_at);
      ${isolateByTenant('sessions', [], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
      ${tellChange('sessions', 'session', `encode(NEW.token_hash, 'hex')`, 'UPDATE OF revoked_at ON sessions FOR EACH ROW')}
    `,
  },
  {
    name: '2026-11-15-21-oauth',
    sql: `
      CREATE TABLE oauth_payloads (
        model text NOT NULL,
        id_hash bytea NOT NULL,
        payload bytea NOT NULL,
        grant_hash bytea,
        uid_hash bytea,
        user_id text,
        consumed_at timestamptz,
        created_at timestamptz NOT NULL DEFAULT now(),
        expires_at timestamptz,
        PRIMARY KEY (model, id_hash)
      );
      CREATE INDEX oauth_payloads_of_grant ON oauth_payloads (grant_hash) WHERE grant_hash IS NOT NULL;
      CREATE INDEX oauth_payloads_by_uid ON oauth_payloads (uid_hash) WHERE uid_hash IS NOT NULL;
      CREATE INDEX oauth_payloads_by_expiry ON oauth_payloads (expires_at) WHERE expires_at IS NOT NULL;
      CREATE INDEX oauth_payloads_of_user ON oauth_payloads (user_id) WHERE user_id IS NOT NULL;
      GRANT ${engine_may} ON oauth_payloads TO ${engine_role};
      ${tellChange('oauth_payloads', 'grant', `encode(OLD.id_hash, 'hex')`, `DELETE ON oauth_payloads FOR EACH ROW WHEN (OLD.model = 'Grant')`)}

      CREATE TABLE oauth_signing_keys (
        kid text PRIMARY KEY,
        public_key text NOT NULL,
        sealed_seed bytea NOT NULL,
        created_at timestamptz NOT NULL
      );
      GRANT SELECT, INSERT ON oauth_signing_keys TO ${engine_role};

      CREATE TABLE sign_in_attempts (
        subject text PRIMARY KEY,
        failures integer NOT NULL,
        last_at timestamptz NOT NULL,
        blocked_until timestamptz
      );
      CREATE INDEX sign_in_attempts_by_time ON sign_in_attempts (last_at);
      GRANT ${engine_may} ON sign_in_attempts TO ${engine_role};
    `,
  },
  {
    name: '2026-11-15-22-keys-of-a-did',
    sql: `CREATE INDEX api_keys_of_did ON api_keys (tenant_id, did, created_at);`,
  },
  {
    name: '2026-11-15-23-keys-of-a-person',
    sql: `
      ALTER TABLE api_keys ADD COLUMN issued_by text REFERENCES users;
      CREATE INDEX api_keys_issued_by ON api_keys (issued_by) WHERE issued_by IS NOT NULL;
    `,
  },
]
