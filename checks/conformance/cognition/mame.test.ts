// Scenario 9, the right to be forgotten, and corrections that keep their history: over HTTP, in files and in the book.
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { addMember } from '@svc/adapters/access/charter'
import { exportChain } from '@svc/audit/query/export'
import { publicKeys } from '@svc/audit/query/records'
import { asOwner } from '@svc/audit/test-audit-log'
import { operation, protocol } from '@svc/contract/protocol'
import { AnyObject } from '@svc/contract/schema'
import { linkContent } from '@svc/protocols/cognition/content/link'
import { sweepRedactions } from '@svc/protocols/cognition/content/redaction-sweep'
import { keepContent, type NewContent, readContent } from '@svc/protocols/cognition/content/store'
import { addTriples } from '@svc/protocols/cognition/knowledge/store'
import { verifyExport } from '@svc/sdk/verify/export'
import { verifyReceipt } from '@svc/sdk/verify/receipt'
import type { Client } from 'pg'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, type Answer, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>
type Stored = NewContent & { cites?: string }

const facts = { level: 'L1', meters: ['seconds'], input: AnyObject, output: AnyObject, example: {} } as const
/** Keeps content as any protocol does. */
const notes = protocol({
  id: 'NOTES',
  version: 'v1.0.0',
  plane: 'cognition',
  estate: 'protocol',
  rate: 'standard',
  category: 'svc-cognitive',
  summary: 'What a test needs to keep.',
  operations: {
    keep: operation({
      needs: ['embedder', 'vault'],
      ...facts,
      summary: 'Keep something.',
      effect: 'write',
      async handle(input, context) {
        const { cites, ...content } = input as unknown as Stored
        const { created } = await keepContent(context, content)
        await addTriples(context, content.ref, content.triples ?? [])
        if (cites) await linkContent(context, content.ref, [{ ref: cites }], 'cites')
        return { created }
      },
    }),
    read: operation({
      needs: ['vault'],
      ...facts,
      summary: 'Read it again.',
      effect: 'read',
      async handle({ ref, ...at }, context) {
        const { status, body, version, reason } = (await readContent(context, String(ref), at)) ?? {}
        return JSON.parse(JSON.stringify({ status, body, version, reason }))
      },
    }),
  },
})

let service: InProcessService
let colleague: Addresses

before(async () => {
  service = await startInProcess({ more_protocols: [notes] })
  colleague = await service.newCaller()
})
after(() => service.stop())

const ask = (who: Addresses, name: string, input: unknown, headers = {}): Promise<Answer> => {
  const [protocol, operation] = name.split('.') as [string, string]
  return dispatch(who, { protocol, operation, input }, headers)
}
const done = async (name: string, input: unknown, who: Addresses = service): Promise<Fields> =>
  assertSuccess(await ask(who, name, input)).output
const read = (ref: string, more: Fields = {}) => done('NOTES.read', { ref, ...more })
/** A word that stands nowhere else on the machine. */
const secretWord = () =>
  `zq${randomBytes(12)
    .toString('hex')
    .replace(/\d/g, (digit) => 'ghijklmnop'[Number(digit)]!)}`
const newRef = () => `mind://cell/${randomUUID()}`

async function keep(body: Fields, more: Partial<Stored> = {}, headers = {}): Promise<string> {
  const ref = newRef()
  const index = { namespace: 'default', text: Object.values(body).join(' '), vector: true }
  assertSuccess(await ask(service, 'NOTES.keep', { ref, kind: 'episodic', body, index, ...more }, headers))
  return ref
}

