// Sessions and challenges of MACS. The token of a proven session is a key of its agent.

import type { Database } from '@svc/contract/database'
import { isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import { type Challenge, failures_max, type SessionState, session_states } from './challenge.ts'

export const macs_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-51-macs-sessions',
    sql: `
      CREATE TABLE macs_sessions (
        tenant_id text NOT NULL,
        session_id uuid NOT NULL,
        agent_did text NOT NULL,
        opened_by text NOT NULL,
        profile text NOT NULL,
        challenge_kind text NOT NULL,
        state text NOT NULL CHECK (state IN (${session_states.map((state) => `'${state}'`).join(', ')})),
        bad_responses int NOT NULL DEFAULT 0,
        opened_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        token_hash text UNIQUE,
        PRIMARY KEY (tenant_id, session_id)
      );
      CREATE INDEX macs_sessions_of_agent ON macs_sessions (tenant_id, agent_did);
      CREATE INDEX macs_sessions_age ON macs_sessions (expires_at);
      CREATE INDEX macs_sessions_running_out ON macs_sessions (expires_at)
        WHERE state IN ('NEGOTIATED', 'CHALLENGED', 'VERIFIED');
      CREATE TABLE macs_challenges (
        tenant_id text NOT NULL,
        challenge_id uuid NOT NULL,
        session_id uuid NOT NULL,
        agent_did text NOT NULL,
        audience text NOT NULL,
        nonce text NOT NULL,
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        failures int NOT NULL DEFAULT 0,
        is_burnt boolean NOT NULL DEFAULT false,
        PRIMARY KEY (tenant_id, challenge_id),
        FOREIGN KEY (tenant_id, session_id) REFERENCES macs_sessions ON DELETE CASCADE
      );
      CREATE INDEX macs_challenges_of_session ON macs_challenges (tenant_id, session_id);
      CREATE INDEX macs_challenges_of_agent ON macs_challenges (tenant_id, agent_did, issued_at);
      ${isolateByTenant('macs_sessions', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'UPDATE', 'DELETE'])}
      ${isolateByTenant('macs_challenges', ['SELECT', 'INSERT', 'UPDATE'], ['SELECT', 'DELETE'])}
    `,
  },
  // Its token is a key of the agent now, beside the other keys.
  { name: '2026-11-23-11-macs-tokens', sql: 'ALTER TABLE macs_sessions DROP COLUMN token_hash;' },
]

export interface Session {
  readonly session_id: string
  readonly agent_did: string
  readonly opened_by: string
  readonly profile: string
  readonly challenge_kind: string
  readonly state: SessionState
  readonly expires_at: Date
}

export async function openSession(
  db: Database,
  tenant_id: string,
  session: Session,
  now: string,
): Promise<void> {
  await sql`
    INSERT INTO macs_sessions
      (tenant_id, session_id, agent_did, opened_by, profile, challenge_kind, state, opened_at, expires_at)
    VALUES (${tenant_id}, ${session.session_id}, ${session.agent_did}, ${session.opened_by}, ${session.profile},
      ${session.challenge_kind}, ${session.state}, ${now}, ${session.expires_at})`.execute(db)
}

/** Locked until the operation ends, so that counters stay exact. */
export async function lockSession(db: Database, session_id: string): Promise<Session | undefined> {
  return sql<Session>`
    SELECT session_id, agent_did, opened_by, profile, challenge_kind, state, expires_at
    FROM macs_sessions WHERE session_id = ${session_id} FOR UPDATE`.first(db)
}

export interface ChallengeCounts {
  readonly open_in_session: number
  readonly of_agent_in_minute: number
}

/** Serialized across all sessions of an agent. Counted for each opener, so that nobody keeps an agent from proving itself. */
export async function countChallenges(db: Database, session: Session, now: string): Promise<ChallengeCounts> {
  const lock = `macs-challenges:${session.agent_did}`
  await sql`SELECT pg_advisory_xact_lock(hashtextextended(${lock}, 0))`.execute(db)
  const minute_ago = new Date(Date.parse(now) - 60_000)
  const row = await sql<{ open_in_session: string; of_agent_in_minute: string }>`
    SELECT
      (SELECT count(*) FROM macs_challenges
        WHERE session_id = ${session.session_id} AND NOT is_burnt AND expires_at > ${now}::timestamptz) AS open_in_session,
      (SELECT count(*) FROM macs_challenges c JOIN macs_sessions s USING (tenant_id, session_id)
        WHERE c.agent_did = ${session.agent_did} AND s.opened_by = ${session.opened_by}
          AND c.issued_at > ${minute_ago}) AS of_agent_in_minute`.first(db)
  const { open_in_session, of_agent_in_minute } = row!
  return { open_in_session: Number(open_in_session), of_agent_in_minute: Number(of_agent_in_minute) }
}

