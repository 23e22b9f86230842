// The rules of edit and redact: access, editable content, and what remains.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { asOwner } from '@svc/audit/test-audit-log'
import { assertRefused } from '../../../checks/rehearsal/assert-refused.ts'
import { type Rehearsal, rehearse } from '../../../checks/rehearsal/rehearse.ts'
import { test_tenant } from '../../../checks/rehearsal/test-ports.ts'
import { type Note, notes } from '../../../checks/scenes/notes-protocol.ts'
import { eventually } from '../../../checks/suite/eventually.ts'
import { sweepRedactions } from '../content/redaction-sweep.ts'
import { mame } from './mame.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const colleague = { did: `did:oas:${test_tenant}:agent:${'b'.repeat(64)}` }
const stranger = { did: `did:oas:stranger:agent:${'c'.repeat(64)}`, tenant_id: 'stranger' }
let stage: Rehearsal

before(async () => {
  const ports = { identity: localAdminResolver() }
  stage = await rehearse(mame, { others: [notes], tenants: [test_tenant, 'stranger'], ports })
})
after(() => stage.close())

const run = (operation: string, input: unknown, as?: object): Promise<Fields> =>
  stage.run(operation, input, as)
const read = (ref: string, more: Fields = {}) => run('NOTES.read', { ref, ...more })
const newRef = () => `mind://cell/${randomUUID()}`
const owner = (text: string, values: unknown[] = []) =>
  asOwner(stage.database.url, async (client) => (await client.query(text, values)).rows)

async function keep(body: Fields, more: Partial<Note> = {}): Promise<string> {
  const ref = newRef()
  const index = { namespace: 'default', text: Object.values(body).join(' '), vector: true }
  await run('NOTES.keep', { ref, kind: 'episodic', body, index, ...more })
  return ref
}

