// The topic has every committed record in chain order, whatever happened to the broker and the engines.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { type KafkaOptions, openKafka } from '@svc/adapters/sink/kafka'
import type { HandedRecord } from '@svc/audit/sinks/fan-out-store'
import { asOwner, entryOf, exportLines, newFolder, openTestAuditLog } from '@svc/audit/test-audit-log'
import { verifyExport } from '@svc/sdk/verify/export'
import { startInProcess } from '../engines/in-process.ts'
import { openReplicas, type Replica, type Replicas } from '../engines/replicas.ts'
import { type Addresses, dispatch } from '../engines/running-engine.ts'
import { addScramUser, findKafkaMissing, startKafka, type TestKafka } from '../neighbours/test-kafka.ts'
import { testTls } from '../neighbours/test-tls.ts'
import { createTopic, readTopic, type TopicMessage } from '../neighbours/test-topic.ts'
import { until } from '../suite/eventually.ts'
import { pace, stopwatch } from '../suite/real-time.ts'
import { ask as askOnce, emit, entry } from './scene/callers.ts'
import { announce, type Chance, is_long, openChance, quantile, report } from './scene/chance.ts'

const missing = findKafkaMissing()
const topic = 'svc.audit'
const partitions = 3

test('over TLS with a password the topic matches the chain, also after the broker was killed', {
  skip: missing,
  timeout: 300_000,
}, async (t) => {
  const { kafka, secure } = await openSecureKafka(t)
  const service = await startInProcess({ config: { kafka: secure } })
  t.after(() => service.stop())
  const rival = await service.newCaller({ tenant_id: 'rival' })
  await ask([service, rival], 10)
  await isForwarded(service.db_url)
  await kafka.kill()
  await ask([service, rival], 10)
  assert.equal((await fetch(`${service.api_url}/ready`)).status, 200)
  await until('the lag is measured', async () => (await lagOf(service.metrics_url)) > 0)
  await kafka.start()
  await isForwarded(service.db_url)
  const messages = await readTopic(kafka.broker, topic)
  for (const { tenant_id } of [service, rival]) await assertChain(service.db_url, tenant_id, messages)
  // Verify that the oracle itself can fail.
  const fifth = ({ key, headers }: TopicMessage) => key === 'rival' && headers.seq === '5'
  const without = messages.filter((message) => !fifth(message))
  assert.ok(without.length < messages.length)
  await assert.rejects(assertChain(service.db_url, 'rival', without))
  await assert.rejects(assertChain(service.db_url, 'rival', messages.toReversed()))
  await assertLogins(secure)
})

/** Each outlet sends one record, or says why not. */
async function assertLogins(secure: KafkaOptions): Promise<void> {
  const { tls, sasl } = secure
  const record = { tenant_id: 'one', seq: 1, event_type: 'e', record_id: 'r', previous_hash: 'p', line: '{}' }
  const sendBy = async (options: Partial<KafkaOptions>) => {
    const outlet = openKafka({ ...secure, ...options })
    await outlet.send([record as unknown as HandedRecord]).finally(() => outlet.close())
  }
  await sendBy({ sasl: { mechanism: 'PLAIN', ...plain_user } })
  await assert.rejects(
    sendBy({ sasl: { ...sasl!, password: 'wrong' } }),
    /invalid credentials|authentication/i,
  )
  await assert.rejects(sendBy({ tls: { ...tls!, ca_file: undefined } }), /certificate/)
}

const scram_user = { username: 'svc', password: 'scram-password' }
const plain_user = { username: 'plain', password: 'plain-password' }

async function openSecureKafka(t: TestContext): Promise<{ kafka: TestKafka; secure: KafkaOptions }> {
  const tls = testTls()
  t.after(() => tls.close())
  const broker = tls.issue('broker')
  const kafka = await startKafka({
    ca_file: tls.ca_file,
    pair_file: tls.write('broker.pem', broker.key + broker.cert),
    user: { name: plain_user.username, password: plain_user.password },
  })
  t.after(() => kafka.close())
  await createTopic(kafka.broker, topic, partitions)
  addScramUser(kafka.broker, scram_user.username, scram_user.password)
  const { ca_file } = tls
  const { cert_file, key_file } = tls.issue('engine')
  const sasl = { mechanism: 'SCRAM-SHA-512', ...scram_user } as const
  return {
    kafka,
    secure: { brokers: [kafka.secure_broker], topic, tls: { ca_file, cert_file, key_file }, sasl },
  }
}

