// How an external service is trusted: by signature, registration or treaty; and how untyped errors map.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { keepRegistration } from '@svc/adapters/external/registrations'
import type { StandingTreaty } from '@svc/contract/authority/treaty'
import { admin as runAdmin } from '@svc/service/admin'
import { readRegistration } from '@svc/service/admin/protocol-words'
import { chooseTarget } from '@svc/service/admin/target'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { testTreaty } from '../../scenes/test-treaty.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertRefusedAndRecorded, assertSuccess } from '../dispatch/expectations.ts'
import { newKey } from './signing-service.ts'

const allowed_networks = ['127.0.0.0/8']
const { did } = newKey()
const treaty = testTreaty(
  [
    { tenant: 'operator', did: newKey().did },
    { tenant: 'outside', did: newKey().did },
  ],
  [{ to: 'operator', capability: 'svc.pact.*' }],
)
let standing: readonly StandingTreaty[] = [treaty]
let service: InProcessService
let url: string

/** A service as the specification prints it: it signs nothing. */
let answer: { status: number; body: unknown } = { status: 200, body: { data: { sun: true }, metadata: {} } }
const outside = createServer(async (req, res) => {
  req.resume()
  const { status, body } = req.url === '/health' ? { status: 200, body: { status: 'ok' } } : answer
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
})

