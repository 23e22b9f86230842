// MAKER over HTTP: irreversible actions need a known risk, and running ones can really be stopped.
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import type { AllowedCommand } from '@svc/contract/needs/commands'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { eventually, until } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'
import { rowsOf } from '../execution/mote-scene.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let folder: string
let hanging: Server
let hanging_url: string
let arrived = 0
let dropped = 0
/** Of the same organization, but not in its charter. */
let second: Addresses

const dangerous = {
  subject: 'The old hall comes down',
  factors: [{ id: 'collapse', frequency: 50, loss_usd: { p5: 1_000_000, p95: 900_000_000 } }],
  appetite: { expected_loss_usd: 100, var95_usd: 1_000 },
}

/** Writes forever and ignores SIGTERM, as does its child. */
const stubborn = (file: string) =>
  `trap '' TERM; (trap '' TERM; while :; do echo child >> ${file}; sleep 0.02; done) & while :; do echo parent >> ${file}; sleep 0.02; done`
const shell = (script: string): AllowedCommand => ({
  command: '/bin/sh',
  args: ['-c', script],
  env: { PATH: '/usr/bin:/bin' },
  idempotent: false,
})

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-maker-'))
  hanging = createServer((req) => {
    arrived++
    req.on('close', () => dropped++)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => hanging.once('listening', resolve))
  const host = `127.0.0.1:${(hanging.address() as AddressInfo).port}`
  hanging_url = `http://${host}/`
  service = await startInProcess({
    config: {
      commands: new Map([
        ['greet', shell('read -r line; echo "got $line"')],
        ['fail', shell('exit 3')],
        ['stubborn', shell(stubborn(join(folder, 'grows')))],
      ]),
      tool_hosts: [host],
      allowed_networks: ['127.0.0.0/8'],
    },
  })
  second = await service.newCaller()
  await addMember(service.service.store.engine, service.tenant_id, service.agent_did, new Date())
})
after(async () => {
  await service.stop()
  hanging.closeAllConnections()
  hanging.close()
  await rm(folder, { recursive: true, force: true })
})

/** The authority of the charter's only member. */
const authority = 'mace://sole-member'
const ask = (operation: string, input: unknown, protocol = 'MAKER', who: Addresses = service) =>
  dispatch(who, { protocol, operation, input })
const done = async (operation: string, input: unknown, protocol?: string): Promise<Fields> =>
  assertSuccess(await ask(operation, input, protocol)).output
const act = (more: Fields = {}): Fields => ({
  action_kind: 'test.act',
  target: 'nothing',
  executor: { builtin: 'noop' },
  max_duration_ms: 60_000,
  irreversible: false,
  ...more,
})
const script = (script_ref: string, more: Fields = {}) =>
  act({ executor: { builtin: 'script_ref', script_ref }, ...more })
const size = async () => (await readFile(join(folder, 'grows'), 'utf8').catch(() => '')).length

test('an allowed program runs and reports how it ended', async () => {
  const greeted = await done('execute_action', script('greet', { mode: 'sync', parameters: { name: 'Ann' } }))
  assert.equal(greeted.state, 'succeeded')
  assert.match(greeted.output.output, /"name":"Ann"/)
  const failed = await done('execute_action', script('fail', { mode: 'sync' }))
  assert.deepEqual([failed.state, failed.output.exit_code], ['failed', 3])
  const unknown = await done('execute_action', script('rm-rf', { mode: 'sync' }))
  assert.deepEqual([unknown.state, unknown.error_code], ['failed', 'policy_denied'])
  assert.match(unknown.how, /SVC_COMMANDS/)
})

test('requests go only to allowed hosts, and callers cannot set the Host header', async () => {
  const request = (target: string, parameters: Fields = {}) =>
    done('execute_action', act({ executor: { builtin: 'http_request' }, target, parameters, mode: 'sync' }))
  const elsewhere = await request('http://127.0.0.1:1/')
  assert.deepEqual([elsewhere.state, elsewhere.error_code], ['failed', 'policy_denied'])
  assert.match(elsewhere.how, /SVC_TOOL_HOSTS/)
  for (const header of ['Host', 'content-length', 'Transfer-Encoding'])
    assert.equal((await request(hanging_url, { headers: { [header]: '1' } })).error_code, 'policy_denied')
  assert.equal((await request(hanging_url, { headers: null })).error_code, 'invalid_payload')
  assert.equal(arrived, 0)
})

test('scenario 13: an irreversible action needs a known, acceptable risk or the approval of a council', async () => {
  const irreversible = act({ irreversible: true, action_kind: 'demolish', target: 'the old hall' })
  const risk = await done('score', dangerous, 'MARE')
  assert.equal(risk.band, 'critical')
  const request = { ...irreversible, risk_ref: risk.risk_ref }
  assertRefusal(await ask('execute_action', request, 'MAKER', second), {
    code: 'policy_denied',
    stage: 7,
    reason: 'risk above appetite',
  })
  const ran = await done('execute_action', { ...request, authority, mode: 'sync' })
  assert.equal(ran.state, 'succeeded')
  const records = await service.records(service.tenant_id)
  const events = records
    .filter(({ protocol }) => protocol === 'MAKER')
    .map(({ event_type, outcome }) => `${event_type} ${outcome}`)
  for (const line of ['Error refused', 'ActionStarted success', 'ActionFinished success'])
    assert.ok(events.includes(line), line)
})

