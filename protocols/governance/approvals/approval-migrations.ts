// The table of approvals.
import { isolateByTenant, type Migration } from '@svc/database/migration'

export const approval_migrations: readonly Migration[] = [
  {
    name: '2026-11-23-40-approvals',
    sql: `
      CREATE TABLE approvals (
        -- The organization whose people decide.
        tenant_id text COLLATE "C" NOT NULL,
        approval_id uuid NOT NULL,
        state text NOT NULL CHECK (state IN ('PENDING', 'APPROVED', 'USED', 'REFUSED', 'EXPIRED')),
        -- Of caller, operation, major version, target, input and demands: it counts for exactly this.
        call_hash text COLLATE "C" NOT NULL,
        caller_did text COLLATE "C" NOT NULL,
        caller_name text,
        caller_tenant text COLLATE "C" NOT NULL,
        -- The caller, its root and its creator: their consent is the caller's own.
        caller_kin text[] NOT NULL,
        protocol text NOT NULL,
        operation text NOT NULL,
        version text NOT NULL,
        target_tenant text NOT NULL,
        input_hash text NOT NULL,
        input_bytes integer NOT NULL,
        input_shape jsonb NOT NULL,
        -- Sealed, and deleted with the row. Null where it is not retained.
        input_sealed bytea,
        input_key bytea,
        cost_micro_usd bigint NOT NULL,
        effects jsonb NOT NULL,
        demands jsonb NOT NULL,
        -- All DIDs and roles of the demands, to find what somebody can decide.
        decider_dids text[] NOT NULL,
        decider_roles text[] NOT NULL,
        decisions jsonb NOT NULL DEFAULT '[]',
        correlation_id text NOT NULL,
        requested_at timestamptz NOT NULL,
        decide_until timestamptz NOT NULL,
        use_ms bigint NOT NULL,
        use_until timestamptz,
        -- The record of the call that used it, and the digest of its idempotency key.
        used_by uuid,
        used_key text,
        ended_at timestamptz,
        ended_reason text,
        PRIMARY KEY (tenant_id, approval_id)
      );
      CREATE UNIQUE INDEX approvals_live ON approvals (tenant_id, call_hash) WHERE state IN ('PENDING', 'APPROVED');
      CREATE INDEX approvals_by_call ON approvals (tenant_id, call_hash, requested_at);
      CREATE INDEX approvals_pending ON approvals (tenant_id, caller_did) WHERE state = 'PENDING';
      CREATE INDEX approvals_listed ON approvals (tenant_id, requested_at, approval_id);
      CREATE INDEX approvals_due ON approvals (coalesce(use_until, decide_until)) WHERE state IN ('PENDING', 'APPROVED');
      CREATE INDEX approvals_ended ON approvals (ended_at) WHERE ended_at IS NOT NULL;
      ${isolateByTenant('approvals', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE', 'DELETE'])}
    `,
  },
]
