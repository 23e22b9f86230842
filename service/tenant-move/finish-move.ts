// The end of a move in the source, and the way back before its switch.
import type { Client } from 'pg'
import { recordChange } from '../admin/record.ts'
import { ConfigError } from '../settings/config-error.ts'
import { databaseOn, transaction } from './connections.ts'
import { endCredit } from './copy-ledger.ts'
import { isLedger, isLog } from './copying.ts'
import { dropFence } from './fence.ts'
import { changeState, leaveStates, stateOf } from './homes.ts'
import type { Move, MoveOrder } from './order.ts'
import { noteStep, tellEngines } from './order.ts'
import { kept_tables, shared_tables, type Table, tenantTables } from './tables.ts'

/** The tenant lives in the target; here its rows end in one transaction, but for its log. */
export async function finishMove(move: Move): Promise<void> {
  const { connections, tenant_ids, move_id, tables, operators, operator, target_place: to } = move
  const { source, target } = connections
  await transaction(source, async () => {
    await changeState(source, tenant_ids, move_id, ['moving', 'moved'])
    await source.query("SET LOCAL svc.tenant_move = 'ending'")
    const at = new Date(operator.clock.now_ms()).toISOString()
    await endCredit(source, { operator_tenant_id: operators.source, move_id, at }, tenant_ids)
    await source.query('SET LOCAL session_replication_role = replica')
    for (const table of tables) if (isRemoved(table)) await removeRows(source, table, tenant_ids)
    await source.query('UPDATE audit_keys SET sealed_private = NULL WHERE tenant_id = ANY($1)', [tenant_ids])
    await source.query('UPDATE api_keys SET issued_by = NULL WHERE tenant_id = ANY($1)', [tenant_ids])
    await source.query('SET LOCAL session_replication_role = origin')
    for (const tenant_id of tenant_ids)
      await recordChange(databaseOn(source), operator, {
        tenant_id: operators.source,
        command: 'tenant move',
        meta: { step: 'ended', move_id, moved_tenant_id: tenant_id, to },
      })
    await source.query('DELETE FROM tenant_move_confirmations WHERE move_id = $1', [move_id])
    await tellEngines(source, tenant_ids)
  })
  await dropFence(source)
  await leaveStates(target, tenant_ids, move_id)
}

function isRemoved({ name }: Table): boolean {
  return !isLog(name) && !isLedger(name) && !(kept_tables as readonly string[]).includes(name)
}

/** A shared row stays with the organization that stays. */
async function removeRows(source: Client, { name }: Table, tenant_ids: readonly string[]): Promise<void> {
  const others = (shared_tables[name] ?? []).map((column) => ` AND ${column} = ANY($1)`).join('')
  // unchecked sql: a table of the catalogue
  await source.query(`DELETE FROM "${name}" WHERE tenant_id = ANY($1)${others}`, [tenant_ids])
}

/** Only before the switch. What is in the target ends first: then the transaction that copies there cannot commit. */
export async function backOut(order: MoveOrder): Promise<string> {
  const { connections, tenant_ids } = order
  const { source, target } = connections
  const begun = await stateOf(source, tenant_ids)
  if (begun?.state !== 'copying' && begun?.state !== 'moving')
    throw new ConfigError(`${tenant_ids.join(', ')} is not being moved, so there is nothing to take back.`)
  const { move_id } = begun
  await endArrival(target, tenant_ids, move_id)
  await dropFence(source)
  await transaction(source, async () => {
    await source.query('UPDATE chain_heads SET moved = false WHERE tenant_id = ANY($1)', [tenant_ids])
    await leaveStates(source, tenant_ids, move_id)
    await source.query('DELETE FROM tenant_move_confirmations WHERE move_id = $1', [move_id])
    await noteStep({ ...order, move_id }, source, 'taken back')
  })
  return move_id
}

/** After a failure: nothing was switched, so calls are served here as before, and the move can be repeated. */
export async function serveAgain({ connections, tenant_ids, move_id }: Move): Promise<void> {
  const { source, target } = connections
  await transaction(target, async () => {
    // Waits for a commit whose answer was lost.
    const { rows } = await target.query<{ state: string }>(
      'SELECT state FROM tenant_homes WHERE tenant_id = ANY($1) AND move_id = $2 FOR UPDATE',
      [tenant_ids, move_id],
    )
    if (rows.some(({ state }) => state !== 'arriving'))
      throw new Error('the tenant lives in the target already')
    await dropFence(source)
    await transaction(source, async () => {
      await source.query('UPDATE chain_heads SET moved = false WHERE tenant_id = ANY($1)', [tenant_ids])
      await source.query('DELETE FROM tenant_move_confirmations WHERE move_id = $1', [move_id])
      await changeState(source, tenant_ids, move_id, ['moving', 'copying'])
    })
  })
}

const other_mover_ms = 10_000

async function endArrival(target: Client, tenant_ids: readonly string[], move_id: string): Promise<void> {
  await transaction(target, async () => {
    await target.query(`SET LOCAL lock_timeout = ${other_mover_ms}`)
    const { rows } = await target.query<{ tenant_id: string; state: string; was_here: boolean }>(
      `SELECT h.tenant_id, h.state, coalesce(c.moved, false) AS was_here FROM tenant_homes h LEFT JOIN chain_heads c USING (tenant_id)
       WHERE h.tenant_id = ANY($1) AND h.move_id = $2 FOR UPDATE OF h`,
      [tenant_ids, move_id],
    )
    if (rows.some(({ state }) => state === 'live'))
      throw new ConfigError(
        'The tenant lives in the target already; repeat tenant move without --back-out to finish.',
      )
    // It has lived there before: its log is still there.
    const returned = rows.filter(({ was_here }) => was_here).map(({ tenant_id }) => tenant_id)
    const others = rows.filter(({ was_here }) => !was_here).map(({ tenant_id }) => tenant_id)
    await target.query("UPDATE tenant_homes SET state = 'moved' WHERE tenant_id = ANY($1)", [returned])
    await leaveStates(target, others, move_id)
    await target.query('SET LOCAL session_replication_role = replica')
    await target.query('DELETE FROM audit_pages WHERE tenant_id = ANY($1)', [others])
    await target.query('DELETE FROM audit_terms WHERE tenant_id = ANY($1)', [others])
  })
}

/** Removes what the source still has of a tenant that has moved: all but the end of its log, which takes no record any more. */
export async function cleanSource(source: Client, tenant_ids: readonly string[]): Promise<void> {
  const current = await stateOf(source, tenant_ids)
  if (current?.state !== 'moved')
    throw new ConfigError(
      `${tenant_ids.join(', ')} was not moved away from this database, so nothing is removed.`,
    )
  const tables = await tenantTables(source)
  await transaction(source, async () => {
    await source.query('SET LOCAL session_replication_role = replica')
    for (const table of tables) {
      const stays =
        isLedger(table.name) ||
        table.name === 'chain_heads' ||
        table.name === 'tenants' ||
        table.name === 'audit_salts'
      if (!stays) await removeRows(source, table, tenant_ids)
    }
  })
}
