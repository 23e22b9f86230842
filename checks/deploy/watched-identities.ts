// The nodes of a watched installation, and agents whose documents they have.
import type { TestContext } from 'node:test'
import { issueKey } from '@svc/adapters/access/api-keys'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { system_clock as clock } from '@svc/adapters/clock/system'
import { openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import type { Database } from '@svc/contract/database'
import { askNodeAt, attestIdentity, type IdentityHome, makeIdentity } from '@svc/service/assembly/identities'
import { startNodes } from '@svc/service/assembly/nodes'
import { signingKey } from '@svc/service/settings/identity-settings'
import type { Addresses } from '../engines/running-engine.ts'
import { storeAt } from '../rehearsal/test-store.ts'

export interface Identities {
  readonly db: Database
  /** Of every engine. */
  readonly settings: Readonly<Record<string, string>>
  /** With all capabilities. */
  newCaller(tenant_id: string): Promise<Addresses>
}

export async function openIdentities(
  t: TestContext,
  db_url: string,
  master_key: Buffer,
): Promise<Identities> {
  const store = await storeAt(db_url)
  t.after(() => store.close())
  const { engine: db } = store
  const { did: engine_did, private_key } = newIdentity('operator', 'service')
  const engine_key = signingKey('the key of the test', private_key, engine_did)
  const nodes = await startNodes(db, { isTrusted: (did) => did === engine_did, clock })
  t.after(() => nodes.close())
  const { OAS = '', Aegis = '' } = nodes.urls
  const root_keys = await openRootKeys(db, master_key)
  const home: IdentityHome = { db, root_keys, clock, askNode: askNodeAt(OAS, engine_key, clock) }
  return {
    db,
    settings: {
      SVC_AGENT_DID: engine_did,
      SVC_AGENT_KEY: private_key,
      SVC_OAS_URL: OAS,
      SVC_AEGIS_URL: Aegis,
    },
    async newCaller(tenant_id) {
      await ensureTenant(db, tenant_id, tenant_id, 'sovereign')
      const root = await makeIdentity(home, { tenant_id, entity_kind: 'HumanRoot', custody: 'engine' })
      const capabilities = [{ name: 'svc.*.*', caveats: [] }]
      const agent = { tenant_id, entity_kind: 'Agent', custody: 'engine', parent_did: root.did } as const
      const { did } = await makeIdentity(home, { ...agent, capabilities })
      await attestIdentity(home, engine_key, did)
      const key = await issueKey(db, { tenant_id, did, mode: 'live' })
      return { api_url: '', metrics_url: '', tenant_id, agent_did: did, ...key }
    },
  }
}