async function openKafkaBroker(t: TestContext): Promise<TestKafka> {
  const kafka = await startKafka()
  t.after(() => kafka.close())
  await createTopic(kafka.broker, topic, partitions)
  return kafka
}

async function ask(callers: readonly Addresses[], times: number): Promise<void> {
  const input = { event_type: 'custom.load', meta: { n: 1 } }
  for (let i = 0; i < times; i++) {
    const calls = callers.map((caller) =>
      dispatch(caller, { protocol: 'MAX', operation: 'audit_log_entry', input }),
    )
    for (const { status } of await Promise.all(calls)) assert.equal(status, 200)
  }
}

async function lagOf(metrics_url: string): Promise<number> {
  const text = await (await fetch(metrics_url)).text()
  return Number(/^svc_audit_fan_out_lag (\d+)$/m.exec(text)?.[1])
}

const behind = `
  SELECT FROM chain_heads h LEFT JOIN audit_fan_out_cursors c ON c.topic = $1 AND c.tenant_id = h.tenant_id
  WHERE h.seq > coalesce(c.seq, 0) LIMIT 1`

async function isForwarded(db_url: string): Promise<void> {
  await asOwner(db_url, (client) =>
    until('all is handed on', async () => (await client.query(behind, [topic])).rows.length === 0),
  )
}

/** Reads the topic as a consumer would: drops duplicates by seq, then compares with the export. */
async function assertChain(
  db_url: string,
  tenant_id: string,
  messages: readonly TopicMessage[],
): Promise<number> {
  const own = messages.filter(({ key }) => key === tenant_id)
  const places = new Set(own.map(({ partition }) => partition))
  assert.equal(places.size, 1, `the chain of ${tenant_id} stands in one partition`)
  const chain: string[] = []
  for (const { headers, value } of own) if (Number(headers.seq) === chain.length + 1) chain.push(value)
  const exported = await exportLines(db_url, tenant_id)
  const isRecord = (line: string) => line.startsWith('{"record"')
  const notes = exported.slice(1).filter((line) => !isRecord(line))
  const verdict = await verifyExport([exported[0]!, ...chain, ...notes])
  assert.deepEqual([verdict.ok, verdict.reason], [true, undefined])
  assert.deepEqual(chain, exported.filter(isRecord))
  for (const { headers, value } of own) {
    const { record } = JSON.parse(value)
    assert.deepEqual(
      [record.event_type, String(record.seq), record.id],
      [headers.event_type, headers.seq, headers.record_id],
    )
  }
  return own.length - chain.length
}

const bulk_records = 90_000
const records_wanted = 100_000
const faults_count = 16
const tenants = ['dev', 'rival', 'third', 'fourth']

interface Scene {
  readonly kafka: TestKafka
  readonly replicas: Replicas
  readonly running: Map<string, Replica>
  readonly took_over_ms: number[]
}

test('100,000 records, kills of brokers and engines: none missing, none out of order', {
  skip: missing ?? (is_long ? false : 'long form only'),
  timeout: 1_500_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, records_wanted, chance)
  const kafka = await openKafkaBroker(t)
  const master_key = randomBytes(32)
  const settings = { kafka: { brokers: [kafka.broker], topic }, master_key: master_key.toString('hex') }
  const replicas = await openReplicas(settings)
  t.after(() => replicas.close())
  await writeBulk(replicas.db_url)
  const elapsed_ms = stopwatch()
  const scene: Scene = { kafka, replicas, running: new Map(), took_over_ms: [] }
  for (const name of ['one', 'two']) scene.running.set(name, await replicas.start(name))
  const callers = await openCallers(scene, chance)
  for (let i = 0; i < faults_count; i++) await breakSomething(scene, chance, i)
  await until('there are enough records', async () => (await countRecords(replicas.db_url)) >= records_wanted)
  await callers.stop()
  await isForwarded(replicas.db_url)
  const took_s = elapsed_ms() / 1000
  const messages = await readTopic(kafka.broker, topic)
  let doubles = 0
  const chains = await chainsOf(replicas.db_url)
  for (const tenant_id of ['bulk', ...tenants]) assert.ok(chains.includes(tenant_id))
  for (const tenant_id of chains) doubles += await assertChain(replicas.db_url, tenant_id, messages)
  const records = await countRecords(replicas.db_url)
  assert.equal(messages.length, records + doubles)
  const take_over_ms_max = quantile(scene.took_over_ms, 1)
  report(t, { records, doubles, missing: 0, faults: faults_count, take_over_ms_max, took_s })
})

