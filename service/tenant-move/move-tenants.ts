// Moves tenants to another database. Each step can be repeated; the commit in the target is the one that decides.
import { setTimeout as pause } from 'node:timers/promises'
import { system_clock } from '@svc/adapters/clock/system'
import { openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import { holdRootKeys } from '@svc/adapters/root-keys/shared-root-keys'
import { journalStates } from '@svc/audit/journal/journal-position'
import { clientQuery } from '@svc/audit/query/client-query'
import type { Client } from 'pg'
import { ConfigError } from '../settings/config-error.ts'
import { type Connections, databaseOn, transaction } from './connections.ts'
import { openCredit } from './copy-ledger.ts'
import { clearTarget, copyPages, copyTenants } from './copy-tenant.ts'
import { type Copying, isLog } from './copying.ts'
import { raiseFence } from './fence.ts'
import { finishMove, serveAgain } from './finish-move.ts'
import { changeState, enterState, stateOf } from './homes.ts'
import { type Move, type Moved, type MoveOrder, noteStep, tellEngines } from './order.ts'
import { requirePremises, requireSameRootKeys } from './premises.ts'
import { tenantTables } from './tables.ts'
import { verifyCopy } from './verify.ts'

const confirm_look_ms = 50
const pages_at_once = 256

export async function moveTenants(order: MoveOrder): Promise<Moved> {
  const { connections, tenant_ids, operator, target_place } = order
  const { source, target } = connections
  await requireAlone(source)
  const tables = await tenantTables(source)
  const begun = await stateOf(source, tenant_ids)
  if (begun?.state === 'moved')
    throw new ConfigError(
      `${tenant_ids.join(', ')} lives in ${begun.other} already. To bring it back, move it from there.`,
    )
  if (begun && begun.other !== target_place && begun.state !== 'live')
    throw new ConfigError(
      `${tenant_ids.join(', ')} is being moved to ${begun.other}: go on with that --to, or use --back-out.`,
    )
  const resumed = begun?.state === 'copying' || begun?.state === 'moving' ? begun : undefined
  const move_id = resumed?.move_id ?? operator.clock.uuid()
  const arrived = resumed && (await stateOf(target, tenant_ids))
  if (arrived?.state === 'live' && arrived.move_id === move_id) {
    const operators = await requireOperators(connections)
    await finishMove({ ...order, move_id, tables, operators })
    return { move_id, rows: 0, records: 0, readonly_ms: undefined }
  }
  const operators = await requirePremises(order, resumed !== undefined)
  const move: Move = { ...order, move_id, tables, operators }
  await begin(move, resumed?.state)
  return await carryOut(move)
}

async function carryOut(move: Move): Promise<Moved> {
  const { reached } = move
  await reached?.('begun')
  const pages = await copyHistory(move)
  await reached?.('pages')
  const stopped_ms = await stop(move)
  const checked = await withoutCalls(move, pages).catch(async (error: Error) => {
    await serveAgain(move).catch((cause) => {
      throw new ConfigError(
        `${error.message} Calls stay refused (${cause.message}): repeat this command, or take the move back with --back-out.`,
      )
    })
    throw error
  })
  const readonly_ms =
    stopped_ms === undefined ? undefined : Math.round(system_clock.monotonic_ms() - stopped_ms)
  await reached?.('switched')
  await finishMove(move)
  await reached?.('ended')
  return { move_id: move.move_id, ...checked, readonly_ms }
}

/** The seconds in which no call of these tenants is taken anywhere. */
async function withoutCalls(move: Move, pages: ReadonlyMap<string, number>) {
  const { connections, tenant_ids, tables, reached } = move
  const { source } = connections
  await reached?.('moving')
  await awaitEngines(move)
  await reached?.('confirmed')
  const fenced = tables.filter(({ name }) => !isLog(name))
  await raiseFence(source, fenced, tenant_ids)
  await reached?.('fenced')
  await source.query('UPDATE chain_heads SET moved = true WHERE tenant_id = ANY($1)', [tenant_ids])
  await reached?.('frozen')
  return await copyRest(move, pages)
}

const one_mover_key = 'svc tenant move'

/** One move at a time for a database: its triggers and their names are one. */
async function requireAlone(source: Client): Promise<void> {
  const { rows } = await source.query<{ taken: boolean }>(
    'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS taken',
    [one_mover_key],
  )
  if (!rows[0]!.taken)
    throw new ConfigError('Another command is moving a tenant of this database; wait until it has ended.')
}

async function requireOperators({ source, target }: Connections): Promise<Move['operators']> {
  const of = async (client: Client) => {
    const { rows } = await client.query<{ operator_tenant: string }>(
      'SELECT operator_tenant FROM svc_operator',
    )
    return rows[0]!.operator_tenant
  }
  return { source: await of(source), target: await of(target) }
}

/** The source knows first: whatever is in the target, it still lives here. */
async function begin(move: Move, resumed: string | undefined): Promise<void> {
  const { connections, tenant_ids, move_id, source_place, target_place } = move
  const { source, target } = connections
  if (!resumed)
    await transaction(source, async () => {
      await enterState(source, tenant_ids, { state: 'copying', move_id, other: target_place })
      await noteStep(move, source, 'begun')
    })
  await enterState(target, tenant_ids, { state: 'arriving', move_id, other: source_place })
}

/** Full pages of the log never change, so they are copied while the tenant is served. */
async function copyHistory(move: Move): Promise<Map<string, number>> {
  const { connections, tenant_ids, tables, progress } = move
  const { source, target } = connections
  const pages = new Map<string, number>()
  for (const tenant_id of tenant_ids) {
    const count = async (client: Client) => {
      const { rows } = await client.query<{ n: string }>(
        'SELECT coalesce(max(page) + 1, 0) AS n FROM audit_pages WHERE tenant_id = $1',
        [tenant_id],
      )
      return Number(rows[0]!.n)
    }
    const there = await count(source)
    let first = await count(target)
    for (; first < there; first += pages_at_once) {
      const until = Math.min(there, first + pages_at_once)
      const copying = { source, target, tables, progress }
      await transaction(target, async () => {
        await leaveOutTriggers(target)
        await copyPages(copying, tenant_id, first, until)
      })
    }
    pages.set(tenant_id, there)
  }
  return pages
}

async function leaveOutTriggers(client: Client): Promise<void> {
  await client.query('SET LOCAL session_replication_role = replica')
}

/** From here on engines refuse its calls. Undefined where they do already. */
async function stop(move: Move): Promise<number | undefined> {
  const { connections, tenant_ids, move_id } = move
  const { source } = connections
  const current = await stateOf(source, tenant_ids)
  if (current?.state === 'moving') return undefined
  const stopped_ms = system_clock.monotonic_ms()
  await transaction(source, async () => {
    await changeState(source, tenant_ids, move_id, ['copying', 'moving'])
    await noteStep(move, source, 'stopped')
  })
  return stopped_ms
}

/** Every journal whose engine runs is confirmed, and no other has anything left. */
async function awaitEngines(move: Move): Promise<void> {
  const { connections, move_id, confirm_ms_max } = move
  const { source } = connections
  for (const deadline_ms = system_clock.monotonic_ms() + confirm_ms_max; ; await pause(confirm_look_ms)) {
    const journals = await journalStates(clientQuery(source))
    const { rows } = await source.query<{ journal_id: string }>(
      'SELECT journal_id FROM tenant_move_confirmations WHERE move_id = $1',
      [move_id],
    )
    const confirmed = new Set(rows.map(({ journal_id }) => journal_id))
    const open = journals.filter((one) => (one.is_held ? !confirmed.has(one.journal_id) : !one.is_drained))
    if (open.length === 0) return
    if (system_clock.monotonic_ms() < deadline_ms) continue
    const running = open.filter(({ is_held }) => is_held).map(({ journal_id }) => journal_id)
    const dead = open.filter(({ is_held }) => !is_held).map(({ journal_id }) => journal_id)
    throw new ConfigError(
      [
        running.length > 0 &&
          `The engines of these journals have not confirmed that they stopped: ${running.join(', ')}. Look at their logs.`,
        dead.length > 0 &&
          `The engines of these journals do not run, and were not stopped in order: ${dead.join(', ')}. Start each once, or another engine with its disk: records of answered calls may be left there.`,
        'Calls are served again, and the move can be repeated.',
      ]
        .filter(Boolean)
        .join(' '),
    )
  }
}

/** One transaction: when it commits, the tenant lives there. */
async function copyRest(
  move: Move,
  pages: ReadonlyMap<string, number>,
): Promise<{ rows: number; records: number }> {
  const {
    connections,
    tenant_ids,
    move_id,
    tables,
    operators,
    operator,
    master_key,
    archive,
    progress,
    reached,
  } = move
  const { snapshot, target } = connections
  const copying: Copying = { source: snapshot, target, tables, tenant_ids, pages, progress }
  return await transaction(
    snapshot,
    async () => {
      return await transaction(target, async () => {
        // Whoever takes the move back removes these rows first, and waits here.
        await changeState(target, tenant_ids, move_id, ['arriving', 'live'])
        await holdRootKeys(databaseOn(target))
        await requireSameRootKeys(connections, master_key)
        await leaveOutTriggers(target)
        await clearTarget(copying)
        await copyTenants(copying)
        await target.query('SET LOCAL session_replication_role = origin')
        const at = new Date(operator.clock.now_ms()).toISOString()
        await openCredit(target, { operator_tenant_id: operators.target, move_id, at })
        await reached?.('copied')
        const root_keys = await openRootKeys(databaseOn(target), master_key)
        const checked = await verifyCopy(copying, root_keys, archive)
        await noteStep(move, target, 'arrived')
        await tellEngines(target, tenant_ids)
        await reached?.('verified')
        return checked
      })
    },
    'ISOLATION LEVEL REPEATABLE READ READ ONLY',
  )
}
