// The operator's lists over HTTP: complete pages, filters, own rows only, as stored.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import { issueKey, revokeKey } from '@svc/adapters/access/api-keys'
import { addMember } from '@svc/adapters/access/charter'
import { revokeIdentity } from '@svc/adapters/access/revocations'
import { ensureTenant } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { keepSeed } from '@svc/adapters/custody/keystore'
import { keepRegistration } from '@svc/adapters/external/registrations'
import { keepSeen } from '@svc/adapters/plugins/plugin-store'
import { asOwner } from '@svc/audit/test-audit-log'
import { postJournal } from '@svc/protocols/economic/ledger/store'
import { mote } from '@svc/protocols/execution/mote/mote'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { describeDevice, newDevice } from '../../neighbours/test-device.ts'
import { basic_capabilities } from '../../scenes/basic-capabilities.ts'
import { newKey } from '../../scenes/delegation-scene.ts'
import { openBorders } from '../../scenes/test-treaty.ts'
import { type Effects, workflowProtocol } from '../../scenes/workflow-protocol.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const external_effects: Effects = {
  log: [],
  failing: new Map([['breaks', { times: 9, code: 'policy_denied' }]]),
}
const master_key = randomBytes(32)
let service: InProcessService
/** A charter member, another member of the same organization, and a member of another one. */
let chair: Addresses
let other: Addresses
let rival: Addresses

before(async () => {
  const treaties = openBorders('svc.mim.*', 'svc.moon.*', 'svc.macs.*')
  const more_protocols = [workflowProtocol(external_effects)]
  service = await startInProcess({ more_protocols, treaties, config: { master_key } })
  chair = await newParty('dev')
  other = await newParty('dev')
  rival = await newParty('rival')
  await addMember(service.service.store.engine, 'dev', chair.agent_did, new Date())
})
after(() => service.stop())

async function newParty(tenant_id: string): Promise<Addresses> {
  const { engine } = service.service.store
  const { did, seed } = newKey(tenant_id)
  await ensureTenant(engine, tenant_id, tenant_id, 'sovereign')
  await keepSeed(engine, service.service.root_keys, tenant_id, did, seed)
  const issued = await issueKey(engine, { tenant_id, did, mode: 'test', capabilities: basic_capabilities })
  return { ...service, ...issued, tenant_id, agent_did: did }
}

const done = async (who: Addresses, protocol: string, operation: string, input: Fields): Promise<Fields> =>
  assertSuccess(await dispatch(who, { protocol, operation, input })).output

/** All pages of a list; something is added after the first. */
async function everyPage(
  protocol: string,
  { field, ...input }: Fields,
  add: () => Promise<unknown> = async () => {},
  who = chair,
): Promise<Fields[]> {
  const answer: Fields[] = []
  let cursor: string | undefined
  for (let pages = 0; pages < 50; pages++) {
    const page = await done(who, protocol, 'list', { limit: 2, ...input, ...(cursor && { cursor }) })
    assert.ok(page[field].length <= 2)
    answer.push(...page[field])
    cursor = page.next_cursor
    if (cursor === undefined) return answer
    if (pages === 0) await add()
  }
  throw new Error('the pages have no end')
}

const fieldOf = (items: readonly Fields[], field: string) => items.map((item) => item[field])

/** Every earlier item is listed once, in the given order, whatever was added meanwhile. */
function assertWhole(listed: readonly unknown[], before: readonly unknown[]): void {
  assert.equal(new Set(listed).size, listed.length, 'nothing is told twice')
  assert.deepEqual(
    listed.filter((id) => before.includes(id)),
    before,
  )
}

const step = (name: string, more: Fields = {}) => {
  return { kind: 'Protocol', name, protocol: 'STEPS', operation: 'act', payload: { name }, ...more }
}
async function submit(name: string, manifest: Fields): Promise<string> {
  const input = { manifest: { name, version: '1.0.0', ...manifest } }
  return (await done(chair, 'MOON', 'submit_manifest', input)).manifest_ref
}
const run = (manifest_ref: string) =>
  done(chair, 'MOON', 'execute_workflow', { manifest_ref, wait_ms: 20_000 })

