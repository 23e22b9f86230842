// A chain from its export, used only after the verifier accepted it.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { embeddedUrl } from '@svc/adapters/store/embedded-postgres'
import { exportChain } from '@svc/audit/query/export'
import { verifyExport } from '@svc/sdk/verify/export'
import { exportLines } from '@svc/service/export-lines'
import { Client } from 'pg'

const main = join(import.meta.dirname, '../../../service/main.ts')

export interface Where {
  readonly data_dir: string
  /** Unless the database is in the data folder. */
  readonly db_url?: string
}

/** The records of one correlation id. */
export interface Recorded {
  /** Recorded singly. */
  times: number
  /** Of these, without the code of a refusal. */
  done: number
  /** In the records of counts. */
  counted: number
  readonly codes: unknown[]
}

export interface Chain {
  /** By seq, from 1 on. */
  readonly hashes: string[]
  readonly heads: Set<string>
  readonly outcomes: Map<string, string>
  readonly correlations: Map<string, Recorded>
  readonly doubled_ids: string[]
}

export async function readChain({ data_dir, db_url }: Where, tenant_id: string): Promise<Chain> {
  const client = new Client(db_url ?? (await embeddedUrl(join(data_dir, 'postgres'))))
  // A connection that breaks reports it to its query; without a listener it would also end the process.
  client.on('error', () => {})
  await client.connect()
  try {
    const lines = await Array.fromAsync(exportChain(client, tenant_id))
    const verdict = await verifyExport(lines)
    assert.deepEqual([verdict.ok, verdict.reason], [true, undefined])
    return await readLines(lines, verdict.records)
  } finally {
    await client.end()
  }
}

/** As an operator would: `admin export` into a file, then `verify` with only the file and the log's key. */
export async function exportByCommand(where: Where, tenant_id: string): Promise<Chain> {
  const file = join(where.data_dir, `${tenant_id}.jsonl`)
  const out = openSync(file, 'w')
  try {
    const exported = await runEngine(['admin', 'export', tenant_id, '--data-dir', where.data_dir], where, out)
    assert.equal(exported.code, 0, exported.stderr)
    const key = await runEngine(['admin', 'audit', 'key', tenant_id, '--data-dir', where.data_dir], where)
    const verified = await runEngine(['verify', '--json', '--key', key.stdout.trim(), file], where)
    assert.equal(verified.code, 0, verified.stdout || verified.stderr)
    return await readLines(exportLines(file), JSON.parse(verified.stdout).records)
  } finally {
    closeSync(out)
    rmSync(file, { force: true })
  }
}

async function readLines(lines: AsyncIterable<string> | Iterable<string>, records: number): Promise<Chain> {
  const chain = emptyChain()
  for await (const line of lines) {
    const { record, record_hash } = JSON.parse(line)
    if (record === undefined) continue
    assert.equal(record.seq, chain.hashes.length + 1, 'the chain has a gap')
    chain.hashes.push(record_hash)
    chain.heads.add(record_hash)
    if (chain.outcomes.has(record.id)) chain.doubled_ids.push(record.id)
    chain.outcomes.set(record.id, record.outcome)
    const correlation = chain.correlations.get(record.correlation_id) ?? {
      times: 0,
      done: 0,
      counted: 0,
      codes: [],
    }
    if (record.meta.count === undefined) correlation.times++
    else correlation.counted += record.meta.count
    if (record.meta.code !== undefined) correlation.codes.push(record.meta.code)
    else correlation.done++
    chain.correlations.set(record.correlation_id, correlation)
  }
  assert.equal(chain.hashes.length, records)
  return chain
}

export function emptyChain(): Chain {
  return { hashes: [], heads: new Set(), outcomes: new Map(), correlations: new Map(), doubled_ids: [] }
}

interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** Runs a command of svc-engine to its end, with the database as its only setting. */
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
