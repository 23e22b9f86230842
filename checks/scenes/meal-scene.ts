// A service with an operator that bills, and an organization that uses tokens, seconds and watts.
import { addMember } from '@svc/adapters/access/charter'
import { asOwner } from '@svc/audit/test-audit-log'
import { operation, type Protocol, protocol } from '@svc/contract/protocol'
import { AnyObject, Closed } from '@svc/contract/schema'
import { Type } from 'typebox'
import { assertSuccess } from '../conformance/dispatch/expectations.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../engines/running-engine.ts'
import { type ManualClock, manualClock } from '../rehearsal/manual-clock.ts'

const Count = Type.Integer({ minimum: 0, maximum: 50_000 })
const plain = { effect: 'read', level: 'L0', input: Closed({}), output: AnyObject, example: {} } as const

function gaugeProtocol(id: string): Protocol {
  return protocol({
    id,
    version: 'v1.0.0',
    plane: 'awareness',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-infrastructure',
    summary: 'What a test of metering needs of a module.',
    operations: {
      think: operation({
        ...plain,
        summary: 'Use tokens.',
        meters: ['tokens', 'seconds', 'watts'],
        multipliers: [1.5, 1.5, 1.2],
        needs: ['tokens'],
        input: Closed({ tokens_in: Count, tokens_out: Count }),
        example: { tokens_in: 1, tokens_out: 1 },
        handle({ tokens_in, tokens_out }, context) {
          context.tokens.use(tokens_in, tokens_out)
          return {}
        },
      }),
      tick: operation({ ...plain, summary: 'Use time.', meters: ['seconds'], handle: () => ({}) }),
      glow: operation({
        ...plain,
        summary: 'Use power.',
        meters: ['seconds', 'watts'],
        multipliers: [1, 2, 4],
        handle: () => ({}),
      }),
    },
  })
}

export interface MealScene {
  readonly service: InProcessService
  readonly clock: ManualClock
  /** The only member of its charter, with every capability. */
  readonly operator: Addresses
  /** Waits until everything answered is in the audit log, then bypasses its protection to change it. */
  tamper(...statements: readonly string[]): Promise<void>
  rows<Row>(text: string): Promise<Row[]>
}

export async function openMealScene(start: string): Promise<MealScene> {
  const clock = manualClock(start)
  const service = await startInProcess({
    clock,
    caller: { tenant_id: 'acme', tier: 'sovereign' },
    more_protocols: [gaugeProtocol('GAUGE'), gaugeProtocol('FORGE')],
  })
  const operator = await service.newCaller({ tenant_id: service.operator.tenant_id })
  await addMember(service.service.store.engine, operator.tenant_id, operator.agent_did, new Date(0))
  return {
    service,
    clock,
    operator,
    async tamper(...statements) {
      await service.service.audit_log.flush()
      await asOwner(service.db_url, async (client) => {
        await client.query('SET session_replication_role = replica')
        for (const text of statements) await client.query(text)
      })
    },
    rows: (text) => asOwner(service.db_url, async (client) => (await client.query(text)).rows),
  }
}

export function askMeal(caller: Addresses, operation: string, input: unknown): Promise<Answer> {
  return dispatch(caller, { protocol: 'MEAL', operation, input })
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
export async function meal(caller: Addresses, operation: string, input: unknown): Promise<any> {
  return assertSuccess(await askMeal(caller, operation, input)).output
}
