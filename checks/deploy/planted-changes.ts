// Faults of what engines find or have stored: plugins, archived pages, rows of PostgreSQL, and events that nobody knows.
import assert from 'node:assert/strict'
import { readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { asOwner } from '@svc/audit/test-audit-log'
import { startInProcess } from '../engines/in-process.ts'
import { dispatch } from '../engines/running-engine.ts'
import { readMetric } from '../faults/scene/audit-log-check.ts'
import { writePlugin } from '../plugins/written-plugin.ts'
import { until } from '../suite/eventually.ts'
import { cutToFirst } from '../tamper/cut-tail.ts'
import { operate } from './operate.ts'
import { engineOf, nothing, type Undo } from './planting.ts'
import { emit, entry, type Installation, query, startLoad, tenant_id } from './watched-installation.ts'

/** An organization that nobody else calls, so that its log does not grow while it is cut. */
const quiet_tenant = 'quiet'

export function putUnsignedPlugin({ dir }: Installation): Undo {
  const folder = join(dir, 'plugins', 'unsigned')
  writePlugin(folder, { name: 'unsigned', protocol: 'UNSIGNED', signer: null })
  return () => rmSync(folder, { recursive: true })
}

/** Counted before Prometheus asks the engine for the first time. */
export async function startWithUnsignedPlugin(installation: Installation): Promise<Undo> {
  const folder = join(installation.dir, 'plugins-of-late')
  writePlugin(join(folder, 'early'), { name: 'early', protocol: 'EARLY', signer: null })
  const late = await installation.launch('late', [], { SVC_PLUGIN_DIR: folder })
  await until('it is counted', async () => (await readMetric(late.caller, 'svc_plugin_rejected_total')) > 0)
  installation.list('all')
  return () => installation.remove('late')
}

/** Read by an engine that has just started: others may have them in memory. */
export async function deleteArchivedPages(installation: Installation): Promise<Undo> {
  const load = startLoad(() => [engineOf(installation).caller, emit], 4, 0)
  const pages = join(installation.dir, 'archive', 'pages')
  await until('a page is archived', () => readdirSync(pages).length > 0)
  await load.stop()
  for (const folder of readdirSync(pages)) rmSync(join(pages, folder), { recursive: true })
  const { caller } = await installation.start('reader')
  const oldest = { ...query, input: { after_seq: 0, limit: 10 } }
  await until('it is missed', async () => {
    await dispatch(caller, oldest)
    return (await readMetric(caller, 'svc_log_archive_unreadable_total')) > 0
  })
  return () => installation.remove('reader')
}

export async function recordUnknownEvent(installation: Installation): Promise<Undo> {
  const asking = { ...entry, input: { event_type: 'OfALaterVersion', meta: {} } }
  const answer = await dispatch(engineOf(installation).caller, asking)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return nothing
}

export async function forgeRegistryRow(installation: Installation): Promise<Undo> {
  const { caller } = engineOf(installation)
  const body = JSON.stringify({ name: 'Impostor', kind: 'agent', subject: caller.agent_did })
  await installation.database.tamper(
    `INSERT INTO registry_entries (tenant_id, hash, kind, subject, version, visibility, body, signature, registered_at, name_key,
       terms, search)
     VALUES ('${tenant_id}', '${'0'.repeat(64)}', 'agent', '${caller.agent_did}', 1, 'tenant', '${body}', '{}', now(), 'impostor', '{}', '')`,
  )
  const answer = await dispatch(caller, {
    protocol: 'MARS',
    operation: 'query_registry',
    input: { tenant_id },
  })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return nothing
}

/** Another installation cosigns the log of an organization, whose newest records are then cut off. */
export async function cutWitnessedLog(installation: Installation): Promise<Undo> {
  const { prometheus, production, database } = installation
  const witness = await startInProcess({ config: { master_key: production.master_key } })
  const other = { database: { url: witness.db_url }, production }
  const { api_url } = engineOf(installation).caller
  const caller = { ...(await installation.newCaller(quiet_tenant)), api_url }
  for (let records = 0; records < 3; records++) assert.equal((await dispatch(caller, entry)).status, 200)
  const { key } = await operate(other, 'witness', 'key')
  const log = await operate(installation, 'witness', 'origin', quiet_tenant)
  await operate(other, 'witness', 'trust', log.origin, log.public_key)
  const address = `${witness.api_url}/v1/witness`
  await operate(installation, 'witness', 'ask', address, key, '--tenant', quiet_tenant)
  await until('it is cosigned', async () => {
    const [received] = await prometheus.query('sum(svc_witness_received_total) > 0')
    return received !== undefined
  })
  await asOwner(database.url, (client) => cutToFirst(client, quiet_tenant))
  return () => witness.stop()
}