test('MOON: runs and manifests by page and state, and the graph of a run as in its status', async () => {
  const graph = await submit('graph', {
    steps: [
      step('first'),
      { kind: 'Gate', name: 'fork', condition: 'true', on_true: [step('taken')], on_false: [step('left')] },
      { kind: 'Parallel', name: 'both', depends_on: ['first'], steps: [step('one'), step('two')] },
    ],
  })
  const broken = await submit('broken', { steps: [step('fine'), step('breaks'), step('never')] })
  const ended: Fields[] = []
  for (const ref of [graph, broken, graph]) ended.push(await run(ref))
  const refs = ended.map(({ run_ref }) => run_ref).reverse()
  const runs = await everyPage('MOON', { field: 'runs' }, () => run(graph))
  const run_refs = runs.map(({ run_ref }) => run_ref)
  assertWhole(run_refs, refs)
  const failed = await everyPage('MOON', { field: 'runs', state: 'failed' })
  assert.deepEqual([failed.length, failed[0]?.run_ref, failed[0]?.name], [1, ended[1]?.run_ref, 'broken'])
  const counted = { running: 0, waiting: 0, succeeded: 1, failed: 1, skipped: 1, indeterminate: 0 }
  assert.deepEqual(failed[0]?.progress, { ...counted, steps_total: 3 })
  const [one] = (await done(chair, 'MOON', 'list', { run_ref: ended[0]?.run_ref, include_detail: true })).runs
  const steps: Fields[] = one.detail.steps
  const drawn = Object.fromEntries(steps.map(({ path, depends_on, within }) => [path, [depends_on, within]]))
  assert.deepEqual(drawn, {
    both: [['first'], undefined],
    'both/one': [[], 'both'],
    'both/two': [[], 'both'],
    first: [[], undefined],
    fork: [['first'], undefined],
    'fork/left': [[], 'fork'],
    'fork/taken': [[], 'fork'],
  })
  const stateIn = (all: Fields[]) => Object.fromEntries(all.map(({ path, state }) => [path, state]))
  assert.deepEqual(stateIn(steps), stateIn(ended[0]?.steps))
  const manifests = await everyPage('MOON', { field: 'manifests', kind: 'manifests' }, () =>
    submit('later', { steps: [step('first')] }),
  )
  const listed = manifests.map(({ manifest_ref }) => manifest_ref)
  assertWhole(listed, [broken, graph])
  assert.equal(manifests.find(({ name }) => name === 'broken')?.last_run.state, 'failed')
  const odd = { protocol: 'MOON', operation: 'list', input: { kind: 'manifests', state: 'failed' } }
  assertRefusal(await dispatch(chair, odd), { code: 'invalid_payload', stage: 7 })
  assert.deepEqual(await everyPage('MOON', { field: 'runs' }, undefined, rival), [])
})

test('MIM: mailboxes with exact counts to those who may receive from them, and to the charter', async () => {
  const open = async (name: string, messages: number) => {
    for (let n = 0; n < messages; n++)
      await done(other, 'MIM', 'message_send', { to: `mailbox:${name}`, body: n })
  }
  for (const [name, messages] of [['a', 1], ['b', 3], ['c', 1]] as const) await open(name, messages) // biome-ignore format: kept on one line
  const { messages } = await done(other, 'MIM', 'message_receive', { mailbox: 'mailbox:b', max: 2 })
  const nack = [{ receipt: messages[0].receipt, dead: true }]
  await done(other, 'MIM', 'message_receive', { mailbox: 'mailbox:b', mode: 'peek', nack })
  const boxes = await everyPage('MIM', { field: 'items' }, () => open('d', 1))
  const names = boxes.map(({ mailbox }) => mailbox)
  assertWhole(names, ['mailbox:c', 'mailbox:b', 'mailbox:a'])
  const { waiting, in_flight, dead, unreleased, owner_did } = boxes[1]!
  assert.deepEqual([waiting, in_flight, dead, unreleased], [1, 1, 1, 0])
  assert.equal(owner_did, other.agent_did)
  assert.ok(boxes[1]!.oldest_waiting_at && boxes[1]!.oldest_dead_at && !boxes[0]!.oldest_dead_at)
  const with_dead = await everyPage('MIM', { field: 'items', holding: 'dead' }, undefined, other)
  assert.deepEqual(fieldOf(with_dead, 'mailbox'), ['mailbox:b'])
  const third = await newParty('dev')
  assert.deepEqual(await everyPage('MIM', { field: 'items' }, undefined, third), [])
  assert.deepEqual(await everyPage('MIM', { field: 'items' }, undefined, rival), [])
})

