import { postJournal } from '@svc/protocols/economic/ledger/store'
import { type Answer, dispatch } from '../../engines/running-engine.ts'
import { until } from '../../suite/eventually.ts'
import { assertSuccess } from '../dispatch/expectations.ts'
import { type MadeScene, type Party, start } from '../identity/made-scene.ts'

export const denied = (reason: string) => ({ code: 'policy_denied', stage: 7, reason }) as const

export const moot = (caller: Party, operation: string, input: object): Promise<Answer> =>
  dispatch(caller, { protocol: 'MOOT', operation, input })
export const rule = (arbiter: Party, case_id: unknown, more: object) =>
  moot(arbiter, 'rule', { case_id, reasoning: 'It stands in both chains.', ...more })
export const pays = (amount_usd: string) => ({ finding: 'for_claimant', remedy: { kind: 'pay', amount_usd } })

/** Registered for thirty days. The ninth is visible only to the operator, so never drawn. */
export async function register(arbiter: Party, place: number): Promise<void> {
  const input = {
    name: 'Arbiter',
    entity_kind: 'Agent',
    capabilities: ['svc.moot.rule'],
    service_endpoints: [],
    ttl_seconds: 2_592_000,
    visibility: place === 8 ? 'tenant' : 'public',
  }
  assertSuccess(await dispatch(arbiter, { protocol: 'MARS', operation: 'register_agent', input }))
}

/** The panel is drawn by the engine, moments after the filing. */
export async function drawnPanel(party: Party, case_id: unknown): Promise<string[]> {
  let panel: string[] = []
  await until('the panel is drawn', async () => {
    const { docket } = assertSuccess(await moot(party, 'plead', { case_id, plea: 'view' })).output
    panel = (docket as { panel: string[] }).panel
    return panel.length > 0
  })
  return panel
}

/** Issued in micro-USD, without a source. */
export async function pay({ service }: MadeScene, to: Party, amount: bigint): Promise<void> {
  const asset_id = 'usd'
  await postJournal(service.service.store.engine, {
    tenant_id: 'operator',
    kind: 'test',
    ref: 'test',
    correlation_id: '00000000-0000-4000-8000-000000000000',
    at: start,
    entries: [
      { tenant_id: 'operator', asset_id, type: 'issuance', amount: -amount },
      { tenant_id: to.tenant_id, did: to.agent_did, asset_id, type: 'available', amount },
    ],
  })
}

export interface Crossed {
  readonly correlation_id: string
  readonly original: string
  readonly copy: string
  readonly seq: number
}

/** One cross-tenant call, recorded in both audit logs. */
export async function cross({ service }: MadeScene, from: Party, to: Party): Promise<Crossed> {
  const request = { protocol: 'MARS', operation: 'query_registry', input: { kind: 'asset' } }
  const answer = await dispatch(from, { ...request, tenant_id: to.tenant_id })
  const { correlation_id } = assertSuccess(answer).metadata
  const find = (tenant_id: string) => service.records(tenant_id, { correlation_ids: [correlation_id] })
  await until(
    'the call is recorded on both sides',
    async () => (await find(from.tenant_id)).length === 2 && (await find(to.tenant_id)).length === 1,
  )
  const [original] = await find(from.tenant_id)
  const [copy] = await find(to.tenant_id)
  return {
    correlation_id,
    original: `max://${from.tenant_id}/record/${original!.record_hash}`,
    copy: `max://${to.tenant_id}/record/${copy!.record_hash}`,
    seq: copy!.seq,
  }
}

export async function eventsOfCase(
  { service }: MadeScene,
  tenant_id: string,
  event_type: string,
  case_id: unknown,
) {
  const records = await service.records(tenant_id, { event_types: [event_type] })
  return records.filter(({ meta }) => meta.case_id === case_id).map(({ meta }) => meta)
}
