// Webhooks as an organization sets them, by operations.
import { isIP } from 'node:net'
import type { ListedWebhook, Webhooks } from '@svc/contract/needs/webhooks'
import type { OperationContext } from '@svc/contract/operation-context'
import { sql } from '@svc/database/sql'
import type { Keystore } from '@svc/engine/ports'
import { boundOf } from '../access/bounded-credential.ts'
import { type AddressGuard, bareHost, refusedBeforehand } from '../outbound/address-guard.ts'
import { secretName } from './message.ts'

const columns = sql`name, address, event_types, set_by, set_at, last_delivered_at, last_failure, next_at,
  waiting_since, stopped_at`

interface Parts {
  readonly custody: Pick<Keystore, 'vault'>
  readonly guard: AddressGuard
}

export function webhooksOfTenant(
  { db, tenant_id }: Pick<OperationContext, 'db' | 'tenant_id'>,
  { custody, guard }: Parts,
  key_id: string,
): Webhooks {
  const seal = (name: string, secret: string) => custody.vault(tenant_id).seal(secretName(name), secret)
  return {
    async whyNot() {
      const bound = await boundOf(db, tenant_id, key_id)
      if (bound === 'workload') return 'it is the session of a workload, and a webhook outlives it'
      return bound && 'this key is bounded, and a webhook would not be'
    },
    whyNotTo(address) {
      const is_literal = isIP(bareHost(address)) !== 0
      // Where a name leads is only known when something is sent.
      if (address.protocol === 'http:' && !is_literal) return 'only https is asked'
      return refusedBeforehand(address, guard)
    },
    async lockAndCount() {
      await sql`SELECT pg_advisory_xact_lock(hashtextextended(${`webhooks|${tenant_id}`}, 0))`.execute(db)
      const row = await sql<{ count: number }>`
        SELECT count(*)::int AS count FROM webhooks WHERE tenant_id = ${tenant_id}`.first(db)
      return row!.count
    },
    find: (name) =>
      sql<ListedWebhook>`
        SELECT ${columns} FROM webhooks WHERE tenant_id = ${tenant_id} AND name = ${name}`.first(db),
    list: () =>
      sql<ListedWebhook>`
        SELECT ${columns} FROM webhooks WHERE tenant_id = ${tenant_id} ORDER BY name`.all(db),
    async add({ name, address, event_types, secret, set_by, seq, at }) {
      const { sealed, wrapped_key } = seal(name, secret)
      await sql`
        INSERT INTO webhooks (tenant_id, name, address, event_types, sealed_secret, wrapped_key, set_by, set_at, seq)
        VALUES (${tenant_id}, ${name}, ${address}, ${event_types}::text[], ${sealed}, ${wrapped_key}, ${set_by}, ${at},
          ${seq})`.execute(db)
    },
    async change({ name, address, event_types, secret, set_by, at }) {
      const box = secret === undefined ? undefined : seal(name, secret)
      // Whoever delivers now loses its turn, so that nothing more goes to the former address.
      await sql`
        UPDATE webhooks SET address = ${address}, event_types = ${event_types}::text[], set_by = ${set_by},
          set_at = ${at}, sealed_secret = coalesce(${box?.sealed ?? null}::bytea, sealed_secret),
          wrapped_key = coalesce(${box?.wrapped_key ?? null}::bytea, wrapped_key), failures = 0, failing_since = NULL,
          last_failure = NULL, next_at = NULL, stopped_at = NULL, taken_by = NULL, taken_until = '-infinity'
        WHERE tenant_id = ${tenant_id} AND name = ${name}`.execute(db)
    },
    async remove(name) {
      await sql`DELETE FROM webhooks WHERE tenant_id = ${tenant_id} AND name = ${name}`.execute(db)
    },
  }
}
