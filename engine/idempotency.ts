// One effect per key: the row that remembers an answer commits in the operation's own transaction, so both exist or neither does.
import { canonicalJson, sha256Hex } from '@svc/contract/canonical-json'
import { isolateByTenant, type Migration } from '@svc/contract/migration'
import type { Database } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { sql } from 'kysely'
import type { Done, Placed } from './call.ts'
import type { HandlerContext } from './handler-context.ts'

const kept_hours = 24
const wait_ms_max = 10_000
/** PostgreSQL's code for a lock not granted within lock_timeout. */
const lock_not_available = '55P03'

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
]

interface Kept {
  caller_did: string
  fingerprint: string
  output_text: string
}

export async function runOnce(
  call: Placed,
  context: HandlerContext,
  key: string,
  effect: () => Promise<Done>,
  wait_ms = wait_ms_max,
): Promise<Done> {
  const fingerprint = fingerprintOf(call)
  const kept = await claimKey(call, context, key, fingerprint, wait_ms)
  if (kept) return replay(call, context, key, kept, fingerprint)
  const done = await effect().catch((thrown) => releaseKey(context, key, thrown))
  const kept_text = context.sealAnswer(key, done.output_text)
  await sql`UPDATE idempotency_keys SET output_text = ${kept_text} WHERE key = ${key}`.execute(context.db)
  await context.commit()
  return done
}

/** A refusal is not remembered, also where it leaves rows behind: the same key may try again. */
async function releaseKey(context: HandlerContext, key: string, thrown: unknown): Promise<never> {
  if (context.keepsRows(thrown))
    await sql`DELETE FROM idempotency_keys WHERE key = ${key}`.execute(context.db)
  throw thrown
}

/** Undefined where the key is now ours. A duplicate in flight waits here, on the row's lock, for the first to commit. */
async function claimKey(
  call: Placed,
  context: HandlerContext,
  key: string,
  fingerprint: string,
  wait_ms: number,
): Promise<Kept | undefined> {
  const { db } = context
  const old = new Date(call.now_ms - kept_hours * 3_600_000)
  try {
    await sql.raw(`SET LOCAL lock_timeout = ${wait_ms}`).execute(db)
    await sql`DELETE FROM idempotency_keys WHERE key = ${key} AND created_at < ${old}`.execute(db)
    const claimed = await sql`
      INSERT INTO idempotency_keys (tenant_id, key, caller_did, fingerprint, created_at)
      VALUES (${call.context.tenant_id}, ${key}, ${call.caller.did}, ${fingerprint}, ${new Date(call.now_ms)})
      ON CONFLICT DO NOTHING RETURNING key`.execute(db)
    if (claimed.rows.length) return undefined
    const found = await sql<Kept>`
      SELECT caller_did, fingerprint, output_text FROM idempotency_keys WHERE key = ${key}`.execute(db)
    if (found.rows[0]) return found.rows[0]
  } catch (error) {
    if ((error as { code?: string }).code !== lock_not_available) throw error
  }
  throw refuse(
    'idempotency_in_flight',
    `Another call with idempotency key ${key} is still running after ${wait_ms / 1000} s; ask again later with the same key.`,
    { reason: 'in flight', retry_after_ms: wait_ms },
  )
}

async function replay(
  call: Placed,
  context: HandlerContext,
  key: string,
  kept: Kept,
  fingerprint: string,
): Promise<Done> {
  if (kept.caller_did !== call.caller.did || kept.fingerprint !== fingerprint) {
    throw refuse(
      'idempotency_key_reused',
      `Idempotency key ${key} was used within ${kept_hours} hours for another request or by another caller; choose a new key.`,
      { reason: kept.caller_did === call.caller.did ? 'another request' : 'another caller' },
    )
  }
  await context.commit()
  return Object.assign(call, {
    output_text: context.openAnswer(key, kept.output_text),
    module_metadata: {},
    used: context.used,
    replayed: true,
  })
}

function fingerprintOf(call: Placed): string {
  const { input, version } = call.asked.request
  return sha256Hex(
    canonicalJson({
      protocol: call.registered.facts.id,
      // As it was asked for: a retry stays the same request when another version is rolled out in between.
      version,
      operation: call.operation.name,
      input,
    }),
  )
}

/** Rows past their day are never replayed; this only gives the space back. Runs as the engine, over all tenants. */
export async function forgetOldKeys(db: Database): Promise<void> {
  await sql`DELETE FROM idempotency_keys WHERE created_at < now() - ${sql.lit(`${kept_hours} hours`)}::interval`.execute(
    db,
  )
}
