// An engine with the bundled nodes and the developer that `svc-engine up` sets up, who can derive agents that call.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { issueKey } from '@svc/adapters/access/api-keys'
import { adminResolver } from '@svc/adapters/identity/local-admin'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { development_tenant, provisionDeveloper } from '@svc/service/assembly/developer'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatchDecided } from '../../engines/running-engine.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of several operations
export type Fields = Record<string, any>

export interface DeveloperScene {
  readonly service: InProcessService
  readonly developer: Addresses
  /** A child of the caller, and a caller itself, with these names in its document and its key. */
  derive(parent: Addresses, label: string, names?: readonly string[]): Promise<Addresses>
  close(): Promise<void>
}

export async function openDeveloperScene(): Promise<DeveloperScene> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-developer-'))
  let developer_did = ''
  const service = await startInProcess({
    with_nodes: true,
    // As in `svc-engine up`.
    identity: (others) => adminResolver((did) => did === developer_did, others),
  })
  const { store } = service.service
  const { agent_did, api_key } = await provisionDeveloper(store, service.service.root_keys, folder)
  developer_did = agent_did
  return {
    service,
    developer: { ...service, tenant_id: development_tenant, agent_did, api_key },
    async derive(parent, label, names = ['svc.macs.*', 'svc.oas.*']) {
      const capabilities: AgentCapability[] = names.map((name) => ({ name, caveats: [] }))
      const child = { entity_kind: 'Agent', label, name: label, capabilities }
      const { did } = await call(parent, 'MACS', 'derive', child)
      const { tenant_id } = parent
      const key = await issueKey(store.engine, { tenant_id, did, mode: 'test', capabilities })
      return { ...parent, agent_did: did, api_key: key.api_key }
    },
    async close() {
      await service.stop()
      rmSync(folder, { recursive: true })
    },
  }
}

export async function call(
  caller: Addresses,
  protocol: string,
  operation: string,
  input: unknown,
): Promise<Fields> {
  const { status, body } = await dispatchDecided(caller, { protocol, operation, input })
  assert.equal(status, 200, JSON.stringify(body))
  return body.output
}
