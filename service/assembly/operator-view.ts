// How this engine is set up and which organizations it serves, as its operator's people see it. No secret is in it.
import { pageOfTenants } from '@svc/adapters/access/tenant-directory'
import { countPeople } from '@svc/adapters/accounts/users'
import type { ArchivePlace } from '@svc/adapters/log-archive/open-page-store'
import { queryOf } from '@svc/audit/query/query'
import { logSizes } from '@svc/audit/query/records'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import { witnessKey } from '@svc/audit/witness/witness-key'
import { listAsked, listLogs } from '@svc/audit/witness/witness-store'
import type { Database } from '@svc/contract/database'
import type { Clock, Ports } from '@svc/engine/ports'
import type { EngineSettings, OperatorView, TenantPage, TenantQuestion } from '@svc/gateway/operator-routes'
import { callsOfTenants } from '@svc/protocols/awareness/history/api'
import type { Config } from '../settings/config.ts'
import type { Host } from './host.ts'

const recent_ms = 24 * 3_600_000

type Shown = Pick<Config, 'log_archive' | 'login' | 'smtp'>

export function operatorView(
  config: Shown,
  { db, root_keys }: Pick<Host, 'db' | 'root_keys'>,
  { clock, identity, capabilities }: Pick<Ports, 'clock' | 'identity' | 'capabilities'>,
): OperatorView {
  return {
    identity,
    capabilities,
    settings: () => settingsOf(config, db, root_keys),
    tenants: (question) => pageOf(question, db, clock),
  }
}

async function pageOf(
  { limit, ...question }: TenantQuestion,
  db: Database,
  clock: Pick<Clock, 'now_ms'>,
): Promise<TenantPage> {
  const rows = await pageOfTenants(db, { ...question, limit: limit + 1 })
  const page = rows.slice(0, limit)
  const ids = page.map(({ tenant_id }) => tenant_id)
  const [people, logs, calls] = await Promise.all([
    countPeople(db, ids),
    logSizes(db, ids),
    callsOfTenants(db, ids, new Date(clock.now_ms() - recent_ms)),
  ])
  const items = page.map(({ created_at, ...row }) => {
    const isOf = (each: { tenant_id: string }) => each.tenant_id === row.tenant_id
    const { records = 0, is_sealed = false } = logs.find(isOf) ?? {}
    const counted = calls.find(isOf)
    return {
      ...row,
      created_at: created_at.toISOString(),
      people: people.find(isOf)?.people ?? 0,
      audit_records: records,
      is_sealed,
      calls: Number(counted?.calls ?? 0),
      refused: Number(counted?.refused ?? 0),
      failed: Number(counted?.failed ?? 0),
    }
  })
  return { items, ...(rows.length > limit && { next_after: ids.at(-1)! }) }
}

async function settingsOf(
  { log_archive, login, smtp }: Shown,
  db: Database,
  root_keys: RootKeys,
): Promise<EngineSettings> {
  const query = queryOf(db)
  const { name } = await witnessKey(query, root_keys)
  const [witnesses, logs] = await Promise.all([listAsked(query), listLogs(query, name)])
  const { public_url = null, upstream } = login
  const { issuer = null, client_id = null, tenant_id = null } = upstream ?? {}
  return {
    audit_log: {
      archive: log_archive ? placeText(log_archive.place) : null,
      hot_days: log_archive?.hot_days ?? null,
    },
    witnesses: witnesses.map(({ witness_name, url, tenants }) => ({ name: witness_name, url, tenants })),
    cosigned: logs.map(({ origin, size, cosigned_at, is_contradicted }) => ({
      origin,
      size,
      cosigned_at: cosigned_at?.toISOString() ?? null,
      is_contradicted,
    })),
    sign_in: { public_url, issuer, client_id, tenant_id },
    mail: smtp ? { host: smtp.host, from: smtp.from, domains: [...smtp.domains] } : null,
  }
}

/** As in SVC_LOG_ARCHIVE. */
function placeText(place: ArchivePlace): string {
  if (place.kind === 'file') return `file:${place.folder}`
  return `s3://${[place.bucket, place.prefix].filter(Boolean).join('/')}`
}
