// A venue with assets, and traders of several organizations admitted by a treaty.
import type { AccountType } from '@svc/contract/money/money'
import { balanceOf } from '@svc/protocols/economic/ledger/store'
import { assertSound, fund, issueAssets, venue } from '@svc/protocols/economic/market/test-venue'
import { type InProcessOptions, type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

export { venue }

/** Every organization's market is open to all others. */
export const treaties = openBorders('svc.market.*')

export interface MarketScene {
  readonly service: InProcessService
  newTrader(tenant_id: string, funds?: Record<string, bigint>): Promise<Addresses>
  balance(trader: Addresses, asset_id: string, type: AccountType): Promise<bigint>
  fees(asset_id: string): Promise<bigint>
  /** Invariants of a venue while no call is in progress. */
  assertSound(): Promise<void>
}

export async function openMarketScene(options: InProcessOptions = {}): Promise<MarketScene> {
  const service = await startInProcess({ treaties, ...options })
  const { engine, engine_pool: pool } = service.service.store
  await service.newCaller({ tenant_id: venue })
  if (!options.config?.db_url) await issueAssets(engine)
  return {
    service,
    async newTrader(tenant_id, funds = {}) {
      const trader = await service.newCaller({ tenant_id })
      await fund(engine, { tenant_id, did: trader.agent_did }, funds)
      return trader
    },
    balance: ({ tenant_id, agent_did: did }, asset_id, type) =>
      balanceOf(engine, { tenant_id, did, asset_id, type }),
    fees: (asset_id) => balanceOf(engine, { tenant_id: service.operator.tenant_id, asset_id, type: 'fees' }),
    assertSound: () => assertSound(pool),
  }
}

export function askMarket(trader: Addresses, operation: string, input: object): Promise<Answer> {
  return dispatch(trader, { protocol: 'MARKET', operation, input, tenant_id: venue })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export async function deal(trader: Addresses, operation: string, input: object): Promise<any> {
  return assertSuccess(await askMarket(trader, operation, input)).output
}

export async function refused(
  trader: Addresses,
  operation: string,
  input: object,
  reason: string,
  code: 'policy_denied' | 'invalid_payload' = 'policy_denied',
) {
  return assertRefusal(await askMarket(trader, operation, input), { code, stage: 7, reason })
}
