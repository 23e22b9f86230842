// Engines and callers for tests of webhooks: payments are the events, and the clock moves only when told.
import { randomBytes } from 'node:crypto'
import { issueKey } from '@svc/adapters/access/api-keys'
import { newIdentity } from '@svc/adapters/access/tenants'
import type { AgentCapability } from '@svc/contract/authority/capability'
import { localAdmin } from '@svc/contract/identity/identity'
import { type InProcessService, startInProcess, type TestConfig } from '../../engines/in-process.ts'
import { type Addresses, type Asking, dispatch } from '../../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../../rehearsal/manual-clock.ts'
import { testDatabase } from '../../rehearsal/test-database.ts'
import { pay } from '../../scenes/pay-protocol.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export type Fields = Record<string, any>

export const setter_capabilities = [
  'svc.max.set_webhook',
  'svc.max.list_webhooks',
  'svc.max.remove_webhook',
  'svc.pay.*',
]

export interface WebhookScene {
  readonly clock: ManualClock
  /** Identities that were revoked. */
  readonly revoked: Set<string>
  start(config?: Partial<TestConfig>): Promise<InProcessService>
  /** Also stops engines that still run: a test that failed must not keep its process alive. */
  close(): Promise<void>
}

/** Several engines on one database, which outlives each of them. */
export async function openWebhookScene(): Promise<WebhookScene> {
  const clock = manualClock('2026-11-15T10:00:00.000Z')
  const database = await testDatabase()
  const revoked = new Set<string>()
  const identity = {
    resolve(did: string) {
      const own = { capabilities: [], revoked: revoked.has(did) }
      return { outcome: 'Resolved' as const, identity: { ...localAdmin(did), ...own } }
    },
  }
  const common = { db_url: database.url, master_key: randomBytes(32), allowed_networks: ['127.0.0.0/8'] }
  const engines: InProcessService[] = []
  return {
    clock,
    revoked,
    async start(config = {}) {
      const options = { clock, identity, more_protocols: [pay], config: { ...common, ...config } }
      const engine = await startInProcess(options)
      engines.push(engine)
      return engine
    },
    async close() {
      for (const engine of engines) await engine.stop()
      await database.close()
    },
  }
}

export const max = (who: Addresses, operation: string, input: Fields, more: Asking = {}) =>
  dispatch(who, { protocol: 'MAX', operation, input, ...more })
export const done = async (who: Addresses, operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await max(who, operation, input)).output
export const reasonOf = async (...asking: Parameters<typeof max>) => (await max(...asking)).body.error?.reason
export const webhookOf = async (who: Addresses, name: string): Promise<Fields> =>
  ((await done(who, 'list_webhooks', {})).items as Fields[]).find((item) => item.name === name)!

export async function payFor(who: Addresses, ...amounts: number[]): Promise<void> {
  for (const amount of amounts) {
    const input = { to: 'bob', amount }
    assertSuccess(await dispatch(who, { protocol: 'PAY', operation: 'send', input }))
  }
}

/** With these capabilities and no others. */
export async function callerWith(
  engine: InProcessService,
  tenant_id: string,
  capabilities: readonly AgentCapability[],
): Promise<Addresses> {
  const { did } = newIdentity(tenant_id, 'agent')
  const key = await issueKey(engine.service.store.engine, { tenant_id, did, mode: 'test', capabilities })
  return { ...engine, tenant_id, agent_did: did, api_key: key.api_key }
}