test('MOTE: devices with the capabilities and last readings of their parts', async () => {
  const devices = Array.from({ length: 5 }, () => newDevice('dev'))
  const dids = devices.map(({ did }) => did).sort()
  await asOwner(service.db_url, async (client) => {
    for (const device of devices)
      await client.query('INSERT INTO mote_devices VALUES ($1, $2, 1, $3, now(), now())', [
        'dev',
        device.did,
        describeDevice(device),
      ])
    await client.query(
      "INSERT INTO mote_readings SELECT 'dev', $1, 'temperature', n, now() - n * interval '1 s', now(), n FROM generate_series(1, 3) n",
      [dids[0]],
    )
    await client.query("INSERT INTO mote_twins VALUES ('dev', $1, 'thermostat', 2, 1, $2, 1, now())", [
      dids[0],
      { setpoint: 20, on: true },
    ])
    await client.query(
      "UPDATE mote_devices SET last_seen_at = now() - interval '1 h' WHERE device_did = $1",
      [dids[1]],
    )
  })
  const answer = await everyPage('MOTE', { field: 'items' })
  assert.deepEqual(fieldOf(answer, 'device_did'), dids)
  assert.deepEqual(fieldOf(answer, 'state'), ['PENDING', 'SILENT', 'REPORTING', 'REPORTING', 'REPORTING'])
  const { sensors, actuators } = answer[0]!
  assert.deepEqual([sensors[0].low, sensors[0].high, sensors[0].last.value], [-40, 120, 1])
  assert.equal(sensors[0].sensor_id, `${dids[0]}/temperature`)
  assert.deepEqual(
    [actuators[0].reported, actuators[0].is_confirmed, actuators[0].safe_state],
    [{ setpoint: 20, on: true }, false, { setpoint: 5, on: false }],
  )
  const silent = await everyPage('MOTE', { field: 'items', state: 'SILENT' })
  assert.deepEqual(fieldOf(silent, 'device_did'), [dids[1]])
  assert.deepEqual(await everyPage('MOTE', { field: 'items' }, undefined, rival), [])
  assert.equal(mote.operations.list.essential, mote.operations.sensor_read.essential, 'a hold stops both')
})

test('MANA: envelopes with limits, throttle and holds, their versions, and the holds themselves', async () => {
  const allocate = async (department: string, more: Fields = {}) => {
    const envelope = { department, max_per_month_usd: '20', max_per_day_usd: '1', ...more }
    const input = { envelope, capabilities_granted: [], authority: 'mace://sole-member' }
    return (await done(chair, 'MANA', 'allocate', input)).envelope_id as string
  }
  const ids: string[] = []
  for (const department of ['one', 'two', 'three']) ids.push(await allocate(department))
  await allocate('two', { envelope_id: ids[1], max_per_day_usd: '2', members: [other.agent_did] })
  await allocate('three', { envelope_id: ids[2], close: true })
  const rules = [{ match: 'svc.marc.*', factor: 0.5 }]
  await done(chair, 'MANA', 'throttle', { envelope_id: ids[0], rules })
  const until = new Date(system_clock.now_ms() + 3_600_000).toISOString()
  const hold = { reason: 'looked into', scope: `envelope:${ids[0]}`, until }
  const { hold_id } = await done(chair, 'MANA', 'hold', hold)
  const answer = await everyPage('MANA', { field: 'envelopes' }, () => allocate('four'))
  assertWhole(fieldOf(answer, 'envelope_id'), ids.toReversed())
  assert.equal(answer.find(({ envelope_id }) => envelope_id === ids[2])?.state, 'CLOSED')
  const [two] = (await done(chair, 'MANA', 'list', { envelope_id: ids[1], include_detail: true })).envelopes
  assert.deepEqual([two.day.limit, two.members, two.version], ['2.000000', [other.agent_did], 2])
  const limits = two.detail.versions.map((version: Fields) => version.max_per_day_usd)
  assert.deepEqual(limits, ['2.000000', '1.000000'])
  const one = answer.find(({ envelope_id }) => envelope_id === ids[0])
  assert.deepEqual(one?.throttle.rules, [{ match: 'svc.marc.*', factor_bps: 5000 }])
  const closed = await everyPage('MANA', { field: 'envelopes', state: 'CLOSED' })
  assert.deepEqual(fieldOf(closed, 'envelope_id'), [ids[2]])
  const holds = await everyPage('MANA', { field: 'holds', kind: 'holds', state: 'HELD' })
  assert.deepEqual(
    holds.map((listed_hold) => [listed_hold.hold_id, listed_hold.reason, listed_hold.scope]),
    [[hold_id, hold.reason, hold.scope]],
  )
  assert.deepEqual(await everyPage('MANA', { field: 'envelopes' }, undefined, rival), [])
})

