// Bytes a call leaves: rows and indexes, write-ahead log, journal, Redis keys, a Kafka message. And whose CPU
// it took.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { embeddedUrl } from '@svc/adapters/store/embedded-postgres'
import { recordLine } from '@svc/audit/query/export'
import { storedRecords } from '@svc/audit/test-stored'
import { Client } from 'pg'
import { dispatch, type RunningEngine, startEngine } from '../engines/running-engine.ts'
import { familyOf } from '../faults/scene/scene.ts'
import { startRedis, type TestRedis } from '../neighbours/test-redis.ts'
import { until } from '../suite/eventually.ts'
import { runLoad } from './load.ts'
import { headersFor, trivialCall } from './targets.ts'

const calls_alone = 300
const shown_bytes_min = 0.5
/** The kernel's CPU clock ticks. */
const ticks_per_s = 100
/** Per message of a batch in Kafka's format, with its share of the batch header at 100 per batch. */
const kafka_frame_bytes = 20

interface Scene {
  readonly engine: RunningEngine
  readonly redis: TestRedis
  readonly client: Client
}

export async function measureStorage(load: { readonly seconds: number; readonly connections: number }) {
  const data_dir = mkdtempSync(join(tmpdir(), 'svc-bench-storage-'))
  const redis = await startRedis()
  try {
    const env = { SVC_LOG: 'error', SVC_RATE_LIMIT_BACKEND: 'redis', SVC_REDIS_URL: redis.url }
    const engine = await startEngine({ data_dir, env })
    const client = new Client(await embeddedUrl(join(data_dir, 'postgres')))
    try {
      await client.connect()
      return await figuresOf({ engine, redis, client }, headersFor(engine, data_dir), load)
    } finally {
      await client.end()
      await engine.stop()
    }
  } finally {
    await redis.close()
    rmSync(data_dir, { recursive: true, force: true })
  }
}

async function figuresOf(
  scene: Scene,
  headers: Readonly<Record<string, string>>,
  { seconds, connections }: { readonly seconds: number; readonly connections: number },
): Promise<Figures> {
  const { engine, redis, client } = scene
  const body = trivialCall(engine.tenant_id)
  const load = { url: `${engine.api_url}/v1/dispatch`, headers, body, connections }
  // The first calls create pages, plans and compiled code that later calls reuse.
  await runLoad({ ...load, seconds: 2 })
  const busy = await between(scene, () => runLoad({ ...load, seconds }))
  const alone = await between(scene, () => oneByOne(engine))
  const kafka_message = await messageBytes(client, engine.tenant_id)
  const figures = { busy, alone, redis: await redisBytes(redis), kafka_message }
  print(figures)
  return figures
}

/** Keyed writes, each awaited: nothing is batched, so every record has its own checkpoint. */
async function oneByOne(engine: RunningEngine): Promise<void> {
  for (let i = 0; i < calls_alone; i++) {
    const input = { event_type: 'custom.bench', meta: { n: i } }
    const request = { protocol: 'MAX', operation: 'audit_log_entry', input, idempotency_key: `bench-${i}` }
    const { status } = await dispatch(engine, request)
    if (status !== 200) throw new Error(`a call was answered ${status}`)
  }
}

interface Seen {
  readonly records: number
  readonly checkpoints: number
  readonly wal: number
  readonly journal: { readonly segment: number; readonly offset: number }
  readonly cpu_s: Readonly<Record<string, number>>
  readonly tables: ReadonlyMap<string, { readonly bytes: number; readonly indexes: number }>
}

async function between(scene: Scene, work: () => Promise<unknown>) {
  const before = await look(scene)
  await work()
  const after = await look(scene)
  const records = after.records - before.records
  const per = (bytes: number) => Number((bytes / records).toFixed(1))
  const tables = [...after.tables].map(([name, now]) => {
    const then = before.tables.get(name) ?? { bytes: 0, indexes: 0 }
    return { name, bytes: per(now.bytes - then.bytes), of_it_indexes: per(now.indexes - then.indexes) }
  })
  const same_segment = before.journal.segment === after.journal.segment
  return {
    records,
    checkpoints: after.checkpoints - before.checkpoints,
    per_record: {
      wal: per(after.wal - before.wal),
      journal: same_segment ? per(after.journal.offset - before.journal.offset) : undefined,
      cpu_us: Object.fromEntries(
        Object.entries(after.cpu_s).map(([name, s]) => [name, per((s - before.cpu_s[name]!) * 1e6)]),
      ),
      tables: tables.filter(({ bytes }) => bytes >= shown_bytes_min).sort((a, b) => b.bytes - a.bytes),
    },
  }
}

