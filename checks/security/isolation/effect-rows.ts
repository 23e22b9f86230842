// The rival's rows in the tables of workflows, actions and stops.

const run_id = "'6a1c1d6e-8a52-4b8f-9d5e-0d9c1d1f7a10'"

const manifest = `INSERT INTO moon_manifest (tenant_id, ref, name, version, recipe_id, manifest, submitted_by, submitted_at,
    is_active) VALUES ('rival', 'moon://manifest/x', 'x', '1.0.0', 'x', 'x', 'x', now(), true)`
const run = `INSERT INTO moon_run (tenant_id, run_id, manifest_ref, owner_did, state, acting, input, correlation_id, depth,
    created_at) VALUES ('rival', ${run_id}, 'moon://manifest/x', 'x', 'waiting', 'x', 'x', 'x', 0, now())`

/** Each row includes what it references, because each is tried alone. */
export const effect_rows: Readonly<Record<string, string>> = {
  moon_manifest: manifest,
  moon_run: `WITH m AS (${manifest}) ${run}`,
  moon_step: `WITH m AS (${manifest}), r AS (${run}) INSERT INTO moon_step (tenant_id, run_id, path, seq, state, attempt, started_at, elapsed_ms)
    VALUES ('rival', ${run_id}, 'x', 1, 'waiting', 1, now(), 0)`,
  moon_signal: `WITH m AS (${manifest}), r AS (${run}) INSERT INTO moon_signal (tenant_id, run_id, name, payload, sent_by, sent_at)
    VALUES ('rival', ${run_id}, 'x', 'x', 'x', now())`,
  moon_attempt: `WITH m AS (${manifest}), r AS (${run}) INSERT INTO moon_attempt (tenant_id, run_id, path, seq, attempt, started_at,
    ended_at, elapsed_ms, error_code, result) VALUES ('rival', ${run_id}, 'x', 1, 1, now(), now(), 0, 'x', 'x')`,
  maker_action: `INSERT INTO maker_action (tenant_id, action_id, action_kind, owner_did, state, ask, acting, stop_token,
    irreversible, grace_ms, correlation_id, created_at, deadline_at)
    VALUES ('rival', 'x', 'x', 'x', 'stopped', 'x', 'x', 'x', false, 0, 'x', now(), now())`,
  stop_latch: `INSERT INTO stop_latch (tenant_id, scope, scope_id, epoch, is_set, stop_ref, set_by, set_at)
    VALUES ('rival', 'agent', 'x', 1, false, 'x', 'x', now())`,
}