/** The session lasts at least as long as its newest challenge can be answered. */
export async function keepChallenge(
  db: Database,
  tenant_id: string,
  session_id: string,
  challenge: Challenge,
): Promise<void> {
  const { challenge_id, agent_did, audience, nonce, issued_at, expires_at } = challenge
  await sql`
    INSERT INTO macs_challenges
      (tenant_id, challenge_id, session_id, agent_did, audience, nonce, issued_at, expires_at)
    VALUES (${tenant_id}, ${challenge_id}, ${session_id}, ${agent_did}, ${audience}, ${nonce}, ${issued_at},
      ${expires_at})`.execute(db)
  await sql`
    UPDATE macs_sessions SET expires_at = greatest(expires_at, ${expires_at}::timestamptz),
      state = CASE WHEN state = 'VERIFIED' THEN state ELSE 'CHALLENGED' END
    WHERE session_id = ${session_id}`.execute(db)
}

export interface Challenged {
  readonly challenge: Challenge
  readonly session: Session
}

/** Both locked until the operation ends: equal responses are checked one at a time, the first burns it. */
export async function lockChallenge(db: Database, challenge_id: string): Promise<Challenged | undefined> {
  const rows = await sql<Challenge & Session & { session_expires_at: Date }>`
    SELECT c.challenge_id, c.audience, c.nonce, c.issued_at, c.expires_at, c.failures, c.is_burnt, s.session_id,
      c.agent_did, s.opened_by, s.profile, s.challenge_kind, s.state, s.expires_at AS session_expires_at
    FROM macs_challenges c JOIN macs_sessions s USING (tenant_id, session_id)
    WHERE c.challenge_id = ${challenge_id} FOR UPDATE`.all(db)
  const row = rows[0]
  return row && { challenge: row, session: { ...row, expires_at: row.session_expires_at } }
}

/** Remaining attempts of the challenge. The last failure burns it and fails its session. */
export async function countFailure(db: Database, { challenge, session }: Challenged): Promise<number> {
  const row = await sql<{ failures: number }>`
    UPDATE macs_challenges SET failures = failures + 1, is_burnt = failures + 1 >= ${failures_max}
    WHERE challenge_id = ${challenge.challenge_id} RETURNING failures`.first(db)
  await sql`
    UPDATE macs_sessions SET bad_responses = bad_responses + 1,
      state = CASE WHEN state = 'CHALLENGED' AND bad_responses + 1 >= ${failures_max} THEN 'FAILED' ELSE state END
    WHERE session_id = ${session.session_id}`.execute(db)
  return Math.max(0, failures_max - row!.failures)
}

export async function passChallenge(
  db: Database,
  { session }: Challenged,
  token_expires_at: Date,
): Promise<void> {
  // With it all others of the session: a renewal is answered to a challenge that was issued after the last proof.
  await sql`
    UPDATE macs_challenges SET is_burnt = true
    WHERE session_id = ${session.session_id} AND NOT is_burnt`.execute(db)
  await sql`
    UPDATE macs_sessions SET state = 'VERIFIED', expires_at = ${token_expires_at}
    WHERE session_id = ${session.session_id}`.execute(db)
}

/** Ends every session of a revoked identity. Skips one locked by a response, which ends it itself. */
export async function revokeSessions(db: Database, agent_did: string): Promise<void> {
  await sql`
    UPDATE macs_sessions SET state = 'REVOKED'
    WHERE session_id IN (
      SELECT session_id FROM macs_sessions
      WHERE agent_did = ${agent_did} AND state IN ('NEGOTIATED', 'CHALLENGED', 'VERIFIED')
      FOR UPDATE SKIP LOCKED)`.execute(db)
}

const kept_hours = 24
const swept_at_once_max = 10_000

/** Marks expired sessions and deletes them a day later. Runs as the engine, for all tenants. */
export async function sweepSessions(db: Database, now: string): Promise<void> {
  await sql`
    UPDATE macs_sessions SET state = 'EXPIRED'
    WHERE (tenant_id, session_id) IN (
      SELECT tenant_id, session_id FROM macs_sessions
      WHERE expires_at <= ${now}::timestamptz AND state IN ('NEGOTIATED', 'CHALLENGED', 'VERIFIED')
      LIMIT ${swept_at_once_max} FOR UPDATE SKIP LOCKED)`.execute(db)
  const old = new Date(Date.parse(now) - kept_hours * 3_600_000)
  await sql`
    DELETE FROM macs_sessions
    WHERE (tenant_id, session_id) IN (
      SELECT tenant_id, session_id FROM macs_sessions WHERE expires_at < ${old}
      LIMIT ${swept_at_once_max} FOR UPDATE SKIP LOCKED)`.execute(db)
}