test('right to be forgotten: no table, file, log, input or replay gives the words back, and what was proved stays proved', async (t) => {
  const [word, name] = [secretWord(), secretWord()]
  const headers = { 'idempotency-key': randomUUID(), prefer: 'wait=audit' }
  const ref = newRef()
  const input = {
    ref,
    kind: 'episodic',
    body: { note: `Patient ${name} said ${word}` },
    index: { namespace: 'default', text: `Patient ${name} said ${word}`, vector: true },
    triples: [{ subject: name, predicate: 'said', object: word }],
  }
  const from = await asOwner(service.db_url, walFile)
  const kept = assertSuccess(await ask(service, 'NOTES.keep', input, headers))
  const citing = await keep({ text: 'a report' }, { cites: ref })
  const words = [Buffer.from(word), Buffer.from(name)]
  // Pages of an unlogged table stay in memory for long: rewriting it brings them to disk.
  await asOwner(service.db_url, (owner) => owner.query('VACUUM FULL content_index'))
  const files = await filesSince(from)
  if (files) assert.notDeepEqual(await holding(files, words), [], 'before, the index holds the words')
  else t.diagnostic('the files of this database cannot be read from here')

  const redacted = await done('MAME.redact', { target: ref, reason: 'erasure_request', note: 'by letter' })
  assert.deepEqual(
    [redacted.records_affected, redacted.keys_destroyed, redacted.inputs_forgotten, redacted.complete],
    [2, 2, 1, true],
    'the note and its fact',
  )
  assert.ok(redacted.index_entries_removed >= 2)
  assert.deepEqual(redacted.dependents, [{ ref: citing, kind: 'cites' }])
  assert.equal(redacted.tombstones.length, 2)
  assert.deepEqual(await read(ref), { status: 'redacted', version: 1 })
  const again = await done('MAME.redact', { target: ref, reason: 'erasure_request' })
  assert.deepEqual([again.records_affected, again.keys_destroyed], [0, 0])

  await t.waitFor(
    async () => {
      await sweepRedactions(service.service.store.engine, new Date())
      const { rows } = await asOwner(service.db_url, (owner) =>
        owner.query('SELECT FROM content_redaction WHERE scrubbed_at IS NULL OR forget_at IS NOT NULL'),
      )
      assert.equal(rows.length, 0)
    },
    { interval: 50, timeout: 180_000 },
  )
  if (files) assert.deepEqual(await holding((await filesSince(from))!, words), [])

  const replayed = assertSuccess(await ask(service, 'NOTES.keep', input, headers))
  assert.deepEqual([replayed.metadata.replayed, replayed.output], [true, { created: true }])
  const { correlation_id, receipt } = kept.metadata
  const looked = await done('MAX.audit_query', { correlation_id, include_inputs: true })
  assert.ok(looked.records.length > 0)
  assert.ok(!JSON.stringify(looked).includes(word))
  const { engine } = service.service.store
  const keys = (await publicKeys(engine, service.tenant_id)).map(({ public_key }) => public_key)
  assert.deepEqual(await verifyReceipt(receipt as never, keys), { ok: true })
  await service.service.audit_log.flush()
  const exported = await Array.fromAsync(exportChain(engine, service.tenant_id))
  assert.equal((await verifyExport(exported)).ok, true)
  assert.ok(!exported.join('').includes(word))
})

test('files are cleaned only when nobody under way, in any database of the server, can still see the words', async (t) => {
  const unscrubbed = async () => {
    await sweepRedactions(service.service.store.engine, new Date())
    const { rows } = await asOwner(service.db_url, (owner) =>
      owner.query('SELECT FROM content_redaction WHERE scrubbed_at IS NULL'),
    )
    return rows.length
  }
  const elsewhere = Object.assign(new URL(service.db_url), { pathname: '/postgres' }).href
  for (const [db_url, begin] of [
    [service.db_url, 'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM content_index'],
    [elsewhere, 'BEGIN; SELECT pg_current_xact_id()'],
  ] as const) {
    await asOwner(db_url, async (reader) => {
      await reader.query(begin)
      await done('MAME.redact', { target: await keep({ note: secretWord() }), reason: 'erasure_request' })
      assert.ok((await unscrubbed()) > 0, begin)
      await reader.query('COMMIT')
    })
    await t.waitFor(async () => assert.equal(await unscrubbed(), 0), { interval: 50, timeout: 180_000 })
  }
})

test('a memory that was redacted is recalled no more, nor what it stated, nor what brought it a second time', async () => {
  const [word, namespace] = [secretWord(), randomUUID()]
  const triples = [{ subject: `${word} Ltd`, predicate: 'pays', object: 'late' }]
  const memory = { kind: 'semantic', payload: { text: `${word} pays late` }, namespace, triples }
  const first = assertSuccess(await ask(service, 'MIND.store_memory', memory))
  const second = assertSuccess(await ask(colleague, 'MIND.store_memory', memory))
  assert.equal(second.output.duplicate_of, first.output.ref)
  const recall = async (): Promise<number> =>
    (
      await done('MIND.recall_memory', {
        predicate: { semantic: { text: word } },
        namespace,
        include_inactive: true,
      })
    ).memories.length
  const facts = async () => (await done('MIND.query_knowledge', { subject: `${word} Ltd` })).facts.length
  assert.deepEqual([await recall(), await facts()], [1, 1])
  const redacted = await done('MAME.redact', { target: first.output.ref, reason: 'erasure_request' })
  assert.equal(redacted.inputs_forgotten, 2)
  assert.deepEqual([await recall(), await facts()], [0, 0])
  for (const { metadata } of [first, second]) {
    const who = metadata === first.metadata ? service : colleague
    const asked = { correlation_id: metadata.correlation_id, include_inputs: true }
    assert.ok(!JSON.stringify(await done('MAX.audit_query', asked, who)).includes(word))
  }
  const again = await done('MIND.store_memory', memory)
  assert.deepEqual([again.duplicate_of, await recall()], [undefined, 1])
})

