// Opens the database and the audit log, and provisions what the first call needs.
import { nameOperator } from '@svc/adapters/access/operator-tenant'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { forgetEngine, registerEngine } from '@svc/adapters/root-keys/root-key-engines'
import { openStore, type PostgresStore } from '@svc/adapters/store/postgres'
import type { OnOutbox } from '@svc/adapters/store/tenant-transaction'
import { prometheus } from '@svc/adapters/telemetry/prometheus'
import type { AuditLog } from '@svc/audit/audit-log'
import type { AuditLogOptions } from '@svc/audit/audit-log-options'
import { openDirectory } from '@svc/audit/journal/journal-directory'
import { openAuditLog } from '@svc/audit/open-audit-log'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import type { Clock } from '@svc/engine/ports'
import { ensureUsd } from '@svc/protocols/economic/ledger/api'
import { openFanOut } from '../background/fan-out.ts'
import { finishMigrations } from '../background/later-migrations.ts'
import { openLogArchive } from '../background/log-archive.ts'
import { projectionsOf } from '../background/projections.ts'
import { openRenewal } from '../background/root-key-renewal.ts'
import type { Config } from '../settings/config.ts'
import type { Closing, Host } from './host.ts'
import { openLog } from './log.ts'
import { migrateStore } from './migrate-store.ts'
import { migrations } from './migrations.ts'
import { openKeys } from './open-keys.ts'

export interface HostChoices {
  /** Tests that control time pass their own clock. */
  readonly clock?: Clock
  /** Tests wait longer for a connection, so that a busy machine decides no verdict. */
  readonly connect_ms_max?: number
  /** Creates what the first call needs, after the migrations and before the engine accepts calls. */
  readonly provision?: (store: PostgresStore, root_keys: RootKeys) => Promise<void>
  /** Tests share a thread. */
  readonly startWriter?: AuditLogOptions['startWriter']
}

export async function openHost(
  config: Config,
  choices: HostChoices,
  closing: Closing,
  onEvents: OnOutbox,
): Promise<Host> {
  const log = openLog(config.log_level)
  const meters = prometheus(log)
  config.tls.follow(log, closing)
  await migrateStore(config.db_url)
  const onOutbox: OnOutbox = (events) => {
    audit_log.outboxChanged()
    onEvents(events)
  }
  const clock = choices.clock ?? system_clock
  const log_archive = openLogArchive(config, { clock, meters, log }, closing)
  const { page_archive } = log_archive
  const { connect_ms_max } = choices
  const store = await openStore({
    url: config.db_url,
    log,
    onOutbox,
    page_archive,
    ...(connect_ms_max && { connect_ms_max }),
  })
  closing.push(() => store.close())
  // Before it loads them: no root key becomes current that this engine does not know.
  const journal_id = openDirectory(config.audit_dir)
  await registerEngine(store.engine, journal_id, config.audit_dir)
  const root_keys = await openKeys(store.engine, config.master_key)
  const fan_out = openFanOut(config, meters, log, closing)
  const audit_log: AuditLog = await openAuditLog({
    db_url: config.db_url,
    dir: config.audit_dir,
    root_keys,
    bytes_max: config.audit_bytes_max,
    fsync: config.audit_fsync,
    operator_tenant_id: config.tenant_id,
    projection_modules: projectionsOf(config),
    page_archive,
    startWriter: choices.startWriter,
    onCommitted: fan_out.wake,
    onUnknownEvent: () => meters.count('audit_unknown_event'),
    log,
  })
  closing.push(() => leaveEngines(store.engine, audit_log))
  closing.push(() => audit_log.close())
  const host = { store, db: store.engine, root_keys, audit_log, meters, clock, log }
  await provision(config, choices, host)
  log_archive.start(store.engine)
  openRenewal(config, host, closing)
  finishMigrations(config.db_url, migrations, log, closing)
  return host
}

/** What is left in a journal may be sealed by a root key that is being renewed. */
async function leaveEngines(db: Database, audit_log: AuditLog): Promise<void> {
  if (audit_log.pending_bytes() === 0) await forgetEngine(db, audit_log.journal_id)
}

/** The operator's tenant, its unit of money and its audit log; then whatever else the first call needs. */
async function provision(
  { tenant_id }: Config,
  choices: HostChoices,
  { store, db, root_keys, audit_log }: Host,
): Promise<void> {
  await ensureTenant(db, tenant_id, 'The operator of this engine', 'sovereign')
  await nameOperator(db, tenant_id)
  await ensureUsd(db, tenant_id)
  await audit_log.ready(tenant_id)
  await choices.provision?.(store, root_keys)
}