test('MADE: contracts of both sides with their terms, and assets with their holds', async () => {
  const coin = { kind: 'token', rail: 'internal', denomination: 'COIN', settlement_finality_seconds: 0 }
  for (const asset_id of ['coin-a', 'coin-b', 'coin-c'])
    await done(chair, 'MADE', 'asset_definition_publish', { asset_id, ...coin })
  const obligations = [{ id: 'fee', from: 'proposer', asset_id: 'coin-a', amount: '25' }]
  const offer = async (memo: string) => {
    const input = { counterparty_did: other.agent_did, obligations, memo }
    return (await done(chair, 'MADE', 'economic_contract_create', input)).contract_id as string
  }
  const ids = [await offer('first'), await offer('second'), await offer('third')]
  await postJournal(service.service.store.engine, {
    ...{ tenant_id: 'dev', kind: 'test', ref: 'test', at: '2026-01-01T00:00:00Z' },
    correlation_id: '00000000-0000-4000-8000-000000000000',
    entries: [
      { tenant_id: 'dev', asset_id: 'coin-a', type: 'issuance', amount: -25n },
      { tenant_id: 'dev', did: chair.agent_did, asset_id: 'coin-a', type: 'available', amount: 25n },
    ],
  })
  await done(other, 'MADE', 'economic_contract_create', { contract_id: ids[0] })
  await done(chair, 'MADE', 'economic_contract_settle', { contract_id: ids[0] })
  const answer = await everyPage('MADE', { field: 'contracts' }, () => offer('fourth'))
  assertWhole(fieldOf(answer, 'contract_id'), ids.toReversed())
  const offered = await everyPage('MADE', { field: 'contracts', state: 'OFFERED' })
  assert.ok(offered.length === 3 && !offered.some(({ contract_id }) => contract_id === ids[0]))
  const [one] = (await done(other, 'MADE', 'list', { contract_id: ids[0], include_detail: true })).contracts
  assert.deepEqual(one.owed, [{ from: 'proposer', asset_id: 'coin-a', amount: '25', settled: '25' }])
  assert.equal(one.detail.terms.memo, 'first')
  assert.equal(one.detail.settlements[0].lines[0].amount, '25')
  assert.equal(one.detail.signatures.length, 2)
  const large = ['a', 'b'].map((id) => ({ ...obligations[0], id, amount: '9'.repeat(31) }))
  const huge = { counterparty_did: other.agent_did, obligations: large, memo: 'huge' }
  const { contract_id } = await done(chair, 'MADE', 'economic_contract_create', huge)
  const [most] = (await done(other, 'MADE', 'list', { contract_id })).contracts
  assert.equal(most.owed[0].amount, String(2n * 10n ** 31n - 2n))
  const assets = await everyPage('MADE', { field: 'assets', kind: 'assets' })
  assert.deepEqual(fieldOf(assets, 'asset_id'), ['coin-a', 'coin-b', 'coin-c'])
  const balancesOf = ({ balances }: Fields) => balances.map(({ type, balance }: Fields) => [type, balance])
  assert.deepEqual(balancesOf(assets[0]!), [['available', '25'], ['issuance', '-25']]) // biome-ignore format: kept on one line
  const third = await newParty('dev')
  const [asset] = (await done(third, 'MADE', 'list', { kind: 'assets', asset_id: 'coin-a' })).assets
  assert.deepEqual(balancesOf(asset), [['issuance', '-25']], 'what somebody else owns is not told')
  assert.deepEqual(await everyPage('MADE', { field: 'contracts' }, undefined, rival), [])
})