async function walFile(owner: Client): Promise<string> {
  const { rows } = await owner.query('SELECT pg_walfile_name(pg_current_wal_lsn()) AS name')
  return rows[0].name
}

/** Everything the database has on disk, its log since then, and the journals; undefined where it stands elsewhere. */
async function filesSince(from: string): Promise<string[] | undefined> {
  return await asOwner(service.db_url, async (owner) => {
    await owner.query('CHECKPOINT')
    const { rows } = await owner.query(`SELECT current_setting('data_directory') AS folder,
      (SELECT oid FROM pg_database WHERE datname = current_database()) AS oid`)
    const [folder, until] = [rows[0].folder, await walFile(owner)]
    if (
      !(await access(folder).then(
        () => true,
        () => false,
      ))
    )
      return undefined
    const base = join(folder, 'base', String(rows[0].oid))
    const tables = (await readdir(base)).map((name) => join(base, name))
    const log = (await readdir(join(folder, 'pg_wal'))).filter((name) => name >= from && name <= until)
    return [...tables, ...log.map((name) => join(folder, 'pg_wal', name))]
  })
}

async function holding(files: readonly string[], words: readonly Buffer[]): Promise<string[]> {
  const found: string[] = []
  for (const file of files) {
    // A table that was rewritten meanwhile has left its file.
    const bytes = await readFile(file).catch(() => Buffer.alloc(0))
    if (words.some((word) => bytes.includes(word))) found.push(file)
  }
  return found
}

test('fields: what is named goes with every version before, the rest stays and is found', async () => {
  const ref = await keep({ who: 'Ada', illness: 'measles', town: 'Ely', list: ['a', 'b'] })
  const edited = await done('MAME.edit', {
    target: ref,
    expected_version: 1,
    patch: [{ op: 'replace', path: '/town', value: 'Bath' }],
    reason: 'moved',
  })
  assert.equal(edited.version, 2)
  const wrong = await ask(service, 'MAME.redact', fieldsOf(ref, ['/illness', '/nothing']))
  assertRefusal(wrong, { code: 'invalid_payload', stage: 7, reason: 'not_found' })
  const redacted = await done('MAME.redact', fieldsOf(ref, ['/illness', '/list/0']))
  assert.deepEqual([redacted.version, redacted.keys_destroyed], [3, 2])
  assert.deepEqual((await read(ref)).body, { who: 'Ada', town: 'Bath', list: [null, 'b'] })
  for (const version of [1, 2]) assert.equal((await read(ref, { version })).status, 'redacted')
  const { rows } = await asOwner(service.db_url, (owner) =>
    owner.query('SELECT text, doc FROM content_index WHERE ref = $1', [ref]),
  )
  assert.deepEqual(rows, [{ text: 'b\nBath\nAda', doc: { who: 'Ada', town: 'Bath', list: [null, 'b'] } }])
})

const fieldsOf = (target: string, json_pointers: string[]) => ({
  target,
  scope: 'fields',
  json_pointers,
  reason: 'legal',
})

test('subject: everything about a person is forgotten at once, and nothing else', async () => {
  const subject_did = `did:oas:dev:person:${randomBytes(32).toString('hex')}`
  const about: string[] = []
  for (const town of ['Ely', 'Bath', 'York']) about.push(await keep({ town }, { subject_did }))
  const other = await keep({ town: 'Ely' })
  const redacted = await done('MAME.redact', { scope: 'subject', subject_did, reason: 'erasure_request' })
  assert.deepEqual([redacted.records_affected, redacted.complete], [3, true])
  for (const ref of about) assert.equal((await read(ref)).status, 'redacted')
  assert.equal((await read(other)).status, 'current')
  const lacking = await ask(service, 'MAME.redact', { scope: 'subject', reason: 'legal' })
  assertRefusal(lacking, { code: 'invalid_payload', stage: 7, reason: 'scope' })
})