/** The operator's too, if anything was recorded there. */
const chainsOf = (db_url: string): Promise<string[]> =>
  asOwner(db_url, async (client) => {
    const { rows } = await client.query<{ tenant_id: string }>(
      'SELECT tenant_id FROM chain_heads WHERE seq > 0',
    )
    return rows.map(({ tenant_id }) => tenant_id)
  })

/** Written before any engine tracks them, so that they are found by a scan. */
async function writeBulk(db_url: string): Promise<void> {
  const audit_log = await openTestAuditLog(db_url, await newFolder())
  for (let i = 0; i < bulk_records; i++) {
    audit_log.record(entryOf('bulk'))
    if (i % 1_000 === 0) await audit_log.written()
  }
  await audit_log.flush(60_000)
  await audit_log.close()
}

/** Each caller picks any running engine, and goes on to the next call if it got no answer. */
async function openCallers({ replicas, running }: Scene, chance: Chance): Promise<{ stop(): Promise<void> }> {
  const keys = await Promise.all(tenants.map((tenant_id) => replicas.newCaller(tenant_id)))
  let stopped = false
  const call = async (key: Addresses) => {
    while (!stopped) {
      const engines = [...running.values()]
      if (engines.length === 0) await pace(20)
      else await askSafely({ ...key, api_url: chance.pick(engines).api_url }, chance.pick([emit, entry]))
    }
  }
  const askSafely = (engine: Addresses, sort: typeof emit) => askOnce(engine, sort).catch(() => pace(20))
  const calling = Promise.all([...keys, ...keys].map(call))
  return {
    async stop() {
      stopped = true
      await calling
    },
  }
}

async function breakSomething(scene: Scene, chance: Chance, turn: number): Promise<void> {
  const { kafka, running } = scene
  await pace(500 + chance.below(1_500))
  const name = chance.pick(['one', 'two'])
  const replica = running.get(name)!
  switch (turn % 5) {
    case 0:
    case 2:
      running.delete(name)
      await noteTakeOver(scene, () => replica.stop('SIGKILL'))
      running.set(name, await scene.replicas.start(name))
      return
    case 1:
      running.delete(name)
      await noteTakeOver(scene, async () => replica.process.kill('SIGSTOP'))
      replica.process.kill('SIGCONT')
      running.set(name, replica)
      return
    case 3:
      process.kill(kafka.pid, 'SIGSTOP')
      await pace(chance.below(5_000))
      process.kill(kafka.pid, 'SIGCONT')
      return
    default:
      await kafka.kill()
      await pace(chance.below(3_000))
      await kafka.start()
  }
}

const take_over_ms_max = 10_000

/** If the other engine was the forwarder, there is no takeover. */
async function noteTakeOver({ replicas, took_over_ms }: Scene, fault: () => Promise<unknown>): Promise<void> {
  await asOwner(replicas.db_url, async (client) => {
    const epochNow = async () =>
      (await client.query('SELECT epoch FROM audit_fan_out_leases WHERE topic = $1', [topic])).rows[0]?.epoch
    const before = await epochNow()
    const elapsed_ms = stopwatch()
    await fault()
    while (elapsed_ms() < take_over_ms_max) {
      if ((await epochNow()) !== before) return void took_over_ms.push(elapsed_ms())
      await pace(50)
    }
  })
}

async function countRecords(db_url: string): Promise<number> {
  return asOwner(db_url, async (client) =>
    Number((await client.query('SELECT coalesce(sum(seq), 0) AS count FROM chain_heads')).rows[0].count),
  )
}