test('MACS: identities with parents and states; credentials only to the charter and to oneself', async () => {
  const { engine } = service.service.store
  const { did: child } = await done(chair, 'MACS', 'derive', { entity_kind: 'Agent', label: 'a', index: 0 })
  const gone = await newParty('dev')
  await revokeIdentity(engine, { tenant_id: 'dev', did: gone.agent_did, reason: 'lost', by: 'test' })
  const spare = await issueKey(engine, { tenant_id: 'dev', did: other.agent_did, mode: 'test' })
  await revokeKey(engine, 'dev', spare.key_id)
  const agent_dids = [chair, other, gone].map(({ agent_did }) => agent_did)
  const before = [...agent_dids, child].sort()
  const answer = await everyPage('MACS', { field: 'items', entity_kind: 'Agent' }, () => newParty('dev'))
  const dids = answer.map(({ did }) => did)
  assertWhole(dids, dids.toSorted())
  assert.deepEqual(
    dids.filter((did) => before.includes(did)),
    before,
  )
  const of = (did: string) => answer.find((one) => one.did === did)!
  assert.deepEqual([of(child).parent_did, of(child).credentials.keys_live], [chair.agent_did, 0])
  assert.deepEqual([of(gone.agent_did).state, of(gone.agent_did).revoked.reason], ['revoked', 'lost'])
  const { keys_live, keys_ended, in_custody } = of(other.agent_did).credentials
  assert.deepEqual([keys_live, keys_ended, in_custody], [1, 1, true])
  assert.equal(of(chair.agent_did).in_charter, true)
  const items = await everyPage('MACS', { field: 'items' }, undefined, other)
  assert.deepEqual(
    items.filter(({ credentials }) => credentials).map(({ did }) => did),
    [other.agent_did],
  )
  const [alone] = await everyPage('MACS', { field: 'items', did: child })
  assert.equal(alone?.did, child)
  assert.deepEqual(await everyPage('MACS', { field: 'items', did: child, entity_kind: 'Tool' }), [])
  const theirs = await everyPage('MACS', { field: 'items' }, undefined, rival)
  assert.deepEqual(fieldOf(theirs, 'did'), [rival.agent_did])
})

test('MAZE: plugins and endpoints with reasons to the operator, and those serving to everybody', async () => {
  const { engine } = service.service.store
  const plugin = {
    digest: 'a'.repeat(64),
    protocol: 'FORGE',
    plugin_type: 'Protocol',
    signed_by: null,
    signed_at: null,
    min_svc_version: null,
    operations: ['smelt'],
    capabilities: [],
  }
  const good = { state: 'Registered', reason: '', why: '', accepted: true } as const
  const bad = { state: 'Pending', reason: 'signature missing', why: 'It is not signed.', accepted: false } as const // biome-ignore format: kept on one line
  for (const [name, state] of [['one', good], ['two', bad], ['three', bad]] as const) // biome-ignore format: kept on one line
    await keepSeen(engine, { ...plugin, name, version: 'v1.0.0', ...state }, new Date().toISOString())
  const operator = await newParty(service.operator.tenant_id)
  const all = await everyPage('MAZE', { field: 'plugins' }, undefined, operator)
  assert.deepEqual(all.map(({ name, why }) => [name, why]).sort(), [
    ['one', ''],
    ['three', 'It is not signed.'],
    ['two', 'It is not signed.'],
  ])
  const answer = await everyPage('MAZE', { field: 'plugins' })
  assert.deepEqual(
    answer.map(({ name, reason }) => [name, reason]),
    [['one', undefined]],
  )
  const { id } = await keepRegistration(engine, {
    name: 'FORGE',
    version: 'v9.0.0',
    endpoint: 'https://forge.example',
    timeout_ms: 1000,
    operations: ['smelt'],
    did: service.operator.did,
    weight: 1,
  })
  await asOwner(service.db_url, (client) =>
    client.query('UPDATE external_protocols SET enabled = false WHERE id = $1', [id]),
  )
  const query = { field: 'endpoints', kind: 'endpoints', protocol: 'forge' }
  const [off] = await everyPage('MAZE', query, undefined, operator)
  assert.deepEqual([off?.state, off?.endpoint], ['disabled', 'https://forge.example'])
  assert.deepEqual(await everyPage('MAZE', query), [])
})

test('a guest is admitted by treaty and sees no items; an invalid cursor is refused', async () => {
  for (const protocol of ['MIM', 'MOON', 'MACS']) {
    const request = { protocol, operation: 'list', input: {}, tenant_id: 'dev' }
    const reason = 'not your organization'
    assertRefusal(await dispatch(rival, request), { code: 'policy_denied', stage: 7, reason })
  }
  for (const protocol of ['MIM', 'MOON', 'MOTE', 'MANA', 'MADE', 'MACS', 'MAZE']) {
    const request = { protocol, operation: 'list', input: { cursor: 'AAAA' } }
    assertRefusal(await dispatch(chair, request), { code: 'invalid_payload', stage: 7, reason: 'cursor' })
  }
})