test('what others wrote only the organization may redact, what another organization has is not there', async () => {
  const ref = await keep({ town: 'Ely' })
  const input = { target: ref, reason: 'error' }
  const refused = await ask(colleague, 'MAME.redact', input)
  assertRefusal(refused, { code: 'policy_denied', stage: 7, reason: 'charter quorum required' })
  const stranger = await service.newCaller({ tenant_id: 'stranger' })
  for (const name of ['MAME.redact', 'MAME.edit']) {
    const change = { target: ref, expected_version: 1, patch: { a: 1 }, reason: 'error' }
    const wanted = name === 'MAME.redact' ? input : change
    const seen = assertRefusal(await ask(stranger, name, wanted), { code: 'invalid_payload', stage: 7 })
    const nowhere = newRef()
    const missing = assertRefusal(await ask(stranger, name, { ...wanted, target: nowhere }), {
      code: 'invalid_payload',
      stage: 7,
      reason: 'not_found',
    })
    assert.equal(seen.message.replace(ref, nowhere), missing.message)
  }
  await addMember(service.service.store.engine, 'dev', colleague.agent_did, new Date(0))
  const { authority } = await done('MAME.redact', input, colleague)
  assert.match(authority, /^mace:\/\/verdict\//)
})

test('legal hold: what an open case rests on cannot be redacted until it is closed', async () => {
  const ref = await keep({ town: 'Ely' })
  const case_id = randomUUID()
  const evidence = JSON.stringify([{ ref, found: false, hash_ok: false, signature_ok: false }])
  await asOwner(service.db_url, (owner) =>
    owner.query(
      `INSERT INTO cases (case_id, tenant_id, respondent_tenant, venue_tenant, claimant_did, respondent_did, filed_by,
        claim, evidence, correlations, contracts, requested, panel, state, filed_at, plead_by)
      VALUES ($1, 'other', 'dev', 'venue', 'a', 'b', 'claimant', 'x', $2, '{}', '{}', '[]', '{}', 'FILED', now(), now())`,
      [case_id, evidence],
    ),
  )
  const input = { target: ref, reason: 'erasure_request' }
  const answer = await ask(service, 'MAME.redact', input)
  assertRefusal(answer, { code: 'policy_denied', stage: 7, reason: 'legal hold' })
  assert.equal((await read(ref)).status, 'current')
  await asOwner(service.db_url, (owner) =>
    owner.query('UPDATE cases SET closed_at = now() WHERE case_id = $1', [case_id]),
  )
  assert.equal((await done('MAME.redact', input)).records_affected, 1)
})

test('an edit makes the next version, tells what changed where, and corrects the facts', async () => {
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
  const edited = await done('MAME.edit', change)
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
  const late = await ask(service, 'MAME.edit', change)
  assertRefusal(late, { code: 'invalid_payload', stage: 7, reason: 'version_conflict' })
  const failing = await ask(service, 'MAME.edit', { ...change, expected_version: 2 })
  assertRefusal(failing, { code: 'invalid_payload', stage: 7, reason: 'test_failed' })
})

test('what is named by its content, or was redacted, is not edited', async () => {
  const claim = `maven://claim/${randomBytes(32).toString('hex')}`
  const change = { expected_version: 1, patch: { a: 1 }, reason: 'x' }
  await done('NOTES.keep', { ref: claim, kind: 'claim', body: { a: 0 } })
  assertRefusal(await ask(service, 'MAME.edit', { ...change, target: claim }), {
    code: 'policy_denied',
    stage: 7,
    reason: 'immutable record; publish a superseding one',
  })
  assert.equal((await done('MAME.redact', { target: claim, reason: 'other' })).keys_destroyed, 1)
  const ref = await keep({ a: 1 })
  await done('MAME.redact', { target: ref, reason: 'other' })
  const edited = await ask(service, 'MAME.edit', { ...change, target: ref })
  assert.equal(assertRefusal(edited, { code: 'policy_denied', stage: 7 }).code, 'policy_denied')
})

test('of edits at once one is made; an edit beside a redaction leaves nothing that can be read', async () => {
  const contested = await keep({ count: 0 })
  const edit = (target: string, count: number) =>
    ask(service, 'MAME.edit', { target, expected_version: 1, patch: { count }, reason: 'race' })
  const answers = await Promise.all([1, 2, 3, 4].map((count) => edit(contested, count)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 422, 422, 422])
  for (let round = 0; round < 4; round++) {
    const ref = await keep({ count: 0 })
    await Promise.all([edit(ref, 1), ask(service, 'MAME.redact', { target: ref, reason: 'other' })])
    const { rows } = await asOwner(service.db_url, (owner) =>
      owner.query('SELECT FROM content_key WHERE ref = $1 AND wrapped_key IS NOT NULL', [ref]),
    )
    assert.deepEqual([rows.length, (await read(ref)).status], [0, 'redacted'])
  }
})
