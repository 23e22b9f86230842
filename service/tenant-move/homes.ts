// The recorded state of a move, in both databases: enough to go on with it, or to take it back, after a kill at any point.
import type { HomeState, TenantHome } from '@svc/adapters/access/tenant-homes'
import type { Client } from 'pg'
import { ConfigError } from '../settings/config-error.ts'

async function readHomes(client: Client, tenant_ids: readonly string[]): Promise<TenantHome[]> {
  const { rows } = await client.query<TenantHome>(
    'SELECT tenant_id, move_id, state, other FROM tenant_homes WHERE tenant_id = ANY($1) ORDER BY tenant_id',
    [tenant_ids],
  )
  return rows
}

/** All tenants of a move go through its states together. Undefined where none is being moved. */
export async function stateOf(
  client: Client,
  tenant_ids: readonly string[],
): Promise<{ readonly state: HomeState; readonly move_id: string; readonly other: string } | undefined> {
  const homes = await readHomes(client, tenant_ids)
  const [first] = homes
  if (!first) return undefined
  const is_one =
    homes.length === tenant_ids.length &&
    homes.every(({ state, move_id }) => state === first.state && move_id === first.move_id)
  if (is_one) return first
  throw new ConfigError(
    `${homes.map(({ tenant_id, state }) => `${tenant_id} is ${state}`).join(', ')}: name the same tenants as when the move was begun.`,
  )
}

export async function enterState(
  client: Client,
  tenant_ids: readonly string[],
  home: { readonly state: HomeState; readonly move_id: string; readonly other: string },
): Promise<void> {
  await client.query(
    `INSERT INTO tenant_homes (tenant_id, move_id, state, other) SELECT tenant_id, $2, $3, $4 FROM unnest($1::text[]) AS tenant_id
     ON CONFLICT (tenant_id) DO UPDATE SET move_id = excluded.move_id, state = excluded.state, other = excluded.other, since = now()`,
    [tenant_ids, home.move_id, home.state, home.other],
  )
}

/** Throws where another command has changed it meanwhile. */
export async function changeState(
  client: Client,
  tenant_ids: readonly string[],
  move_id: string,
  [from, to]: readonly [HomeState, HomeState],
): Promise<void> {
  const { rowCount } = await client.query(
    'UPDATE tenant_homes SET state = $4, since = now() WHERE tenant_id = ANY($1) AND move_id = $2 AND state = $3',
    [tenant_ids, move_id, from, to],
  )
  if (rowCount !== tenant_ids.length)
    throw new ConfigError(
      'Another command has changed this move meanwhile; look with tenant show, and try again.',
    )
}

export async function leaveStates(
  client: Client,
  tenant_ids: readonly string[],
  move_id: string,
): Promise<void> {
  await client.query('DELETE FROM tenant_homes WHERE tenant_id = ANY($1) AND move_id = $2', [
    tenant_ids,
    move_id,
  ])
}
