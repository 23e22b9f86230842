// One effect per key. The row of a key is claimed, the effect runs, and the answer is written into the row. Where the module uses our rows
// all of it is one transaction, so effect and answer exist together or not at all. Where all of it happens outside, no transaction stays
// open: the claim is committed and valid for a while (a lease).

import type { Database } from '@svc/contract/database'
import { asRefusal } from '@svc/database/as-refusal'
import { engine_role, isolateByTenant, type Migration } from '@svc/database/migration'
import { sql } from '@svc/database/sql'
import type { Done, Placed } from '../call.ts'
import type { HandlerContext } from '../handler/handler-context.ts'
import type { Ports, Store } from '../ports.ts'
import { isFirst } from './first-attempt.ts'
import { standInLine, type Wait } from './idempotency-line.ts'
import {
  asDone,
  fingerprintOf,
  heldUp,
  isFinal,
  isHeld,
  oldestKept,
  openAnswer,
  refuseOthers,
  type StoredAnswer,
  sealAnswer,
  stillRunning,
} from './stored-answer.ts'

/** Rows are deleted this much later than their last possible replay: clocks differ. */
const given_back_after_hours = 25
const given_back_at_once_max = 10_000
const sweep_rounds_max = 100
const wait_ms_max = 10_000
const poll_ms = 200
/** What an operation may take beyond its deadline, to be stopped and store its answer. */
const slack_ms = 10_000
/** What was claimed longer ago is not begun any more, so that it ends long before others may claim it. */
const begin_ms_max = slack_ms / 2
/** PostgreSQL's code for a lock not granted within lock_timeout. */
export const lock_not_available = '55P03'
const already_there = '23505'

export const idempotency_migrations: readonly Migration[] = [
  {
    name: '2026-11-15-20-idempotency',
    sql: `
      CREATE TABLE idempotency_keys (
        tenant_id text NOT NULL,
        key text NOT NULL,
        caller_did text NOT NULL,
        fingerprint text NOT NULL,
        output_text text,
        created_at timestamptz NOT NULL,
        PRIMARY KEY (tenant_id, key)
      );
      CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
      ${isolateByTenant('idempotency_keys', ['SELECT', 'INSERT', 'UPDATE', 'DELETE'], ['SELECT', 'DELETE'])}
    `,
  },
  {
    name: '2026-11-15-86-idempotency-leases',
    sql: `
      ALTER TABLE idempotency_keys ADD COLUMN held_by text, ADD COLUMN held_until timestamptz;
      GRANT UPDATE ON idempotency_keys TO ${engine_role};
    `,
  },
]

/** A call with its key, and what stage 7 provides to run it once. */
export interface Keyed {
  readonly call: Placed
  readonly key: string
  readonly context: HandlerContext
  readonly ports: Pick<Ports, 'store' | 'clock' | 'log' | 'custody'>
  readonly deadline_ms: number
  readonly wait: Wait
  readonly wait_ms?: number
}

interface Claim extends Keyed {
  readonly wait_ms: number
  readonly begun_ms: number
  readonly fingerprint: string
  /** It runs outside, or waits for others: no rows are locked meanwhile. */
  readonly is_outside: boolean
}

export async function runOnce(keyed: Keyed, effect: () => Promise<Done>): Promise<Done> {
  const { call, context, key, wait, wait_ms = wait_ms_max, ports } = keyed
  const begun_ms = ports.clock.monotonic_ms()
  const turn = await standInLine<StoredAnswer>(ports.store, `${context.tenant_id} ${key}`, wait_ms, wait)
  if (!turn) throw stillRunning(key, wait_ms)
  let row: StoredAnswer | undefined
  try {
    const is_outside = isOutside(call)
    const claim = { ...keyed, wait_ms, begun_ms, is_outside, fingerprint: fingerprintOf(call) }
    if (isFirst(call) && !is_outside) return await runFirst(claim, effect)
    if (turn.handed && turn.handed.created_at >= oldestKept(call)) row = turn.handed
    else row = is_outside ? await claimLease(claim) : await claimInOperation(claim)
    if (row) return await replay(claim, row)
    const done = await effect().catch((thrown) => release(claim, thrown))
    row = await keepAnswer(claim, done).catch((thrown) => {
      throw is_outside ? asDone(thrown) : thrown
    })
    return done
  } finally {
    turn.left(row)
  }
}

/**
 * Nobody can have asked with this key before, so it is stored with the answer, in one statement at the end: whoever asked after all makes
 * that fail, and the effect with it. What a rollback would not undo waits for the claim first.
 */