/** Partitions count for their table. */
export const sizes_sql = `
  SELECT coalesce(pg_partition_root(oid), oid)::regclass::text AS name,
    sum(pg_total_relation_size(oid))::float8 AS bytes, sum(pg_indexes_size(oid))::float8 AS indexes
  FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace GROUP BY 1`
const counts_sql = `
  SELECT (SELECT coalesce(sum(seq), 0)::float8 FROM chain_heads) AS records,
    (SELECT count(*)::float8 FROM audit_checkpoints) AS checkpoints,
    pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 AS wal`

/** After everything answered is in the chain. */
async function look({ engine, redis, client }: Scene): Promise<Seen> {
  await emptyJournal(engine)
  const { rows: counts } = await client.query(counts_sql)
  const { rows: sizes } = await client.query(sizes_sql)
  const { rows: places } = await client.query(
    'SELECT segment::float8, byte_offset::float8 AS "offset" FROM journal_positions',
  )
  const { rows: own } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return {
    ...counts[0],
    journal: places[0],
    tables: new Map(sizes.map(({ name, bytes, indexes }) => [name, { bytes, indexes }])),
    cpu_s: {
      engine: cpuSeconds(engine.process.pid!),
      redis: cpuSeconds(redis.pid),
      postgres: familyOf(parentOf(own[0]!.pid)).reduce((sum, pid) => sum + cpuSeconds(pid), 0),
    },
  }
}

/** Until everything answered is in the database. */
export async function emptyJournal(engine: RunningEngine): Promise<void> {
  await until('the journal is empty', async () => (await metric(engine, 'svc_audit_pending_bytes')) === 0)
}

async function metric({ metrics_url }: RunningEngine, name: string): Promise<number> {
  const text = await (await fetch(metrics_url)).text()
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  )
}

/** The fields after the name, which may contain anything. */
function statOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
}

function parentOf(pid: number): number {
  return Number(statOf(pid)[1])
}

function cpuSeconds(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11]) + Number(fields[12])) / ticks_per_s
}

async function redisBytes(redis: TestRedis): Promise<Record<string, number>> {
  const keys = (await redis.command('KEYS svc:*')).match(/svc:\{[^\s]+/g) ?? []
  const sizes: Record<string, number> = {}
  for (const key of keys) sizes[key] = Number((await redis.command(`MEMORY USAGE ${key}`)).replace(/\D/g, ''))
  return sizes
}

/** As built by adapters/sink/kafka.ts: the record's line, the tenant as key, four headers. */
async function messageBytes(client: Client, tenant_id: string): Promise<number> {
  const [newest] = (await storedRecords(client, tenant_id)).slice(-1)
  const { event_type } = JSON.parse(newest!.body!)
  const headers = `event_typeseqrecord_idprevious_hash${event_type}`.length + 8 + 36 + 64
  const line = recordLine(newest!.body!, newest!.record_hash)
  return Buffer.byteLength(line) + tenant_id.length + headers + kafka_frame_bytes
}

interface Figures {
  readonly busy: Awaited<ReturnType<typeof between>>
  readonly alone: Awaited<ReturnType<typeof between>>
  readonly redis: Readonly<Record<string, number>>
  readonly kafka_message: number
}

function print({ busy, alone, redis, kafka_message }: Figures): void {
  for (const [name, { records, checkpoints, per_record }] of Object.entries({ busy, alone })) {
    const { wal, journal, cpu_us } = per_record
    console.log(`\n${name}: ${records} records, ${checkpoints} checkpoints; each record, in bytes:`)
    console.log(
      `  write-ahead log ${wal}, journal ${journal ?? 'not known'}; CPU in µs ${JSON.stringify(cpu_us)}`,
    )
    for (const table of per_record.tables)
      console.log(
        `  ${table.name.padEnd(28)} ${String(table.bytes).padStart(8)}, of it indexes ${table.of_it_indexes}`,
      )
  }
  console.log(
    `\nRedis, bytes by key: ${JSON.stringify(redis, null, 2)}\nKafka, bytes a message: ${kafka_message}`,
  )
}
