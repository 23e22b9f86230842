import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openKeystore } from '@svc/adapters/custody/keystore'
import { static_embedder } from '@svc/adapters/embeddings/static-table'
import { testRootKeys } from '@svc/audit/sealing/test-root-keys'
import { asOwner } from '@svc/audit/test-audit-log'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import { testContext } from '../../../checks/rehearsal/test-context.ts'
import { openTestStore, type TestStore } from '../../../checks/rehearsal/test-store.ts'
import { redact } from '../mame/redact.ts'
import { dependentsOf, linkContent } from './link.ts'
import { keepContent, type NewContent, readContent, readContents, replaceContent } from './store.ts'

let test_store: TestStore
before(async () => {
  test_store = await openTestStore()
})
after(() => test_store.close())

const custody = openKeystore(testRootKeys(Buffer.alloc(32, 7)))
const didOf = (tenant_id: string) => `did:oas:${tenant_id}:agent:${'a'.repeat(64)}`
const newRef = () => `mind://cell/${randomUUID()}`

/** Runs a handler of this tenant, this many seconds into the day. */
function as<Result>(
  second: number,
  work: (
    context: OperationContext<'audit_log' | 'embedder' | 'requireAuthority' | 'vault'>,
  ) => Promise<Result>,
  tenant_id = 'acme',
): Promise<Result> {
  return test_store.as(tenant_id, (db) =>
    work(
      testContext<'audit_log' | 'embedder' | 'requireAuthority' | 'vault'>({
        db,
        tenant_id,
        now: new Date(Date.UTC(2026, 10, 15) + second * 1_000).toISOString(),
        vault: custody.vault(tenant_id),
        embedder: static_embedder,
        record_id: randomUUID(),
        caller: { did: didOf(tenant_id) },
        invoke: { correlation_id: randomUUID() },
        audit_log: { settled: async () => {} },
        signal: new AbortController().signal,
        audit() {},
      }),
    ),
  )
}

const keep = (content: Partial<NewContent> & { ref: string }, second = 0, tenant_id?: string) =>
  as(second, (context) => keepContent(context, { kind: 'episodic', body: {}, ...content }), tenant_id)
const read = (ref: string, at = {}, tenant_id?: string) =>
  as(0, (context) => readContent(context, ref, at), tenant_id)
const isRefusal = (reason: string) => (thrown: unknown) =>
  thrown instanceof Refusal && thrown.details.reason === reason

test('content is stored sealed, with a commitment that its salt opens', async () => {
  const ref = newRef()
  const body = { text: 'Grüße, 世界', list: [1, null, { deep: true }] }
  const { created, commitment } = await keep({ ref, body })
  const content = await read(ref)
  assert.deepEqual([created, content?.body, content?.version, content?.status], [true, body, 1, 'current'])
  const [row] = await rowsOf(ref)
  const salted = createHash('sha256').update(row.salt).update(canonicalJson(body)).digest('hex')
  assert.deepEqual([content?.commitment, salted], [commitment, commitment])
  assert.ok(!row.sealed.includes('Grüße'))
})

const rowsOf = (ref: string) =>
  asOwner(test_store.database.url, async (owner) => {
    const joined = `SELECT * FROM content JOIN content_key USING (tenant_id, ref, version)`
    return (await owner.query(`${joined} WHERE ref = $1 ORDER BY version`, [ref])).rows
  })

test('a box opens only under its own reference: swapped rows are detected', async () => {
  const [one, other] = [newRef(), newRef()]
  await keep({ ref: one, body: { a: 1 } })
  await keep({ ref: other, body: { a: 2 } })
  const [row] = await rowsOf(other)
  await asOwner(test_store.database.url, async (owner) => {
    await owner.query('UPDATE content SET sealed = $2 WHERE ref = $1', [one, row.sealed])
    await owner.query('UPDATE content_key SET wrapped_key = $2 WHERE ref = $1', [one, row.wrapped_key])
  })
  await assert.rejects(read(one))
})

test('another organization finds nothing, and may use the same reference for its own', async () => {
  const ref = newRef()
  await keep({ ref, body: { whose: 'acme' } })
  assert.equal(await read(ref, {}, 'rival'), undefined)
  assert.equal((await keep({ ref, body: { whose: 'rival' } }, 0, 'rival')).created, true)
  assert.deepEqual((await read(ref))?.body, { whose: 'acme' })
  const all = await as(0, (context) => readContents(context, [ref, newRef()]), 'rival')
  assert.deepEqual(
    [...all.values()].map(({ body }) => body),
    [{ whose: 'rival' }],
  )
})

test('content-addressed content is stored once, also under concurrency', async () => {
  const ref = `maven://claim/${'c'.repeat(64)}`
  const answers = await Promise.all([1, 2, 3].map(() => keep({ ref, kind: 'claim', body: { a: 1 } })))
  assert.equal(answers.filter(({ created }) => created).length, 1)
  assert.equal(new Set(answers.map(({ commitment }) => commitment)).size, 1)
})