/** On a busy machine the proof may come after the answer. */
const covered = ({ halted, unconfirmed }: Fields): string[] =>
  [...halted, ...unconfirmed].map(({ action_id }) => action_id)

const howStopped = (action_id: string): Promise<string> =>
  until('the stop is proven', async () => {
    const [row] = await rowsOf(
      service.db_url,
      `SELECT how FROM maker_action WHERE action_id = '${action_id}' AND state = 'stopped'`,
    )
    return row?.how as string | undefined
  })

test('scenario 21: an emergency stop ends a stubborn program and a hanging call, and stays latched until cleared', async () => {
  const running = await done('execute_action', script('stubborn', { grace_ms: 200 }))
  const calling = await done(
    'execute_action',
    act({ executor: { builtin: 'http_request' }, target: hanging_url }),
  )
  await eventually(async () => assert.ok((await size()) > 20 && arrived === 1))

  const stopped = await done('emergency_stop', { scope: 'tenant', reason: 'Something is wrong.' })
  assert.deepEqual(covered(stopped).sort(), [running.action_id, calling.action_id].sort())
  assert.match(await howStopped(running.action_id), /SIGKILL.*process group gone/)
  await howStopped(calling.action_id)
  await rm(join(folder, 'grows'))
  await eventually(() => assert.equal(dropped, 1))

  assertRefusal(await ask('execute_action', act()), {
    code: 'policy_denied',
    stage: 7,
    reason: 'emergency stop active',
  })
  const early = { scope: 'tenant', reason: 'All is well.', clear: {} }
  assertRefusal(await ask('emergency_stop', early, 'MAKER', second), {
    code: 'policy_denied',
    stage: 7,
  })
  const cleared = await done('emergency_stop', {
    scope: 'tenant',
    reason: 'All is well.',
    clear: { authority },
  })
  assert.equal(cleared.latched.is_set, false)
  assert.equal((await done('execute_action', script('greet', { mode: 'sync' }))).state, 'succeeded')
  assert.equal(await size(), 0, 'nobody has written any more')
})

test('a stop covers all running actions, however many could not be proven stopped', async () => {
  await rowsOf(
    service.db_url,
    `INSERT INTO maker_action (tenant_id, action_id, action_kind, owner_did, state, ask, acting, stop_token,
      irreversible, grace_ms, correlation_id, created_at, deadline_at, supervisor, heartbeat_at)
    SELECT '${service.tenant_id}', 'old ' || n, 'x', 'x', 'stop_unconfirmed', '', '', 'old ' || n, false, 0, 'x',
      now() - interval '1 day', now(), 'nobody', now() + interval '1 day' FROM generate_series(1, 1000) AS n`,
  )
  await until('a stop is proven within its answer, which a busy machine may miss', async () => {
    const running = await done('execute_action', script('stubborn', { grace_ms: 0 }))
    await eventually(async () => assert.ok((await size()) > 20))
    const stopped = await done('emergency_stop', { scope: 'tenant', reason: 'Something is wrong.' })
    assert.ok(covered(stopped).includes(running.action_id))
    assert.deepEqual([covered(stopped).length, stopped.not_listed], [1000, 1])
    await howStopped(running.action_id)
    await rm(join(folder, 'grows'))
    await done('emergency_stop', { scope: 'tenant', reason: 'All is well.', clear: { authority } })
    return stopped.halted[0]?.action_id === running.action_id
  })
  await rowsOf(service.db_url, "DELETE FROM maker_action WHERE action_id LIKE 'old %'")
})

test('an action is stopped by its token, and stopping an ended action is no error', async () => {
  const ran = await done('execute_action', act({ mode: 'sync' }))
  const stopped = await done('emergency_stop', { stop_token: ran.stop_token, reason: 'To be sure.' })
  assert.deepEqual([stopped.halted[0].action_id, stopped.halted[0].how], [ran.action_id, 'already_finished'])
})

test('an action that takes too long is ended', async () => {
  // A busy machine may not have started it by then, so allow more time until it has.
  for (const max_duration_ms of [100, 1_000, 10_000]) {
    const answer = script('stubborn', { max_duration_ms, grace_ms: 0, mode: 'sync' })
    const { state, error_code, how } = await done('execute_action', answer)
    assert.deepEqual([state, error_code], ['failed', 'timeout'])
    if (how === 'its time was over before it could begin') continue
    assert.match(how, /max_duration_ms/)
    return
  }
  assert.fail('it was never begun')
})
