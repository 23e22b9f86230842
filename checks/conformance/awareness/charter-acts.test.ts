// Acts of a whole organization over HTTP: each record names the verdict that allowed it, and a compliance report finds all of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalogue } from '@svc/catalogue/catalogue'
import type { Operation } from '@svc/contract/protocol'
import { oversight } from '@svc/protocols/awareness/max/frameworks/queries'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { type ExampleEngine, startExampleEngine } from '../../scenes/example-engine.ts'
import { ask, assertSuccess } from '../dispatch/expectations.ts'

const period = { from: '2020-01-01T00:00:00Z', to: '2100-01-01T00:00:00Z' }
let service: ExampleEngine

before(async () => {
  service = await startExampleEngine()
})
after(() => service.stop())

function operationOf(name: string): Operation {
  const [protocol, operation] = name.split(/\.(.*)/s)
  return catalogue.find(({ id }) => id === protocol)!.operations[operation!]!
}

async function call(by: Addresses, name: string, input: unknown, headers: Record<string, string> = {}) {
  const [protocol, operation] = name.split(/\.(.*)/s)
  const { tenant_id } = by
  const answer = await dispatch(by, { protocol, operation, input, tenant_id } as object, headers)
  assertSuccess(answer)
  const records = await service.records(tenant_id, {
    correlation_ids: [answer.headers.get('x-correlation-id')!],
  })
  const own = records.find(({ event_type, meta }) => event_type === 'ProtocolInvocation' && !meta.depth)
  return { own: own!, used: records.find(({ meta }) => meta.gate === 'MACE-quorum')?.meta.verdict }
}

/** How many charter-level calls a report finds, and how many of them name no verdict. */
async function reported(by: Addresses): Promise<[number, number]> {
  const { output } = assertSuccess(await ask(by, 'compliance_report', { period }, {}, { protocol: 'MAX' }))
  const controls = output.controls as { id: string; evidence: { count: number; exceptions: number }[] }[]
  const [evidence] = controls.find(({ id }) => id === 'charter-acts-have-verdicts')!.evidence
  return [evidence!.count, evidence!.exceptions]
}

for (const name of oversight.charter_acts.operations)
  test(`${name} names the verdict it used, and a retry is no second act`, async () => {
    const { you, input } = await service.prepare(operationOf(name))
    const [before_count, before_exceptions] = await reported(you)
    assert.equal(before_exceptions, 0)
    const key = { 'idempotency-key': `act-${name}` }
    const { own, used } = await call(you, name, input, key)
    assert.match(String(used), /^mace:\/\/verdict\//)
    assert.deepEqual(own.meta.module, { verdict: used })
    assert.equal((await call(you, name, input, key)).own.meta.replayed, true)
    assert.deepEqual(await reported(you), [before_count + 1, 0])
  })

test('a treaty that is signed again names the verdict of its signature', async () => {
  const { you, input } = await service.prepare(operationOf('MOAT.sign'))
  const { used } = await call(you, 'MOAT.sign', input)
  const again = await call(you, 'MOAT.sign', input)
  assert.deepEqual([again.used, again.own.meta.module], [undefined, { verdict: used }])
})

test('a month that has ended is closed without a verdict, and its record says so', async () => {
  const { you } = await service.prepare(operationOf('MEAL.admin'))
  const { tenant_id } = await service.newOrganization()
  const { own, used } = await call(you, 'MEAL.admin', { action: 'close_period', tenant_id })
  assert.deepEqual([used, own.meta.module], [undefined, { verdict: 'ended month' }])
})
