import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { vaults } from '@svc/adapters/custody/vault'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { type Books, empty_books } from '@svc/contract/money/books'
import { refuse } from '@svc/contract/refusal'
import { sql } from '@svc/database/sql'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { openJson } from '../../cognition/content/api.ts'
import type { ScoreInput } from './risk-input.ts'
import { compute, type RiskTask } from './risk-job.ts'
import { scoreRisk } from './risk-scoring.ts'
import { sealName } from './risk-store.ts'

let store: TestStore
before(async () => {
  store = await openTestStore()
})
after(() => store.close())

const did = 'did:oas:dev:agent:0'
const vault = vaults(testRootKeys(Buffer.alloc(32, 7)))('dev')

async function score(input: ScoreInput, more: Record<string, unknown> = {}) {
  const calls = { paths: [] as string[], tokens: 0, asked: [] as RiskTask[] }
  const result = await store.as('dev', (db) =>
    scoreRisk(
      input,
      testContext<'audit_log' | 'budgets' | 'compute' | 'model' | 'tokens' | 'vault'>({
        vault,
        db,
        tenant_id: 'dev',
        now: '2026-11-17T00:00:00.000Z',
        caller: { did },
        budgets: { rules: async () => empty_books },
        audit() {},
        takePath: (path: string) => calls.paths.push(path),
        tokens: {
          use(tokens_in: number, tokens_out: number) {
            calls.tokens += tokens_in + tokens_out
          },
        },
        // A few runs suffice: the test checks which ones are requested.
        compute: async (_job: unknown, task: RiskTask) => {
          calls.asked.push(task)
          return compute({ ...task, iterations: 2000 })
        },
        ...more,
      }),
    ),
  )
  return { found: result, ...calls }
}

const factors = [{ id: 'a', frequency: 1, loss_usd: { p5: 10, p95: 100 } }]
const calm: ScoreInput = { subject: 's', factors, appetite: { expected_loss_usd: 1e6, var95_usd: 1e6 } }

async function atTheEdge(): Promise<ScoreInput> {
  const { found } = await score(calm)
  return { ...calm, appetite: { expected_loss_usd: 1e6, var95_usd: found.cvar_95! } }
}

test('an uncertain band is run again and explained by the model; the explanation changes no number', async () => {
  const edge = await atTheEdge()
  const proposing = (propose: () => Promise<unknown>) => ({
    model: { name: 'm', propose },
    signal: undefined,
  })
  const proposed = { value: { rationale: 'Because.' }, tokens_in: 30, tokens_out: 4 }
  const spoken = await score(
    edge,
    proposing(async () => proposed),
  )
  assert.deepEqual(spoken.paths, ['protocol', 'agent'])
  assert.equal(spoken.asked.at(-1)!.iterations, 200_000)
  assert.deepEqual(spoken.found.rationale, { text: 'Because.', model: 'm', verified: false })
  assert.equal(spoken.tokens, 34)
  const silent = await score(
    edge,
    proposing(async () => {
      throw refuse('adapter_error', 'The model is away.')
    }),
  )
  assert.equal(silent.found.rationale, undefined)
  assert.equal(silent.found.risk_ref, spoken.found.risk_ref, 'what was found does not depend on words')
  const sure = await score(
    calm,
    proposing(async () => proposed),
  )
  assert.deepEqual([sure.paths, sure.tokens, sure.found.rationale], [['protocol'], 0, undefined])
})

test('the appetite is the given one, else the limits of the envelope of the caller, else a small default', async () => {
  const { appetite: _, ...open } = calm
  const envelope = {
    envelope_id: 'e',
    department: 'd',
    created_ms: 0,
    day_limit_micro_usd: 2_000_000n,
    month_limit_micro_usd: 50_000_000n,
    members: new Set([did]),
    granted: [],
    throttles: [],
  }
  const books: Books = { ...empty_books, envelopes: [envelope] }
  const limited = { budgets: { rules: async () => books } }
  const appetiteOf = async (input: ScoreInput, more = {}) => (await score(input, more)).found.appetite
  assert.deepEqual(await appetiteOf(open, limited), { expected_loss_usd: 2, var95_usd: 50, from: 'envelope' })
  const half = { ...open, appetite: { var95_usd: 7 } }
  assert.deepEqual(await appetiteOf(half, limited), { expected_loss_usd: 2, var95_usd: 7, from: 'envelope' })
  assert.equal((await appetiteOf(open)).from, 'default')
})

test('the result is always stored, sealed, and the request only if wanted', async () => {
  const storedOf = async (input: ScoreInput) => {
    const { risk_ref, score: told_score } = (await score(input)).found
    const risk_id = risk_ref.slice('mare://risk/'.length)
    const { rows } = await store.as('dev', (db) =>
      sql<{ row_text: string; score: number; sealed: Buffer }>`
        SELECT mare_risks::text AS row_text, score, sealed FROM mare_risks WHERE risk_id = ${risk_id}`.execute(
        db,
      ),
    )
    const [{ row_text, score: stored_score, sealed }] = rows as [(typeof rows)[number]]
    assert.equal(stored_score, told_score)
    for (const text of [input.subject, Buffer.from(input.subject).toString('hex')])
      assert.ok(!row_text.includes(text), row_text)
    const content = openJson<{ subject: string; asked?: unknown }>(vault, sealName(risk_id), sealed)
    assert.equal(content.subject, input.subject)
    return content.asked
  }
  assert.equal(await storedOf({ ...calm, subject: 'unkept words' }), undefined)
  const request = { ...calm, subject: 'kept words' }
  assert.equal(await storedOf(request), undefined)
  assert.deepEqual(await storedOf({ ...request, persist: true }), request)
})