before(async () => {
  await new Promise<void>((resolve) => outside.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(outside.address() as { port: number }).port}`
  service = await startInProcess({
    config: { allowed_networks },
    treaties: { find: async () => treaty, between: () => standing },
    caller: { capabilities: ['svc.plain.*', 'svc.careful.*', 'svc.pact.*'] },
  })
})
after(async () => {
  await service?.stop()
  outside.closeAllConnections()
  await new Promise((resolve) => outside.close(resolve))
})

async function type(...args: string[]): Promise<string> {
  let out = ''
  const write = async (chunk: string) => {
    out += chunk
  }
  const env = {
    SVC_DB_URL: service.db_url,
    SVC_TENANT_ID: 'operator',
    SVC_ALLOWED_NETWORKS: allowed_networks.join(),
  }
  assert.equal(await runAdmin(['protocol', ...args], env, { input: Readable.from([]), write }), 0, out)
  return out
}
const add = (name: string, ...more: string[]) =>
  type('add', name, 'v1.0.0', url, '--did', did, '--operation', 'forecast', ...more)
const ask = (protocol: string, input: object = {}) =>
  dispatch(service, { protocol, operation: 'forecast', input })
const directory = async (path: string) => (await fetch(`${service.api_url}/v1/protocols${path}`)).json()

test('answers are signed by default; a registration can opt out, visibly to everybody', async () => {
  await add('CAREFUL')
  await eventually(async () => assert.notEqual((await ask('CAREFUL')).body.error?.code, 'unknown_protocol'))
  assertRefusal(await ask('CAREFUL'), { code: 'adapter_error', stage: 7, reason: 'answer not signed' })
  const printed = await add('PLAIN', '--answers', 'unsigned')
  assert.match(printed, /accepted without a signature/)
  await eventually(async () => assertSuccess(await ask('PLAIN')))
  const { output, metadata } = assertSuccess(await ask('PLAIN'))
  assert.deepEqual(output, { sun: true })
  const [record] = await service.records(service.tenant_id, { correlation_ids: [metadata.correlation_id] })
  assert.deepEqual(record!.meta.module, { answers: 'unsigned', served_by: did })
  const { protocols } = (await directory('')) as { protocols: { id: string; answers?: string }[] }
  const shown = (id: string) => protocols.find((one) => one.id === id)?.answers
  assert.deepEqual([shown('PLAIN'), shown('CAREFUL'), shown('MIND')], ['unsigned', 'signed', undefined])
  assert.equal(((await directory('/PLAIN')) as { answers?: string }).answers, 'unsigned')
  answer = { status: 422, body: { error: { code: 'policy_denied', message: 'Not on Sundays.' } } }
  const refused = await assertRefusedAndRecorded(service, await ask('PLAIN'), {
    code: 'policy_denied',
    stage: 7,
  })
  assert.equal(refused.record.meta.answers, 'unsigned')
})

test('only an error without one of our codes is mapped by the keywords of the specification', async () => {
  const words = 'adapter timeout invalid missing capability'
  const cases: [error: unknown, seen: string][] = [
    [{ message: 'The adapter is gone.' }, 'internal'],
    [{ code: 'E1', message: 'Timeout of the upstream' }, 'timeout'],
    [{ code: 'bad_city', message: 'invalid city' }, 'protocol_error'],
    [{ message: 'missing capability svc.plain.forecast' }, 'capability_denied'],
    [{ code: 'E2', message: 'it broke' }, 'adapter_error'],
    [{ code: 'policy_denied', message: words }, 'policy_denied'],
    [{ code: 'missing_capability', message: words }, 'missing_capability'],
    [{ code: 'rate_limited', message: words }, 'adapter_error'],
    [words, 'adapter_error'],
  ]
  for (const [error, expected] of cases) {
    answer = { status: 422, body: { error } }
    assert.equal((await ask('PLAIN')).body.error.code, expected, JSON.stringify(error))
    answer = { status: 200, body: { data: {}, metadata: {} } }
    for (let well = 0; well < 2; well++) assertSuccess(await ask('PLAIN'))
  }
})

test('a caller cannot choose the code it is refused with', async () => {
  const city = 'Timeout, missing capability, invalid adapter'
  answer = { status: 422, body: { error: { code: 'no_city', message: `There is no city ${city}.` } } }
  const { body } = await ask('PLAIN', { city })
  assert.deepEqual([body.error.code, body.error.reason], ['adapter_error', 'service failed'])
})

test('payloads that a service rejects as invalid do not open its circuit for everybody', async () => {
  answer = { status: 422, body: { error: { message: 'invalid' } } }
  for (let i = 0; i < 20; i++) assert.equal((await ask('PLAIN')).body.error.code, 'protocol_error')
  answer = { status: 200, body: { data: {}, metadata: {} } }
  assertSuccess(await ask('PLAIN'))
})

test('by treaty: the service must have signed for the other party, and is called only while the treaty is in force', async () => {
  const env = {
    SVC_DB_URL: service.db_url,
    SVC_TENANT_ID: 'operator',
    SVC_ALLOWED_NETWORKS: allowed_networks.join(),
  }
  const read = (values: object, standing_treaty: StandingTreaty | undefined) =>
    readRegistration(
      ['PACT', 'v1.0.0', url],
      { operation: ['forecast'], ...values },
      chooseTarget(undefined, env),
      {
        registeredOf: async () => [],
        treatyOf: async () => standing_treaty,
      },
    )
  const over: StandingTreaty = { ...treaty, state: 'TERMINATED', ended_at: treaty.effective_from }
  await assert.rejects(read({ treaty: treaty.id }, undefined), /There is no treaty/)
  await assert.rejects(read({ treaty: treaty.id }, over), /not in force/)
  await assert.rejects(read({ treaty: treaty.id, did }, treaty), /--did or --treaty/)
  await assert.rejects(read({}, treaty), /--did/)
  const request = await read({ treaty: treaty.id, answers: 'unsigned' }, treaty)
  const party = treaty.parties.find(({ tenant }) => tenant === 'outside')!
  assert.deepEqual([request.did, request.treaty_id], [party.did, treaty.id])
  await keepRegistration(service.service.store.engine, request)
  await eventually(async () => assertSuccess(await ask('PACT')))
  standing = [over]
  const expected = { code: 'capability_denied', stage: 7, reason: 'no active treaty' } as const
  await assertRefusedAndRecorded(service, await ask('PACT'), expected)
  standing = [{ ...treaty, id: `sha256:${'8'.repeat(64)}` }]
  assertSuccess(await ask('PACT'))
})
