// Doctor checks of the database: version, roles, row-level security, migrations, keys, clock and pending writes.
import { type Inspection, inspectDatabase } from '@svc/adapters/store/inspect'
import { type Landed, landed_sql, newerOnes } from '@svc/adapters/store/migrate'
import { tlsFault } from '@svc/adapters/store/tls-fault'
import { app_role, engine_role, tenant_setting } from '@svc/database/migration'
import { version_min } from '@svc/database/server-check'
import type { Clock } from '@svc/engine/ports'
import { migrations } from '../assembly/migrations.ts'
import { lookAtBacklog, lookAtKeys } from './doctor-audit-log.ts'
import { lookAtConnections } from './doctor-connections.ts'
import { broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Premises } from './premises.ts'

const skew_ms_max = 1_000
const named_max = 3

export async function lookAtDatabase(
  premises: Premises,
  url: string | undefined,
  clock: Clock,
): Promise<Finding[]> {
  if (!url) return [noDatabase(premises)]
  let database: Inspection
  try {
    database = await inspectDatabase(url)
  } catch (error) {
    const advice = 'check SVC_DB_URL, and that the server runs and can be reached'
    return [broken('database', tlsFault(error) ?? reasonOf(error), advice)]
  }
  try {
    return await lookInside(database, premises, clock)
  } finally {
    await database.close()
  }
}

function noDatabase({ target: { data_dir } }: Premises): Finding {
  return doubtful(
    'database',
    `the embedded PostgreSQL of ${data_dir} is not running, so it was not checked`,
    'start svc-engine up, or set SVC_DB_URL',
  )
}

async function lookInside(database: Inspection, premises: Premises, clock: Clock): Promise<Finding[]> {
  const version = await lookAtVersion(database)
  const time = await lookAtClock(database, clock)
  const roles = await lookAtRoles(database)
  const landed = await lookAtMigrations(database)
  const durable = await lookAtDurability(database)
  const findings = [version, await lookAtConnections(database), durable, time, roles, landed]
  // Without roles and tables every later check would fail for the same reason.
  if (roles.status === 'fail' || landed.status === 'fail') return findings
  findings.push(await lookAtIsolation(database))
  await database.query(`SET ROLE ${engine_role}`)
  return [...findings, await lookAtKeys(database, premises), ...(await lookAtBacklog(database, premises))]
}

async function lookAtVersion(database: Inspection): Promise<Finding> {
  const rows = await database.query<{ number: string; text: string }>(
    `SELECT current_setting('server_version_num') AS number, current_setting('server_version') AS text`,
  )
  const { number = '0', text = '' } = rows[0] ?? {}
  const observation = `PostgreSQL ${text}`
  return Number(number) >= version_min * 10_000
    ? well('database', observation)
    : broken('database', observation, `move to PostgreSQL ${version_min} or newer: no engine starts on it`)
}

const durable_settings = ['fsync', 'full_page_writes', 'synchronous_commit', 'autovacuum']

async function lookAtDurability(database: Inspection): Promise<Finding> {
  const rows = await database.query<{ name: string }>(
    "SELECT name FROM unnest($1::text[]) AS name WHERE current_setting(name) = 'off' ORDER BY name",
    [durable_settings],
  )
  const off = rows.map(({ name }) => name)
  if (off.length === 0) return well('durability', 'PostgreSQL keeps what it has confirmed')
  const observation = `${off.join(', ')} of PostgreSQL is off`
  return off.length === 1 && off[0] === 'autovacuum'
    ? doubtful('durability', observation, 'switch it on: tables grow without end')
    : doubtful(
        'durability',
        observation,
        'switch it on: after a crash of the machine answered calls are lost',
      )
}

async function lookAtClock(database: Inspection, clock: Clock): Promise<Finding> {
  const asked_ms = clock.now_ms()
  const rows = await database.query<{ now_ms: string }>(
    'SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now_ms',
  )
  const answered_ms = clock.now_ms()
  // The database read its clock some time between query and answer.
  const skew_ms = Number(rows[0]?.now_ms) - (asked_ms + answered_ms) / 2
  const certain_ms = Math.max(0, Math.abs(skew_ms) - (answered_ms - asked_ms) / 2)
  const observation = `${Math.round(Math.abs(skew_ms))} ms apart from the database's clock`
  return certain_ms < skew_ms_max
    ? well('clock', observation)
    : broken('clock', observation, 'synchronize both machines (NTP): expiry depends on it')
}

