// The tables of people's roles and of invitations.
import {
  app_role,
  engine_role,
  isolateByTenant,
  type Migration,
  tenant_setting,
} from '@svc/database/migration'

/** What a handler may see of people: never a password's hash. */
const columns_shown =
  'user_id, tenant_id, did, login, name, oidc_issuer, oidc_subject, password_changed_at, disabled_at, created_at'

/** Roles are read with the books, so that a change counts on every engine with its next call. */
function tellBooks(table: string, when: string, row = 'coalesce(NEW.tenant_id, OLD.tenant_id)'): string {
  return `
    CREATE FUNCTION ${table}_tell_books() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM svc_tell_books(${row});
      RETURN NULL;
    END $$;
    CREATE TRIGGER ${table}_books AFTER ${when} ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_tell_books();`
}

export const role_migrations: readonly Migration[] = [
  {
    name: '2026-11-24-30-roles',
    sql: `
      CREATE TABLE roles (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        role text COLLATE "C" NOT NULL CHECK (role ~ '^[a-z][a-z0-9_]{0,31}$'),
        added text[] NOT NULL,
        removed text[] NOT NULL,
        changed_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, role)
      );
      ${isolateByTenant('roles', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT', 'INSERT', 'UPDATE', 'DELETE'])}
      ${tellBooks('roles', 'INSERT OR UPDATE OR DELETE')}

      ALTER TABLE users ADD UNIQUE (tenant_id, user_id);
      CREATE TABLE person_roles (
        tenant_id text COLLATE "C" NOT NULL,
        user_id text NOT NULL,
        role text COLLATE "C" NOT NULL,
        -- By a person or at the shell, or by a claim of the issuer at the last sign-in.
        given text NOT NULL CHECK (given IN ('hand', 'claim')),
        given_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, user_id, role, given),
        FOREIGN KEY (tenant_id, user_id) REFERENCES users (tenant_id, user_id)
      );
      ${isolateByTenant('person_roles', ['SELECT', 'INSERT', 'DELETE'], ['SELECT', 'INSERT', 'DELETE'])}
      ${tellBooks('person_roles', 'INSERT OR UPDATE OR DELETE')}
      ${tellBooks('users', 'UPDATE OF disabled_at, did', 'NEW.tenant_id')}

      GRANT SELECT (${columns_shown}) ON users TO ${app_role};
      -- An operation may end the account of a person of its own organization, and no other.
      CREATE FUNCTION svc_disable_person(person text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public, pg_temp AS $$
      BEGIN
        UPDATE users SET disabled_at = now() WHERE user_id = person AND disabled_at IS NULL
          AND tenant_id = current_setting('${tenant_setting}', true);
        IF NOT FOUND THEN RETURN false; END IF;
        UPDATE sessions SET revoked_at = now() WHERE user_id = person AND revoked_at IS NULL;
        DELETE FROM oauth_payloads WHERE user_id = person;
        UPDATE api_keys SET revoked_at = now() WHERE issued_by = person AND revoked_at IS NULL;
        RETURN true;
      END $$;
      REVOKE ALL ON FUNCTION svc_disable_person(text) FROM PUBLIC;
      GRANT CREATE ON SCHEMA public TO ${engine_role};
      ALTER FUNCTION svc_disable_person(text) OWNER TO ${engine_role};
      REVOKE CREATE ON SCHEMA public FROM ${engine_role};
      GRANT EXECUTE ON FUNCTION svc_disable_person(text) TO ${app_role};
    `,
  },
  {
    name: '2026-11-24-31-invitations',
    sql: `
      CREATE TABLE invitations (
        invitation_id text PRIMARY KEY,
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        -- Of the link's secret part.
        token_hash bytea NOT NULL UNIQUE CHECK (octet_length(token_hash) = 32),
        name text NOT NULL,
        roles text[] NOT NULL,
        -- A DID, or the operator at the shell.
        made_by text NOT NULL,
        made_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        ended_at timestamptz,
        ended_by text CHECK (ended_by IN ('used', 'withdrawn', 'expired')),
        CHECK ((ended_at IS NULL) = (ended_by IS NULL))
      );
      CREATE INDEX invitations_open ON invitations (tenant_id, made_at) WHERE ended_at IS NULL;
      CREATE INDEX invitations_by_expiry ON invitations (expires_at) WHERE ended_at IS NULL;
      ${isolateByTenant('invitations', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'INSERT', 'UPDATE'])}
    `,
  },
  {
    name: '2026-11-24-32-role-claims',
    sql: `
      CREATE TABLE role_claims (
        tenant_id text COLLATE "C" NOT NULL REFERENCES tenants,
        issuer text NOT NULL,
        claim text NOT NULL,
        value text NOT NULL,
        role text COLLATE "C" NOT NULL,
        PRIMARY KEY (tenant_id, issuer, claim, value, role)
      );
      ${isolateByTenant('role_claims', ['SELECT'], ['SELECT', 'INSERT', 'DELETE'])}
    `,
  },
  {
    name: '2026-11-24-62-people-ended',
    sql: `
      -- Also what she made as an agent: keys, sessions and invitations. Its owner and rights stay.
      CREATE OR REPLACE FUNCTION svc_disable_person(person text) RETURNS boolean LANGUAGE plpgsql SECURITY DEFINER
        SET search_path = pg_catalog, public, pg_temp AS $$
      DECLARE
        gone users;
      BEGIN
        UPDATE users SET disabled_at = now() WHERE user_id = person AND disabled_at IS NULL
          AND tenant_id = current_setting('${tenant_setting}', true) RETURNING * INTO gone;
        IF NOT FOUND THEN RETURN false; END IF;
        UPDATE sessions SET revoked_at = now() WHERE user_id = person AND revoked_at IS NULL;
        DELETE FROM oauth_payloads WHERE user_id = person;
        UPDATE api_keys SET revoked_at = now() WHERE tenant_id = gone.tenant_id AND revoked_at IS NULL
          AND (issued_by = person OR made_by = gone.did OR (did = gone.did AND proof_key IS NOT NULL));
        UPDATE invitations SET ended_at = now(), ended_by = 'withdrawn'
          WHERE tenant_id = gone.tenant_id AND made_by = gone.did AND ended_at IS NULL;
        RETURN true;
      END $$;
    `,
  },
]

export const invitation_login_migrations: readonly Migration[] = [
  {
    name: '2026-11-26-71-invitation-login',
    sql: 'ALTER TABLE invitations ADD COLUMN login text CHECK (length(login) <= 128);',
  },
]
