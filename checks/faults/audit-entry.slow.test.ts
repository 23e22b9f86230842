// Callers add entries while PostgreSQL is killed, retrying until answered: each entry is in the log exactly
// once.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmbeddedPostgres } from '@svc/adapters/store/embedded-postgres'
import { waitForExit } from '@svc/adapters/store/os-process'
import { asOwner } from '@svc/audit/test-audit-log'
import { storedRecords } from '@svc/audit/test-stored'
import { dispatch, type RunningEngine } from '../engines/running-engine.ts'
import { hang_ms_max, until } from '../suite/eventually.ts'
import { pace } from '../suite/real-time.ts'
import { drained } from './scene/audit-log-check.ts'
import { announce, type Chance, is_long, openChance, report } from './scene/chance.ts'
import { readChain } from './scene/exported-chain.ts'
import { familyOf, openScene, signal } from './scene/scene.ts'

const entries = is_long ? 2_000 : 60
const kills = is_long ? 40 : 3
const callers = 12
const retry_ms = 50

interface Run {
  readonly engine: RunningEngine
  readonly chance: Chance
  /** Answers by key: the record each one named. */
  readonly answers: Map<string, string[]>
  readonly refused: Map<string, number>
  unanswered: number
}

test('an entry is recorded exactly once, however often PostgreSQL is killed', {
  timeout: 1_800_000,
}, async (t) => {
  const chance = openChance()
  announce(t, import.meta.filename, entries, chance)
  const scene = openScene(t)
  const database = await scene.startDatabase('database')
  const env = { SVC_DB_URL: database.url, SVC_LOG: 'error', SVC_RATE_LIMITS: 'off' }
  const engine = await scene.start('engine', { env })
  const run: Run = { engine, chance, answers: new Map(), refused: new Map(), unanswered: 0 }
  const keys = Array.from({ length: entries }, (_, place) => `entry-${place}`)
  const queue = keys.values()
  const working = Promise.all(Array.from({ length: callers }, () => work(run, queue)))
  const killing = killAgainAndAgain(run, database, () => scene.startDatabase('database'))
  await Promise.all([working, killing])
  await drained(engine)
  const { hashes } = await readChain({ data_dir: '', db_url: database.url }, engine.tenant_id)
  const notes = await readNotes(database.url, engine.tenant_id)
  const faults = keys.flatMap((key) => {
    const records = notes.filter((note) => note.key === key)
    const answers = new Set(run.answers.get(key))
    if (records.length !== 1 || answers.size !== 1)
      return [`${key}: ${records.length} records, ${answers.size} answers`]
    const { seq } = records[0]!
    const answer = JSON.parse([...answers][0]!)
    const is_same = answer.seq === seq && answer.record_hash === hashes[seq - 1]
    return is_same && hashes.includes(answer.chain_head) ? [] : [`${key}: the answer names another record`]
  })
  assert.deepEqual(faults, [])
  report(t, {
    entries,
    kills,
    answers: [...run.answers.values()].flat().length,
    unanswered: run.unanswered,
    refused: [...run.refused].map(([code, times]) => `${code}:${times}`).join(',') || 0,
  })
})

async function readNotes(db_url: string, tenant_id: string): Promise<{ key: string; seq: number }[]> {
  const records = await asOwner(db_url, (client) => storedRecords(client, tenant_id))
  return records.flatMap(({ seq, body }) => {
    const { event_type, meta } = JSON.parse(body!)
    return event_type === 'custom.kept' ? [{ seq, key: meta.supplied.key }] : []
  })
}

async function work(run: Run, queue: Iterable<string>): Promise<void> {
  for (const key of queue) {
    await askUntilAnswered(run, key)
    // A retry returns the same record.
    if (run.chance.below(3) === 0) await askUntilAnswered(run, key)
  }
}

async function askUntilAnswered(run: Run, key: string): Promise<void> {
  const { engine, answers, refused } = run
  const input = { event_type: 'custom.kept', meta: { key } }
  const request = { protocol: 'MAX', operation: 'audit_log_entry', input, idempotency_key: key }
  for (;;) {
    const answer = await dispatch(engine, request).catch(() => undefined)
    if (!answer) run.unanswered++
    else if (answer.status === 200) {
      answers.set(key, [...(answers.get(key) ?? []), JSON.stringify(answer.body.output)])
      return
    } else {
      const { code, retryable } = answer.body.error
      assert.ok(
        retryable && code !== 'internal',
        `${key} was refused for good: ${JSON.stringify(answer.body)}\n${engine.stderr()}`,
      )
      refused.set(code, (refused.get(code) ?? 0) + 1)
    }
    await pace(retry_ms)
  }
}

/** Kills after a varying number of answers, so that calls are hit at any step. */
async function killAgainAndAgain(
  { answers, chance }: Run,
  database: EmbeddedPostgres,
  startAgain: () => Promise<EmbeddedPostgres>,
): Promise<void> {
  let { pid } = database
  for (let i = 0; i < kills; i++) {
    const target = answers.size + 1 + chance.below(Math.floor(entries / kills / 2))
    await until('the callers have their answers', () => answers.size >= Math.min(target, entries))
    await pace(chance.below(40))
    signal(familyOf(pid), 'SIGKILL')
    assert.ok(await waitForExit(pid, hang_ms_max), 'PostgreSQL did not go down')
    pid = (await startAgain()).pid
  }
}