async function lookAtRoles(database: Inspection): Promise<Finding> {
  const rows = await database.query<{ name: string; strong: boolean; taken: boolean }>(
    `SELECT rolname AS name, rolsuper OR rolbypassrls AS strong, pg_has_role(current_user, oid, 'MEMBER') AS taken
     FROM pg_roles WHERE rolname = ANY($1)`,
    [[app_role, engine_role]],
  )
  const missing = [app_role, engine_role].filter((name) => !rows.some((row) => row.name === name))
  const strong = rows.filter((row) => row.strong).map((row) => row.name)
  const untaken = rows.filter((row) => !row.taken).map((row) => row.name)
  const alter = `run ALTER ROLE ${strong[0]} NOSUPERUSER NOBYPASSRLS`
  if (missing.length)
    return broken('roles', `${missing.join(', ')} missing`, 'start the engine once as the owner')
  if (strong.length) return broken('roles', `${strong.join(', ')} would bypass row-level security`, alter)
  if (untaken.length)
    return broken('roles', `this user may not act as ${untaken.join(', ')}`, `run GRANT ${untaken[0]} TO it`)
  return well('roles', `${app_role} and ${engine_role} are there and bound by row-level security`)
}

async function lookAtMigrations(database: Inspection): Promise<Finding> {
  const check = 'migrations'
  const journal = await database.query<{ is_there: boolean }>(
    `SELECT to_regclass('kysely_migration') IS NOT NULL AS is_there`,
  )
  const landed = journal[0]?.is_there ? await database.query<Landed>(landed_sql) : []
  const names = landed.map(({ name }) => name)
  const missing = migrations.map(({ name }) => name).filter((name) => !names.includes(name))
  const { newer, closed } = newerOnes(landed, migrations)
  const first = (names: readonly string[]) => names.slice(0, named_max).join(', ')
  if (closed.length)
    return broken(check, `${closed.length} are of a newer version: ${first(closed)}`, 'run that version')
  if (missing.length)
    return broken(
      check,
      `${missing.length} missing: ${first(missing)}`,
      'start the engine once: it applies them',
    )
  const unfinished = landed.filter(({ later_left }) => later_left > 0).map(({ name }) => name)
  const sentences = [
    `all ${migrations.length} applied`,
    ...(newer.length ? [`${newer.length} of a newer version, beside which this one runs`] : []),
    ...(unfinished.length ? [`being finished while engines serve: ${first(unfinished)}`] : []),
  ]
  return well(check, sentences.join('; '))
}

/** Each tenant table must show the application only the rows of the current tenant. */
async function lookAtIsolation(database: Inspection): Promise<Finding> {
  const rows = await database.query<{ name: string; is_closed: boolean }>(isolation_sql, [
    app_role,
    tenant_setting,
  ])
  const open = rows.filter((row) => !row.is_closed).map((row) => row.name)
  const check = 'row-level security'
  if (open.length) {
    const observation = `not in force on ${open.slice(0, named_max).join(', ')}${open.length > named_max ? ' and more' : ''}`
    return broken(check, observation, 'restore ROW LEVEL SECURITY, FORCE and the policies of the migrations')
  }
  return well(check, `in force on all ${rows.length} tables of tenants`)
}

// A policy that checks neither the tenant nor whether it is the operator is as open as no policy.
const isolation_sql = `
  SELECT c.relname AS name, c.relrowsecurity AND c.relforcerowsecurity AND NOT EXISTS (
      SELECT FROM pg_policies p
      WHERE p.schemaname = n.nspname AND p.tablename = c.relname AND p.roles && ARRAY[$1::name, 'public']
        AND p.permissive = 'PERMISSIVE' AND (coalesce(p.qual, p.with_check) IS NULL
          OR strpos(coalesce(p.qual, p.with_check), $2) + strpos(coalesce(p.qual, p.with_check), 'svc_is_operator()') = 0)
    ) AS is_closed
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  WHERE c.relkind IN ('r', 'p') AND n.nspname = current_schema() AND EXISTS (
    SELECT FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attname = 'tenant_id' AND NOT a.attisdropped)
  ORDER BY c.relname`