test('of concurrent changes to the same version one succeeds', async () => {
  const ref = newRef()
  await keep({ ref, body: { n: 0 } })
  const change = (n: number) =>
    as(n, (context) => replaceContent(context, { ref, expected_version: 1, body: { n } }))
  const tried = await Promise.allSettled([1, 2, 3].map(change))
  const lost = tried.filter((one) => one.status === 'rejected')
  assert.equal(lost.length, 2)
  for (const { reason } of lost) assert.ok(isRefusal('version_conflict')(reason), String(reason))
  assert.equal((await read(ref))?.version, 2)
})

test('links are unique, and show dependencies', async () => {
  const [one, other, third] = [newRef(), newRef(), newRef()]
  await as(0, async (context) => {
    for (const kind of ['cites', 'cites', 'evidence']) await linkContent(context, one, [{ ref: third }], kind)
    await linkContent(context, other, [{ ref: one, version: 2 }], 'cites')
  })
  const dependents = await as(0, (context) => dependentsOf(context, [third, one]))
  const expected = [
    { ref: one, kind: 'cites' },
    { ref: one, kind: 'evidence' },
    { ref: other, kind: 'cites' },
  ]
  assert.deepEqual(
    dependents,
    expected.sort((a, b) => (a.ref + a.kind < b.ref + b.kind ? -1 : 1)),
  )
})

type Step = { readonly redacts: boolean; readonly expected: number; readonly value: string }
const step: fc.Arbitrary<Step> = fc.record({
  redacts: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
  expected: fc.integer({ min: 1, max: 4 }),
  value: fc.string({ maxLength: 20 }),
})

test('for any history versions increase by one, history stays, and redacted content is never readable again', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const ref = newRef()
      const history = ['first']
      let is_redacted = false
      await keep({ ref, body: { value: 'first' } })
      for (const [place, { redacts, expected, value }] of steps.entries()) {
        const second = place + 1
        if (redacts) {
          const done = await as(second, (context) => redact({ target: ref, reason: 'error' }, context))
          assert.equal(done.keys_destroyed, is_redacted ? 0 : history.length)
          is_redacted = true
          continue
        }
        const body = { value }
        const change = () =>
          as(second, (context) => replaceContent(context, { ref, expected_version: expected, body }))
        if (is_redacted)
          await assert.rejects(change(), isRefusal('content is redacted; a change needs current content'))
        else if (expected !== history.length) await assert.rejects(change(), isRefusal('version_conflict'))
        else assert.equal((await change()).version, history.push(value))
      }
      for (const [place, value] of history.entries()) {
        const content = await read(ref, { version: place + 1 })
        const status: string = is_redacted
          ? 'redacted'
          : place + 1 === history.length
            ? 'current'
            : 'superseded'
        assert.deepEqual([content?.status, content?.body], [status, is_redacted ? undefined : { value }])
      }
      assert.equal((await rowsOf(ref)).length, history.length)
    }),
    { numRuns: 12 },
  )
})

test('the state known at a past time does not change', async () => {
  const ref = newRef()
  const at = (second: number) => new Date(Date.UTC(2026, 10, 15) + second * 1_000).toISOString()
  await keep({ ref, body: { n: 1 } }, 10)
  await as(20, (context) =>
    replaceContent(context, { ref, expected_version: 1, body: { n: 2 }, reason: 'better' }),
  )
  const bodyKnownAt = async (second: number) => (await read(ref, { known_at: at(second) }))?.body
  assert.deepEqual(
    [await bodyKnownAt(9), await bodyKnownAt(10), await bodyKnownAt(19), await bodyKnownAt(20)],
    [undefined, { n: 1 }, { n: 1 }, { n: 2 }],
  )
  assert.equal((await read(ref))?.reason, 'better')
})

test('the index holds the newest text only, and none of unsearchable content', async () => {
  const ref = newRef()
  const index = (text: string) => ({ namespace: 'default', text, vector: true })
  await keep({ ref, body: { text: 'tin \0 whistle' }, index: index('tin \0 whistle') })
  await as(1, (context) =>
    replaceContent(context, { ref, expected_version: 1, body: {}, index: index('brass horn') }),
  )
  const words = () =>
    asOwner(test_store.database.url, async (owner) => {
      const indexed = await owner.query('SELECT present, text, doc FROM content_index WHERE ref = $1', [ref])
      return indexed.rows
    })
  assert.deepEqual(await words(), [{ present: true, text: 'brass horn', doc: {} }])
  await as(2, (context) => replaceContent(context, { ref, expected_version: 2, body: { text: 'silent' } }))
  assert.deepEqual(await words(), [{ present: false, text: null, doc: null }])
})
