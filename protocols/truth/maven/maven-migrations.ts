// Claims by hash, and the attacks between them. Their text is sealed content; here are keyed hashes only.
import { app_role, isolateByTenant, type Migration } from '@svc/database/migration'

const claims = `
  CREATE TABLE maven_claims (
    tenant_id text COLLATE "C" NOT NULL,
    claim_id text COLLATE "C" NOT NULL CHECK (claim_id ~ '^[0-9a-f]{64}$'),
    issuer_did text COLLATE "C" NOT NULL,
    topic text COLLATE "C" NOT NULL,
    -- The same for whoever says the same thing.
    said_key text COLLATE "C" NOT NULL,
    -- The same for all answers to one question that has one answer at a time; null where it may have several.
    question_key text COLLATE "C",
    confidence double precision NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    valid tstzrange NOT NULL CHECK (NOT isempty(valid)),
    supersedes text COLLATE "C",
    superseded_by text COLLATE "C",
    retracted boolean NOT NULL DEFAULT false,
    embargo_until timestamptz,
    status text NOT NULL CHECK (status IN ('accepted', 'rejected', 'undecided', 'superseded', 'embargoed')),
    proof jsonb NOT NULL,
    attested_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, claim_id)
  );
  CREATE INDEX maven_claims_of_question ON maven_claims (tenant_id, question_key, claim_id)
    WHERE question_key IS NOT NULL;
  CREATE INDEX maven_claims_said ON maven_claims (tenant_id, said_key, attested_at);
  CREATE INDEX maven_claims_embargoed ON maven_claims (tenant_id, embargo_until) WHERE status = 'embargoed';
  CREATE TABLE maven_attacks (
    tenant_id text COLLATE "C" NOT NULL,
    from_id text COLLATE "C" NOT NULL,
    to_id text COLLATE "C" NOT NULL CHECK (to_id <> from_id),
    kind text NOT NULL CHECK (kind IN ('rebut', 'undercut', 'undermine')),
    -- Empty where it follows from the claims themselves.
    raised_by text COLLATE "C" NOT NULL,
    raised_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, from_id, to_id, kind, raised_by)
  );
  CREATE INDEX maven_attacks_on ON maven_attacks (tenant_id, to_id, from_id);
  ${isolateByTenant('maven_claims', ['SELECT', 'INSERT'], ['SELECT'])}
  GRANT UPDATE (status, superseded_by, retracted) ON maven_claims TO ${app_role};
  ${isolateByTenant('maven_attacks', ['SELECT', 'INSERT'], ['SELECT'])}
`

const citations = `
  CREATE TABLE maven_citations (
    tenant_id text COLLATE "C" NOT NULL,
    citation_id text COLLATE "C" NOT NULL CHECK (citation_id ~ '^[0-9a-f]{64}$'),
    source_ref text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    in_ref text COLLATE "C",
    cited_by text COLLATE "C" NOT NULL,
    cited_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, citation_id)
  );
  ${isolateByTenant('maven_citations', ['SELECT', 'INSERT'], ['SELECT'])}
`

export const maven_migrations: readonly Migration[] = [
  { name: '2026-11-17-30-claims', sql: claims },
  { name: '2026-11-17-31-citations', sql: citations },
]
