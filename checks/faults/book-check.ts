// The oracle: every answered decision is in its chain exactly once, and whoever has the export alone would agree.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, createReadStream, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import type { Addresses } from '../running-engine.ts'
import type { Answered } from './callers.ts'
import { until } from './scene.ts'

const main = join(import.meta.dirname, '../../service/main.ts')
const operator_tenant = 'operator'
const faults_shown_max = 5

export interface Where {
  readonly data_dir: string
  /** Where the database is not the data folder's own. */
  readonly db_url?: string
}

interface Chain {
  /** By seq, from 1 on. */
  readonly hashes: string[]
  readonly heads: Set<string>
  readonly outcomes: Map<string, string>
  readonly correlations: Map<string, { times: number; readonly codes: unknown[] }>
  readonly doubled_ids: string[]
}

export interface Books {
  readonly records: number
  readonly own: Chain
  readonly operator: Chain
}

/** Waits until the journal is empty, exports the books and verifies them as anybody could. */
export async function readBooks(engine: Addresses, where: Where, with_operator = false): Promise<Books> {
  await drained(engine)
  const own = await readChain(where, engine.tenant_id)
  const operator = with_operator ? await readChain(where, operator_tenant) : emptyChain()
  return { own, operator, records: own.hashes.length + operator.hashes.length }
}

export function assertKept(answered: readonly Answered[], books: Books): void {
  const faults = findFaults(answered, books)
  assert.deepEqual(
    faults.slice(0, faults_shown_max),
    [],
    `${faults.length} faults, ${answered.length} answers`,
  )
}

/** What is wrong with the books, given what was answered: nothing, or one sentence each. */
export function findFaults(answered: readonly Answered[], { own, operator }: Books): string[] {
  const doubled = [own, operator].flatMap(({ doubled_ids }) =>
    doubled_ids.map((id) => `record ${id} is there twice`),
  )
  return [
    ...doubled,
    ...answered.flatMap((answer) => compare(answer, answer.sort.book === 'own' ? own : operator)),
  ]
}

/** Everything journalled is in the chain. */
export async function drained(engine: Addresses): Promise<void> {
  await until(
    'the journal is drained',
    async () => (await readMetric(engine, 'svc_audit_pending_bytes')) === 0,
  )
}

export async function readMetric(engine: Addresses, name: string): Promise<number> {
  const page = await (await fetch(engine.metrics_url)).text()
  const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(page)?.[1]
  if (value === undefined) throw new Error(`/metrics has no ${name}`)
  return Number(value)
}

function compare({ sort, correlation_id, record_id, code, head, place }: Answered, chain: Chain): string[] {
  const kept = chain.correlations.get(correlation_id)
  const times = kept?.times ?? 0
  // A refused entry may have got as far as its first record, or not.
  const least = code === null ? sort.records : 1
  const judged = {
    [`${times} of ${least} records`]: times < least,
    [`${times} records instead of ${sort.records}`]: times > sort.records,
    'no success under its record id': record_id !== null && chain.outcomes.get(record_id) !== 'success',
    'no record with its code': code !== null && !kept?.codes.includes(code),
    'its head is not in the chain': head !== null && !chain.heads.has(head),
    'not at its place': place !== null && chain.hashes[place.seq - 1] !== place.record_hash,
  }
  return Object.entries(judged).flatMap(([fault, is_so]) =>
    is_so ? [`${sort.name} ${correlation_id} (${code ?? 'success'}): ${fault}`] : [],
  )
}

async function readChain(where: Where, tenant_id: string): Promise<Chain> {
  const file = join(where.data_dir, `${tenant_id}.jsonl`)
  const out = openSync(file, 'w')
  try {
    const exported = await runEngine(['admin', 'export', tenant_id, '--data-dir', where.data_dir], where, out)
    assert.equal(exported.code, 0, exported.stderr)
    const verified = await runEngine(['verify', '--json', file], where)
    assert.equal(verified.code, 0, verified.stdout || verified.stderr)
    const chain = await readLines(file)
    const verdict = JSON.parse(verified.stdout)
    assert.deepEqual([verdict.ok, verdict.records], [true, chain.hashes.length])
    return chain
  } finally {
    closeSync(out)
    rmSync(file, { force: true })
  }
}

function emptyChain(): Chain {
  return { hashes: [], heads: new Set(), outcomes: new Map(), correlations: new Map(), doubled_ids: [] }
}

async function readLines(file: string): Promise<Chain> {
  const chain = emptyChain()
  for await (const line of createInterface({ input: createReadStream(file, 'utf8') })) {
    const { record, record_hash } = JSON.parse(line)
    if (record === undefined) continue
    assert.equal(record.seq, chain.hashes.length + 1, 'the chain has a gap')
    chain.hashes.push(record_hash)
    chain.heads.add(record_hash)
    if (chain.outcomes.has(record.id)) chain.doubled_ids.push(record.id)
    chain.outcomes.set(record.id, record.outcome)
    const kept = chain.correlations.get(record.correlation_id) ?? { times: 0, codes: [] }
    kept.times++
    if (record.meta.code !== undefined) kept.codes.push(record.meta.code)
    chain.correlations.set(record.correlation_id, kept)
  }
  return chain
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of svc-engine to its end, with no setting of its own but the database. */
export async function runEngine(
  args: readonly string[],
  { db_url }: Pick<Where, 'db_url'> = {},
  out: number | 'pipe' = 'pipe',
): Promise<Ended> {
  const foreign = Object.entries(process.env).filter(([name]) => !name.startsWith('SVC_'))
  const env = { ...Object.fromEntries(foreign), ...(db_url && { SVC_DB_URL: db_url }) }
  const child = spawn(process.execPath, [main, ...args], { env, stdio: ['ignore', out, 'pipe'] })
  const [stdout, stderr, [code]] = await Promise.all([
    child.stdout ? text(child.stdout) : '',
    text(child.stderr!),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}
