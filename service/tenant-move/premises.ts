// What has to hold before a tenant is moved. Each refusal says what to do first.
import type { MasterKeySetting } from '@svc/adapters/root-keys/master-key'
import { MasterKeyFault } from '@svc/adapters/root-keys/root-key-store'
import { haveSameRootKeys } from '@svc/adapters/root-keys/shared-root-keys'
import type { Client } from 'pg'
import { ConfigError } from '../settings/config-error.ts'
import { type Connections, databaseOn } from './connections.ts'
import type { Move, MoveOrder } from './order.ts'
import { sentenceOf, tiesOf } from './ties.ts'

export async function requirePremises(order: MoveOrder, is_resumed: boolean): Promise<Move['operators']> {
  const { connections, tenant_ids, master_key } = order
  const { source, target } = connections
  await requireOtherDatabase(source, target)
  await requireSameTables(source, target)
  const operators = {
    source: await operatorOf(source, 'this database'),
    target: await operatorOf(target, '--to'),
  }
  await requireMovable(source, tenant_ids, operators.source)
  if (!is_resumed) await requireRoom(target, tenant_ids)
  await requireSameRootKeys(connections, master_key)
  const ties = await tiesOf(source, tenant_ids, operators.source)
  if (ties.length > 0) throw new ConfigError(ties.map(sentenceOf).join('\n'))
  return operators
}

/** Else what is sealed would not open there. */
export async function requireSameRootKeys(
  { source, target }: Pick<Connections, 'source' | 'target'>,
  master_key: MasterKeySetting,
): Promise<void> {
  const [from, to] = [databaseOn(source), databaseOn(target)]
  const is_same = await haveSameRootKeys(from, to, master_key).catch((error) => {
    throw error instanceof MasterKeyFault ? new ConfigError(error.message) : error
  })
  if (is_same) return
  throw new ConfigError(
    'The two databases have different root keys, so what is sealed here would not open there. After a renewal copy the new one: svc-engine admin root-key copy --to <database>. ' +
      'A database that made its own cannot be used: begin with an empty one, and copy them before the first engine starts there.',
  )
}

async function requireOtherDatabase(source: Client, target: Client): Promise<void> {
  const identify = async (client: Client) => {
    const { rows } = await client.query<{ id: string }>(
      `SELECT system_identifier || '/' || current_database() AS id FROM pg_control_system()`,
    )
    return rows[0]!.id
  }
  if ((await identify(source)) !== (await identify(target))) return
  throw new ConfigError('--to is the database that the tenant lives in; name the other one.')
}

/** The same migrations, so the same tables. */
async function requireSameTables(source: Client, target: Client): Promise<void> {
  const names = async (client: Client) => {
    const there = await client.query<{ journal: string | null }>(
      "SELECT to_regclass('kysely_migration')::text AS journal",
    )
    if (!there.rows[0]!.journal) return ''
    const { rows } = await client.query<{ names: string }>(
      `SELECT string_agg(name, ' ' ORDER BY name) AS names FROM kysely_migration`,
    )
    return rows[0]!.names
  }
  if ((await names(source)) === (await names(target))) return
  throw new ConfigError(
    'The two databases have different tables; run engines of one version on both once, and try again.',
  )
}

async function operatorOf(client: Client, name: string): Promise<string> {
  const { rows } = await client.query<{ operator_tenant: string }>('SELECT operator_tenant FROM svc_operator')
  if (rows[0]) return rows[0].operator_tenant
  throw new ConfigError(`No engine has run on ${name} yet; start one there first.`)
}

async function requireMovable(
  source: Client,
  tenant_ids: readonly string[],
  operator: string,
): Promise<void> {
  const { rows } = await source.query<{ tenant_id: string; there: boolean; sealed: boolean }>(
    `SELECT id AS tenant_id, t.tenant_id IS NOT NULL AS there, coalesce(h.sealed, false) AS sealed
     FROM unnest($1::text[]) AS id LEFT JOIN tenants t ON t.tenant_id = id LEFT JOIN chain_heads h ON h.tenant_id = id`,
    [tenant_ids],
  )
  for (const { tenant_id, there, sealed } of rows) {
    if (!there)
      throw new ConfigError(`There is no tenant ${tenant_id} in this database; look with tenant list.`)
    if (sealed) throw new ConfigError(`${tenant_id} is dissolved and its log is sealed, so it stays here.`)
    if (tenant_id === operator)
      throw new ConfigError(
        `${tenant_id} runs the engines of this database, and every database has its own; it cannot be moved.`,
      )
  }
}

/** Nothing of the tenant is there, or only what it left when it moved away. */
async function requireRoom(target: Client, tenant_ids: readonly string[]): Promise<void> {
  const { rows } = await target.query<{ tenant_id: string; records: string }>(
    `SELECT id AS tenant_id, coalesce(h.seq, 0) AS records FROM unnest($1::text[]) AS id
     LEFT JOIN tenants t ON t.tenant_id = id LEFT JOIN chain_heads h ON h.tenant_id = id
     WHERE (t.tenant_id IS NOT NULL OR h.tenant_id IS NOT NULL) AND NOT EXISTS (
       SELECT FROM tenant_homes w WHERE w.tenant_id = id AND w.state IN ('moved', 'arriving'))`,
    [tenant_ids],
  )
  for (const { tenant_id, records } of rows)
    throw new ConfigError(
      `${tenant_id} exists in --to already, with a log of ${records} records: engines there serve it for those here. A tenant has one log, so it cannot be moved there.`,
    )
}
