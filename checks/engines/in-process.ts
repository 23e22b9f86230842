// A whole service in this process on its own database: called over HTTP like any other, with its internals
// accessible.
import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { WorkerPool } from '@svc/adapters/compute/worker-pool'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { tokenCounter } from '@svc/adapters/tokens/token-counter'
import { findRecords, type RecordFilter } from '@svc/audit/query/records'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { AgentCapability } from '@svc/contract/authority/capability'
import type { Tier } from '@svc/contract/authority/tier'
import { assemble, type Choices, type Service } from '@svc/service/assembly/assemble'
import { startNodes } from '@svc/service/assembly/nodes'
import { type Config, readSettings } from '@svc/service/settings/config'
import { signingKey } from '@svc/service/settings/identity-settings'
import { reader } from '@svc/service/settings/reader'
import { testDatabase } from '../rehearsal/test-database.ts'
import { basic_capabilities } from '../scenes/basic-capabilities.ts'
import { hang_ms_max } from '../suite/eventually.ts'
import type { Addresses } from './running-engine.ts'
import { startSharedWriter } from './shared-writer.ts'

const records_read_max = 10_000
/** Of all engines of this process: a worker takes half a second to start. They keep no process alive. */
const shared = {
  startWriter: startSharedWriter,
  workers: {
    compute: new WorkerPool(system_clock).compute,
    countTokens: tokenCounter(system_clock).countTokens,
  },
}

export interface Caller {
  readonly tenant_id?: string
  readonly tier?: Tier
  /** The key's capabilities beyond the defaults; a bare name has no caveats. */
  readonly capabilities?: readonly (string | AgentCapability)[]
  readonly expires_at?: string
}

/** Tests know the bytes of the master key. */
export type TestConfig = Omit<Config, 'master_key'> & { readonly master_key: Buffer }

export type InProcessOptions = Partial<Choices> & {
  readonly config?: Partial<TestConfig>
  readonly caller?: Caller
  /** Starts the bundled nodes as well, with the engine's signed requests. */
  readonly with_nodes?: boolean
  /** With its database, which has no tables yet. */
  beforeStart?(db_url: string): Promise<void>
}

export interface InProcessService extends Addresses {
  readonly service: Service
  readonly db_url: string
  readonly config: TestConfig
  /** The audit log for unknown callers. */
  readonly operator: { readonly tenant_id: string; readonly did: string }
  /** Another caller's addresses: a key, a DID and, if new, its own tenant. */
  newCaller(caller?: Caller): Promise<Addresses & { readonly key_id: string }>
  /** The audit log, once everything answered is in it. */
  records(tenant_id: string, filter?: Partial<RecordFilter>): Promise<AuditRecord[]>
  stop(): Promise<void>
}

const any_ports = { log_level: 'silent', host: '127.0.0.1', port: 0, metrics_port: 0 } as const

/** The development identity by default; outputs are checked against their schemas. */
export async function startInProcess(options: InProcessOptions = {}): Promise<InProcessService> {
  const { config: other = {}, caller = {}, with_nodes = false, beforeStart, ...choices } = options
  const database = await testDatabase()
  const folder = await mkdtemp(join(tmpdir(), 'svc-in-process-'))
  const identity = newIdentity('operator', 'service')
  const operator = { tenant_id: 'operator', did: identity.did }
  const release = async () => {
    await database.close()
    await rm(folder, { recursive: true, force: true })
  }
  const config: TestConfig = {
    ...readSettings(reader({}, 'up')),
    ...any_ports,
    agent_did: operator.did,
    agent_key: signingKey('the key of the test', identity.private_key, operator.did),
    tenant_id: operator.tenant_id,
    db_url: database.url,
    master_key: randomBytes(32),
    audit_dir: join(folder, 'audit'),
    ...other,
  }
  try {
    await beforeStart?.(database.url)
    const service = await assemble(config, {
      identity: localAdminResolver(),
      check_outputs: true,
      connect_ms_max: hang_ms_max,
      ...shared,
      ...(with_nodes ? { nodes: nodesOf(config) } : {}),
      ...choices,
    })
    const newCaller = callerMaker(service)
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= service.stop().then(release)
      return stopped
    }
    return {
      ...(await newCaller(caller)),
      service,
      db_url: database.url,
      config,
      operator,
      newCaller,
      records: async (tenant_id, filter = {}) => {
        // Entries left by others, such as an operator's command or a sweep, are picked up at once.
        service.audit_log.outboxChanged()
        await service.audit_log.flush()
        return findRecords(service.store.engine, tenant_id, { limit: records_read_max, ...filter })
      },
      stop,
    }
  } catch (error) {
    await release()
    throw error
  }
}

function nodesOf({ agent_did, node_urls: configured_urls }: TestConfig): Choices['nodes'] {
  return ({ engine }, clock) =>
    startNodes(engine, { isTrusted: (did) => did === agent_did, clock, known: configured_urls })
}

function callerMaker(service: Service): InProcessService['newCaller'] {
  return async ({ tenant_id = 'dev', tier = 'sovereign', capabilities = [], expires_at } = {}) => {
    await ensureTenant(service.store.engine, tenant_id, tenant_id, tier)
    const { did } = newIdentity(tenant_id, 'agent')
    const wished = capabilities.map((one) => (typeof one === 'string' ? { name: one, caveats: [] } : one))
    const carried = [...basic_capabilities, ...wished]
    const key_request = { tenant_id, did, mode: 'test', capabilities: carried, expires_at } as const
    const key = await issueKey(service.store.engine, key_request)
    return {
      api_url: `http://127.0.0.1:${service.port}`,
      metrics_url: `http://127.0.0.1:${service.metrics_port}/metrics`,
      tenant_id,
      agent_did: did,
      ...key,
    }
  }
}
