// svc-engine admin doctor: checks everything an engine depends on. It changes nothing, waits briefly and prints no secrets.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseDid } from '@svc/contract/identity/did'
import { childDid } from '@svc/contract/identity/lineage'
import { privateKeyOf, publicKeyOf } from '@svc/contract/signing/signature'
import type { Clock } from '@svc/engine/ports'
import { readServeConfig, readSettings } from '../settings/config.ts'
import { ConfigError } from '../settings/config-error.ts'
import { reader } from '../settings/reader.ts'
import { lookAtArchive } from './doctor-archive.ts'
import { lookAtCache } from './doctor-cache.ts'
import { lookAtDatabase } from './doctor-database.ts'
import { lookAtFolder, lookAtJournalDisk, lookAtPorts } from './doctor-host.ts'
import { lookAtCertificate, lookAtLinks } from './doctor-links.ts'
import { lookAtServers } from './doctor-servers.ts'
import { attempt, bounded, broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Premises } from './premises.ts'
import type { Said } from './say.ts'
import { findDatabase, type Target } from './target.ts'

const check_ms_max = 10_000
const audit_bytes_default = 1024 ** 3
const development_tenant = 'operator'

export async function diagnose(target: Target, port: string | undefined, clock: Clock): Promise<Said> {
  const premises = surveyPremises(target, port)
  const db_url = findDatabase(target)
  const folders = [premises.audit_dir, ...(target.data_dir ? [target.data_dir] : [])]
  const looked = await Promise.all([
    bounded('settings', check_ms_max, async () => lookAtSettings(target)),
    bounded('database', check_ms_max, async () => lookAtDatabase(premises, await db_url, clock)),
    bounded('cache', check_ms_max, () => lookAtCache(target)),
    bounded('links', check_ms_max, async () => lookAtLinks(target)),
    bounded('certificate', check_ms_max, async () => lookAtCertificate(target, clock)),
    bounded('servers', check_ms_max, () => lookAtServers(target)),
    bounded('log archive', check_ms_max, () => lookAtArchive(target, clock)),
    bounded('engine DID', check_ms_max, async () => [lookAtDid(premises)]),
    ...folders.map((folder) =>
      bounded('disk', check_ms_max, () => lookAtFolder(folder, premises.audit_bytes_max)),
    ),
    bounded('durability', check_ms_max, () => lookAtJournalDisk(premises)),
    bounded('ports', check_ms_max, () => lookAtPorts(premises)),
  ])
  const rows = looked.flatMap(({ findings }) => findings)
  const failed = rows.filter(({ status }) => status === 'fail').length
  const warned = rows.filter(({ status }) => status === 'warn').length
  return {
    rows,
    columns: ['status', 'check', 'seen', 'advice'],
    note: failed + warned === 0 ? 'All checks passed.' : `${failed} failed, ${warned} warnings.`,
    exit: failed > 0 ? 1 : 0,
    hangs: looked.some(({ hangs }) => hangs),
  }
}

function surveyPremises(target: Target, port: string | undefined): Premises {
  const { data_dir, read } = target
  const base = port === undefined ? undefined : portNumber(port)
  const audit_bytes_max = attempt(() => read('SVC_AUDIT_BUFFER_MAX_BYTES')) ?? audit_bytes_default
  if (data_dir !== undefined) {
    return {
      target,
      host: '127.0.0.1',
      port: base ?? 8080,
      metrics_port: base === undefined ? 9091 : base + 3,
      agent_did: attempt(() => developmentDid(data_dir)),
      tenant_id: development_tenant,
      audit_dir: read.given('SVC_AUDIT_BUFFER_DIR') ?? join(data_dir, 'audit'),
      audit_bytes_max,
    }
  }
  const [host, bound] = attempt(() => read('APP_BIND_ADDR')) ?? ['0.0.0.0', 8080]
  return {
    target,
    host,
    port: base ?? bound,
    metrics_port: attempt(() => read('SVC_PROMETHEUS_PORT')) ?? 9091,
    agent_did: read('SVC_AGENT_DID'),
    tenant_id: read('SVC_TENANT_ID'),
    audit_dir: read('SVC_AUDIT_BUFFER_DIR'),
    audit_bytes_max,
  }
}

/** The digest of the key that `svc-engine up` stores. */
function developmentDid(data_dir: string): string {
  const seed = Buffer.from(readFileSync(join(data_dir, 'operator-key'), 'utf8').trim(), 'hex')
  return childDid(development_tenant, 'Service', publicKeyOf(privateKeyOf(seed)))
}

function portNumber(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port > 0 && port <= 65_532) return port
  throw new ConfigError(`--port is ${text}; it must be a number from 1 to 65532.`)
}

function lookAtSettings({ env, data_dir }: Target): Finding[] {
  const check = 'settings'
  try {
    if (data_dir !== undefined) {
      readSettings(reader(env, 'up'))
      return [well(check, `the development installation in ${data_dir}`)]
    }
    readServeConfig(env)
    return [well(check, 'everything svc-engine serve needs is set')]
  } catch (error) {
    return [broken(check, reasonOf(error), 'set it where the engine is started')]
  }
}

function lookAtDid({ agent_did, tenant_id, target }: Premises): Finding {
  const check = 'engine DID'
  if (!agent_did && target.data_dir)
    return doubtful(check, 'there is none yet', 'svc-engine up creates one at its first start')
  if (!agent_did) return broken(check, 'there is none', 'set SVC_AGENT_DID')
  const did = parseDid(agent_did)
  if (!did)
    return broken(check, `${agent_did.slice(0, 120)} is not a DID`, 'write did:oas:<tenant>:<kind>:<64 hex>')
  if (tenant_id !== undefined && did.namespace !== tenant_id) {
    return broken(check, `it is of ${did.namespace}, the engine's tenant is ${tenant_id}`, 'make them agree')
  }
  return well(check, agent_did)
}
