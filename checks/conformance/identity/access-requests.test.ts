// A person who lacks a right asks for it, and an administrator decides; looking at a page is recorded as no refusal.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { bare_identities, personWith, type SignedInPerson } from '../../scenes/people-scene.ts'
import { assertSuccess } from '../dispatch/expectations.ts'

let engine: InProcessService
let anna: SignedInPerson
let vera: SignedInPerson

before(async () => {
  engine = await startInProcess({ identity: bare_identities })
  anna = await personWith(engine, 'anna', ['administrator'])
  vera = await personWith(engine, 'vera', ['viewer'])
})
after(() => engine.stop())

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
const done = async (who: SignedInPerson, operation: string, input: object = {}): Promise<Fields> =>
  assertSuccess(await who.call(`MACS.${operation}`, input)).output
const toDecide = async (who: SignedInPerson): Promise<Fields[]> =>
  (await done(who, 'access_requests', { side: 'to_decide', state: 'OPEN' })).items
const refused = async (
  who: SignedInPerson,
  operation: string,
  input: object,
  code: string,
  reason: string,
) => {
  const { body } = await who.call(`MACS.${operation}`, input)
  assert.deepEqual([body.error?.code, body.error?.reason], [code, reason], JSON.stringify(body))
}

test('whoami says beforehand what is missing, and no refusal is recorded by it', async () => {
  const headers = { authorization: `Bearer ${vera.api_key}`, 'x-agent-did': vera.agent_did }
  const before_it = (await engine.records('acme')).length
  const whoami = (await (await fetch(`${engine.api_url}/v1/whoami`, { headers })).json()) as Fields
  const of = (protocol: string, operation: string): Fields =>
    whoami.operations.find((each: Fields) => each.protocol === protocol && each.operation === operation)
  assert.equal(of('MEAL', 'statement').may, 'no')
  assert.match(of('MEAL', 'statement').why_not, /svc\.meal\.statement/)
  assert.equal(of('MACS', 'request_access').may, 'yes')
  assert.deepEqual(await toDecide(vera), [], 'who may not decide sees an empty list')
  const records = (await engine.records('acme')).slice(before_it)
  assert.deepEqual(
    records.map(({ event_type, outcome }) => [event_type, outcome]),
    [['ProtocolInvocation', 'success']],
  )
})

test('a capability is asked for once, decided from the list, and works at once', async () => {
  const wish = { capability: 'svc.meal.statement' }
  const { request_id, state, administrators } = await done(vera, 'request_access', wish)
  assert.deepEqual([state, administrators], ['OPEN', ['anna <b>']])
  assert.equal((await done(vera, 'request_access', wish)).request_id, request_id, 'one open for a thing')
  const [request, ...others] = await toDecide(anna)
  assert.deepEqual([others.length, request?.request_id, request?.person], [0, request_id, 'vera <b>'])
  assert.equal(request?.capability, 'svc.meal.statement')
  assert.deepEqual([request?.fitting_roles[0], request?.fitting_roles.at(-1)], ['auditor', 'administrator'])
  const mail = await anna.call('MIM.message_receive', {})
  assert.equal(mail.status, 200, JSON.stringify(mail.body))
  const bodies = mail.body.output.messages.map(({ body }: Fields) => body)
  assert.deepEqual(bodies, [
    { request_id, kind: 'capability', name: 'svc.meal.statement', state: 'OPEN', person: 'vera <b>' },
  ])
  await refused(
    anna,
    'decide_access',
    { request_id, decision: 'grant' },
    'invalid_payload',
    'role does not fit',
  )
  await refused(
    anna,
    'decide_access',
    { request_id, decision: 'grant', role: 'operator' },
    'invalid_payload',
    'role does not fit',
  )
  const decided = await done(anna, 'decide_access', { request_id, decision: 'grant', role: 'finance' })
  assert.deepEqual([decided.state, decided.roles], ['GRANTED', ['finance', 'viewer']])
  assert.notEqual((await vera.call('MEAL.statement')).body.error?.code, 'capability_denied')
  const [own] = (await done(vera, 'access_requests')).items
  assert.deepEqual([own.state, own.role_given, own.decided_by], ['GRANTED', 'finance', anna.agent_did])
  await refused(anna, 'decide_access', { request_id, decision: 'refuse' }, 'not_found', 'no such request')
  await refused(vera, 'request_access', wish, 'policy_denied', 'held already')
  const events = (await engine.records('acme')).filter(({ event_type }) => /^Access(R|G)/.test(event_type))
  assert.deepEqual(
    events.map(({ event_type, meta }) => [event_type, meta.request_id]),
    [
      ['AccessRequested', request_id],
      ['AccessGranted', request_id],
    ],
  )
})

test('a role is asked for, and refused; nobody decides their own request, or one of another organization', async () => {
  const otto = await personWith(engine, 'otto', ['viewer'])
  const { request_id } = await done(otto, 'request_access', { role: 'administrator' })
  const rival = await personWith(engine, 'rita', ['administrator'], 'rival')
  assert.deepEqual(await toDecide(rival), [])
  await refused(rival, 'decide_access', { request_id, decision: 'grant' }, 'not_found', 'no such request')
  assert.equal((await otto.call('MACS.decide_access', { request_id, decision: 'grant' })).status, 403)
  const own = await done(anna, 'request_access', { role: 'auditor' })
  await refused(
    anna,
    'decide_access',
    { request_id: own.request_id, decision: 'grant' },
    'policy_denied',
    'own request',
  )
  const { state, roles } = await done(anna, 'decide_access', { request_id, decision: 'refuse' })
  assert.deepEqual([state, roles], ['REFUSED', ['viewer']])
})

test('what makes no sense is refused, and open requests are few', async () => {
  const nils = await personWith(engine, 'nils', ['viewer'])
  await refused(nils, 'request_access', {}, 'invalid_payload', 'one_of')
  await refused(nils, 'request_access', { role: 'king' }, 'not_found', 'no such role')
  await refused(nils, 'request_access', { role: 'viewer' }, 'policy_denied', 'held already')
  const operations = [
    'moat.propose',
    'moat.sign',
    'moat.terminate',
    'mace.convene',
    'mace.tally',
    'moot.file',
    'moot.plead',
    'made.list',
    'mana.hold',
    'mana.throttle',
    'meal.meter',
  ]
  const codes: string[] = []
  for (const operation of operations) {
    const { body } = await nils.call('MACS.request_access', { capability: `svc.${operation}` })
    codes.push(body.error?.reason ?? 'ok')
  }
  assert.deepEqual(codes, [...new Array(10).fill('ok'), 'too many requests'])
  const agent = await engine.newCaller({ tenant_id: 'acme', capabilities: ['svc.macs.*'] })
  const call = { protocol: 'MACS', operation: 'request_access', input: { role: 'viewer' } }
  const { body } = await dispatch(agent, call)
  assert.equal(body.error.reason, 'not a person')
})