test('files are scrubbed only when no transaction in any database of the server can still see the text', async () => {
  const unscrubbed = async () => {
    await sweepRedactions(stage.store.engine, new Date(stage.ports.clock.now_ms()))
    return (await owner('SELECT FROM content_redaction WHERE scrubbed_at IS NULL')).length
  }
  const elsewhere = Object.assign(new URL(stage.database.url), { pathname: '/postgres' }).href
  for (const [db_url, begin] of [
    [stage.database.url, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM content_index'],
    [elsewhere, 'BEGIN; SELECT pg_current_xact_id()'],
  ] as const) {
    await asOwner(db_url, async (reader) => {
      await reader.query(begin)
      await run('redact', { target: await keep({ note: randomUUID() }), reason: 'erasure_request' })
      assert.ok((await unscrubbed()) > 0, begin)
      await reader.query('COMMIT')
    })
    await eventually(async () => assert.equal(await unscrubbed(), 0))
  }
})

test('fields: named fields are destroyed in every version, the rest remains and is searchable', async () => {
  const ref = await keep({ who: 'Ada', illness: 'measles', town: 'Ely', list: ['a', 'b'] })
  const edited = await run('edit', {
    target: ref,
    expected_version: 1,
    patch: [{ op: 'replace', path: '/town', value: 'Bath' }],
    reason: 'moved',
  })
  assert.equal(edited.version, 2)
  const fields = (json_pointers: string[]) => ({
    target: ref,
    scope: 'fields',
    json_pointers,
    reason: 'legal',
  })
  await assertRefused(run('redact', fields(['/illness', '/nothing'])), 'invalid_payload', 'not_found')
  const redacted = await run('redact', fields(['/illness', '/list/0']))
  assert.deepEqual([redacted.version, redacted.keys_destroyed], [3, 2])
  assert.deepEqual((await read(ref)).body, { who: 'Ada', town: 'Bath', list: [null, 'b'] })
  for (const version of [1, 2]) assert.equal((await read(ref, { version })).status, 'redacted')
  const indexed = await owner('SELECT text, doc FROM content_index WHERE ref = $1', [ref])
  assert.deepEqual(indexed, [{ text: 'b\nBath\nAda', doc: { who: 'Ada', town: 'Bath', list: [null, 'b'] } }])
})

test('subject: everything about a person is destroyed at once, and nothing else', async () => {
  const subject_did = `did:oas:dev:person:${randomBytes(32).toString('hex')}`
  const about: string[] = []
  for (const town of ['Ely', 'Bath', 'York']) about.push(await keep({ town }, { subject_did }))
  const other = await keep({ town: 'Ely' })
  const redacted = await run('redact', { scope: 'subject', subject_did, reason: 'erasure_request' })
  assert.deepEqual([redacted.records_affected, redacted.complete], [3, true])
  for (const ref of about) assert.equal((await read(ref)).status, 'redacted')
  assert.equal((await read(other)).status, 'current')
  await assertRefused(run('redact', { scope: 'subject', reason: 'legal' }), 'invalid_payload', 'scope')
})

test("others' content needs a charter decision; another organization's content is not found", async () => {
  const ref = await keep({ town: 'Ely' })
  const input = { target: ref, reason: 'error' }
  await assertRefused(run('redact', input, colleague), 'policy_denied', 'charter quorum required')
  const change = { ...input, expected_version: 1, patch: { a: 1 } }
  for (const [operation, request] of [
    ['redact', input],
    ['edit', change],
  ] as const) {
    const theirs = await assertRefused(run(operation, request, stranger), 'invalid_payload')
    const target = newRef()
    const nowhere = run(operation, { ...request, target }, stranger)
    const missing = await assertRefused(nowhere, 'invalid_payload', 'not_found')
    assert.equal(theirs.message.replace(ref, target), missing.message)
  }
  await addMember(stage.store.engine, test_tenant, colleague.did, new Date(0))
  const { authority } = await run('redact', input, colleague)
  assert.match(authority, /^mace:\/\/verdict\//)
})

test('legal hold: evidence of an open case cannot be redacted until the case is closed', async () => {
  const ref = await keep({ town: 'Ely' })
  const case_id = randomUUID()
  const evidence = JSON.stringify([{ ref, found: false, hash_ok: false, signature_ok: false }])
  await owner(
    `INSERT INTO cases (case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by,
      claim, evidence, correlations, contracts, requested, panel, state, filed_at, plead_by)
    VALUES ($1, 'other', $3, 'venue', 'a', 'b', 'claimant', 'x', $2, '{}', '{}', '[]', '{}', 'FILED', now(), now())`,
    [case_id, evidence, test_tenant],
  )
  const input = { target: ref, reason: 'erasure_request' }
  await assertRefused(run('redact', input), 'policy_denied', 'legal hold')
  assert.equal((await read(ref)).status, 'current')
  await owner('UPDATE cases SET closed_at = now() WHERE case_id = $1', [case_id])
  assert.equal((await run('redact', input)).records_affected, 1)
})

test('an edit makes the next version, lists the changed paths, and corrects the facts', async () => {
  const ref = await keep(
    { company: 'Acme', ceo: 'Ann' },
    { triples: [{ subject: 'Acme', predicate: 'ceo', object: 'Ann' }] },
  )
  const change = {
    target: ref,
    expected_version: 1,
    patch: [
      { op: 'test', path: '/ceo', value: 'Ann' },
      { op: 'replace', path: '/ceo', value: 'Bob' },
    ],
    reason: 'She left.',
    effective_from: '2026-02-01T00:00:00Z',
  }
  const edited = await run('edit', change)
  assert.deepEqual(
    [edited.version, edited.previous_version, edited.diff, edited.reindexed, edited.triples_added],
    [2, 1, [{ op: 'replace', path: '/ceo' }], true, 1],
  )
  assert.deepEqual(await read(ref), {
    status: 'current',
    body: { company: 'Acme', ceo: 'Bob' },
    version: 2,
    reason: 'She left.',
  })
  assert.deepEqual((await read(ref, { version: 1 })).body, { company: 'Acme', ceo: 'Ann' })
  await assertRefused(run('edit', change), 'invalid_payload', 'version_conflict')
  await assertRefused(run('edit', { ...change, expected_version: 2 }), 'invalid_payload', 'test_failed')
})

test('content-addressed or redacted content cannot be edited', async () => {
  const claim = `maven://claim/${randomBytes(32).toString('hex')}`
  const change = { expected_version: 1, patch: { a: 1 }, reason: 'x' }
  await run('NOTES.keep', { ref: claim, kind: 'claim', body: { a: 0 } })
  const immutable = 'immutable record; publish a superseding one'
  await assertRefused(run('edit', { ...change, target: claim }), 'policy_denied', immutable)
  assert.equal((await run('redact', { target: claim, reason: 'other' })).keys_destroyed, 1)
  const ref = await keep({ a: 1 })
  await run('redact', { target: ref, reason: 'other' })
  await assertRefused(run('edit', { ...change, target: ref }), 'policy_denied')
})

test('one of several concurrent edits succeeds; an edit concurrent with a redaction leaves nothing readable', async () => {
  const contested = await keep({ count: 0 })
  const edit = (target: string, count: number) =>
    run('edit', { target, expected_version: 1, patch: { count }, reason: 'race' })
  const attempts = await Promise.allSettled([1, 2, 3, 4].map((count) => edit(contested, count)))
  const codes = attempts.map((attempt) => (attempt.status === 'fulfilled' ? 'done' : attempt.reason.code))
  assert.deepEqual(codes.sort(), ['done', 'invalid_payload', 'invalid_payload', 'invalid_payload'])
  for (let round = 0; round < 4; round++) {
    const ref = await keep({ count: 0 })
    await Promise.allSettled([edit(ref, 1), run('redact', { target: ref, reason: 'other' })])
    const keys = await owner('SELECT FROM content_key WHERE ref = $1 AND wrapped_key IS NOT NULL', [ref])
    assert.deepEqual([keys.length, (await read(ref)).status], [0, 'redacted'])
  }
})