async function runFirst(claim: Claim, effect: () => Promise<Done>): Promise<Done> {
  const { call, context, key, wait_ms } = claim
  let claiming: Promise<void> | undefined
  const claimNow = async () => {
    if (await claimInOperation(claim)) throw stillRunning(key, wait_ms)
  }
  context.beforeActing = () => {
    claiming ??= claimNow()
    return claiming
  }
  const done = await effect().catch(async (thrown) => {
    if (claiming) return release(claim, thrown)
    if (context.keepsRows(thrown)) await call.asked.fence?.(context.db)
    throw thrown
  })
  await (claiming?.then(() => keepAnswer(claim, done)) ?? storeAnswer(claim, done))
  return done
}

async function storeAnswer({ call, context, key, wait_ms, fingerprint, ports }: Claim, done: Done) {
  const output_text = sealAnswer(call, key, done.output_text, ports)
  const storing = sql`
    INSERT INTO idempotency_keys
      (tenant_id, key, caller_did, fingerprint, output_text, created_at, held_by, held_until)
    VALUES (${call.context.tenant_id}, ${key}, ${call.caller.did}, ${fingerprint}, ${output_text},
      ${new Date(call.now_ms)}, ${call.record_id}, clock_timestamp())`.execute(context.db)
  const [stored, ...others] = await Promise.allSettled([
    storing,
    call.asked.fence?.(context.db),
    context.commit(),
  ])
  if (stored.status === 'rejected' && (stored.reason as { code?: string }).code === already_there)
    throw stillRunning(key, wait_ms)
  const failed = [stored, ...others].find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** No transaction of ours can undo what it does, or it waits too long to keep one open. */
export function isOutside({ operation, endpoint }: Placed): boolean {
  const { acts_outside, waits } = operation.facts
  return endpoint.kind === 'external' || acts_outside === true || waits === true
}

/** A duplicate in flight elsewhere holds the row's lock until it commits: PostgreSQL does the waiting. */
async function claimInOperation(claim: Claim): Promise<StoredAnswer | undefined> {
  const row = await claimRow(claim, claim.context.db)
  // Only where a protocol has just moved in from outside: waiting here would block the holder of the row.
  if (row && isHeld(claim, row)) throw stillRunning(claim.key, claim.wait_ms)
  return row
}

/** Polls for a duplicate in flight elsewhere, without holding a connection in between. */
async function claimLease(claim: Claim): Promise<StoredAnswer | undefined> {
  const { key, wait_ms, wait, context, ports } = claim
  for (let looks = Math.ceil(wait_ms / poll_ms); looks >= 0; looks--) {
    const asked_ms = ports.clock.monotonic_ms()
    const row = await inTransaction(ports.store, context.tenant_id, (db) => claimRow(claim, db))
    // A process may stand still between its claim and here, and its claim may be another's by now.
    if (!row && ports.clock.monotonic_ms() - asked_ms > begin_ms_max) return release(claim, heldUp(key))
    if (!row || !isHeld(claim, row)) return row
    if (patienceOf(claim) <= poll_ms) break
    await wait(poll_ms)
  }
  throw stillRunning(key, wait_ms)
}

/**
 * Undefined where the key is now ours: new, a day old, or left unfinished by the same request. A lease is judged by the database's clock
 * only: replica clocks differ.
 */
async function claimRow(claim: Claim, db: Database): Promise<StoredAnswer | undefined> {
  const { call, key, fingerprint, deadline_ms } = claim
  const hold_ms = deadline_ms + slack_ms
  try {
    const limiting = sql`SELECT set_config('lock_timeout', ${String(patienceOf(claim))}, true),
      set_config('idle_in_transaction_session_timeout', ${String(hold_ms)}, true)`.execute(db)
    // The operation's own waits are not limited here, so the lock timeout is reset once the row is claimed.
    const claiming = sql`
      INSERT INTO idempotency_keys AS kept
        (tenant_id, key, caller_did, fingerprint, created_at, held_by, held_until)
      VALUES (${call.context.tenant_id}, ${key}, ${call.caller.did}, ${fingerprint}, ${new Date(call.now_ms)},
        ${call.record_id}, clock_timestamp() + ${hold_ms} * interval '1 millisecond')
      ON CONFLICT (tenant_id, key) DO UPDATE SET
        caller_did = excluded.caller_did, fingerprint = excluded.fingerprint, created_at = excluded.created_at,
        held_by = excluded.held_by, held_until = excluded.held_until, output_text = NULL
      WHERE (kept.output_text IS NOT NULL OR kept.held_until < clock_timestamp())
        AND (kept.created_at < ${oldestKept(call)} OR (kept.output_text IS NULL
          AND kept.caller_did = excluded.caller_did AND kept.fingerprint = excluded.fingerprint))
      RETURNING set_config('lock_timeout', '0', true)`.execute(db)
    // Sent behind the claim, so it sees what was committed while that waited for its row.
    const fencing = call.asked.fence?.(db)
    const [limited, claimed, fenced] = await Promise.allSettled([limiting, claiming, fencing])
    if (limited.status === 'rejected') throw limited.reason
    if (claimed.status === 'rejected') throw claimed.reason
    // Also where the key is another's: the failed fence has ended the transaction.
    if (fenced.status === 'rejected') throw fenced.reason
    if (claimed.value.rows.length) return undefined
    const result = await sql<StoredAnswer>`
      SELECT caller_did, fingerprint, created_at, output_text FROM idempotency_keys WHERE key = ${key}`.execute(
      db,
    )
    return result.rows[0]
  } catch (error) {
    if ((error as { code?: string }).code !== lock_not_available) throw error
    throw stillRunning(key, claim.wait_ms)
  }
}

function patienceOf({ wait_ms, begun_ms, ports }: Claim): number {
  return Math.max(1, Math.ceil(wait_ms - (ports.clock.monotonic_ms() - begun_ms)))
}

async function replay(claim: Claim, row: StoredAnswer): Promise<Done> {
  refuseOthers(claim, row)
  const { call, context, key, ports } = claim
  await context.commit()
  return Object.assign(call, {
    output_text: openAnswer(call, key, row.output_text!, ports),
    module_metadata: {},
    used: context.used,
    replayed: true,
  })
}

/** Fenced: a call that outlived its lease must not overwrite its successor. */
async function keepAnswer(claim: Claim, done: Done): Promise<StoredAnswer> {
  const { call, context, key, wait_ms, fingerprint, is_outside, ports } = claim
  const output_text = sealAnswer(call, key, done.output_text, ports)
  const storing = sql`UPDATE idempotency_keys SET output_text = ${output_text}
    WHERE key = ${key} AND held_by = ${call.record_id}`.execute(context.db)
  // A row claimed by this very transaction is ours to its end, so the commit goes with the answer.
  const committing = is_outside ? undefined : context.commit()
  const [stored, committed] = await Promise.allSettled([storing, committing])
  if (stored.status === 'rejected') throw stored.reason
  if (committed.status === 'rejected') throw committed.reason
  if (stored.value.numAffectedRows !== 1n) throw stillRunning(key, wait_ms)
  if (is_outside) await context.commit()
  return { caller_did: call.caller.did, fingerprint, created_at: new Date(call.now_ms), output_text }
}

/** A refusal is not stored, even where it keeps rows: the same key may try again. */
async function release({ call, context, key, is_outside, ports }: Claim, thrown: unknown): Promise<never> {
  const ours = sql`key = ${key} AND held_by = ${call.record_id}`
  const forget = sql`DELETE FROM idempotency_keys WHERE ${ours}`
  if (!is_outside) {
    if (context.keepsRows(thrown)) await forget.execute(context.db)
    throw thrown
  }
  // A failed call may still have had its effect: only the same request may reuse the key, which the remote service knows.
  const expire = sql`UPDATE idempotency_keys SET held_until = clock_timestamp() WHERE ${ours}`
  const given_up = isFinal(asRefusal(thrown)) ? forget : expire
  await inTransaction(ports.store, context.tenant_id, (db) => given_up.execute(db)).catch((error) =>
    ports.log.warn({ err: error, correlation_id: call.correlation_id }, 'a lease was left to run out'),
  )
  throw thrown
}

/** Its own transaction, separate from the operation's. */
export async function inTransaction<R>(
  store: Store,
  tenant_id: string,
  work: (db: Database) => Promise<R>,
): Promise<R> {
  const transaction = store.transaction(tenant_id)
  try {
    const result = await work(transaction.db)
    await transaction.commit([])
    return result
  } catch (error) {
    await transaction.rollback()
    throw error
  }
}

/** Expired rows are never replayed; this only frees space. Runs as the engine, over all tenants. */
export async function forgetOldKeys(db: Database): Promise<void> {
  const age = sql.lit(`${given_back_after_hours} hours`)
  for (let round = 0; round < sweep_rounds_max; round++) {
    // A row being claimed right now is not waited for.
    const { numAffectedRows = 0n } = await sql`
      DELETE FROM idempotency_keys WHERE ctid IN (
        SELECT ctid FROM idempotency_keys WHERE created_at < now() - ${age}::interval
        ORDER BY created_at LIMIT ${sql.lit(given_back_at_once_max)} FOR UPDATE SKIP LOCKED)`.execute(db)
    if (numAffectedRows < given_back_at_once_max) return
  }
}
