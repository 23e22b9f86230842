import assert from 'node:assert/strict'
import { test } from 'node:test'
import { contentHash } from '@svc/contract/signing/canonical-json'
import fc from 'fast-check'
import {
  bodyAt,
  bodyText,
  type EntryBody,
  findableBy,
  intactBody,
  nameKey,
  placeAfter,
  readCursor,
  registrationInput,
  type Statement,
  stateAt,
  stateNow,
  termsCovering,
  visibilities,
  withdrawalInput,
  writeCursor,
} from './entry.ts'

const statement = fc.record<Statement>({
  kind: fc.constantFrom('agent', 'policy'),
  subject: fc.string({ unit: 'grapheme' }),
  tenant_id: fc.constantFrom('acme', 'rival'),
  visibility: fc.constantFrom(...visibilities),
  ttl_seconds: fc.option(fc.integer({ min: 60, max: 1000 })),
  content: fc.dictionary(fc.string(), fc.oneof(fc.string({ unit: 'grapheme' }), fc.integer(), fc.boolean())),
})

test('a body is intact under its own hash, and under no other after any change', () => {
  fc.assert(
    fc.property(statement, fc.nat(), (given_statement, at) => {
      const body = bodyAt(given_statement, placeAfter(undefined))
      const text = bodyText(body)
      const hash = contentHash(body)
      assert.deepEqual(intactBody(hash, text), JSON.parse(text))
      const place = at % text.length
      const changed = `${text.slice(0, place)}${text[place] === 'x' ? 'y' : 'x'}${text.slice(place + 1)}`
      assert.equal(intactBody(hash, changed), undefined)
      assert.equal(intactBody(hash, ''), undefined)
    }),
  )
})

test('versions form a linked list, and the same content never gets the same address twice', () => {
  fc.assert(
    fc.property(fc.array(statement, { minLength: 1, maxLength: 12 }), (statements) => {
      const hashes: string[] = []
      let newest: { version: number; hash: string } | undefined
      for (const words of statements) {
        const body: EntryBody = bodyAt(words, placeAfter(newest))
        assert.deepEqual([body.version, body.previous], [hashes.length + 1, hashes.at(-1) ?? null])
        newest = { version: body.version, hash: contentHash(body) }
        hashes.push(newest.hash)
      }
      assert.equal(new Set(hashes).size, statements.length)
    }),
  )
})

test('a state depends on the time: live, stale, and then how it ended', () => {
  const at = (ms: number) => new Date(ms)
  const ended = { state: 'SUPERSEDED', ended_at: at(50), expires_at: at(20) } as const
  assert.deepEqual(
    [0, 19, 20, 49, 50, 99].map((ms) => stateAt(ended, at(ms))),
    ['LIVE', 'LIVE', 'STALE', 'STALE', 'SUPERSEDED', 'SUPERSEDED'],
  )
  const lasting = { state: 'LIVE', ended_at: null, expires_at: null } as const
  assert.equal(stateAt(lasting, at(8e15)), 'LIVE')
  assert.equal(stateNow(ended, at(0)), 'SUPERSEDED', 'another clock may be ahead of ours')
  assert.equal(stateNow({ ...lasting, expires_at: at(5) }, at(5)), 'STALE')
})

test('a cursor decodes to the end of its page; anything else is invalid', () => {
  const moment = fc.date({ min: new Date(0), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  fc.assert(
    fc.property(moment, fc.string(), (date, text) => {
      const position = { registered_at: date.toISOString(), hash: contentHash(text) }
      assert.deepEqual(readCursor(writeCursor(position)), position)
    }),
  )
  fc.assert(fc.property(fc.base64String(), (text) => assert.equal(readCursor(text), undefined)))
  const hex = 'a'.repeat(64)
  assert.equal(readCursor(Buffer.from(`999999999999999999.${hex}`).toString('base64url')), undefined)
  assert.equal(readCursor(Buffer.from(`253402300800000.${hex}`).toString('base64url')), undefined)
  assert.equal(readCursor(Buffer.from(`-1.${hex}`).toString('base64url')), undefined)
})

test('names are compared without case, in one Unicode form', () => {
  assert.equal(nameKey('E\u0301COLE'), nameKey('\u00e9cole'))
  assert.notEqual(nameKey('a'), nameKey('b'))
})

test('an entry is found by its tags, its capabilities, and the words of both', () => {
  const findable = findableBy({
    name: 'N',
    summary: 'S',
    tags: ['law', 'law'],
    capabilities: ['svc.mind.store_memory', 'svc.mim.*'],
  })
  assert.deepEqual(findable.terms, ['tag:law', 'cap:svc.mind.store_memory', 'cap:svc.mim.*'])
  assert.equal(findable.words, 'law law svc mind store memory svc mim ')
  assert.deepEqual(findableBy({ name: 1, tags: 'x', capabilities: [2, null] }), {
    name: '',
    summary: '',
    terms: [],
    words: '',
  })
  assert.deepEqual(termsCovering('svc.mind.store_memory'), [
    'cap:svc.mind.store_memory',
    'cap:svc.mind.*',
    'cap:svc.*.*',
  ])
  assert.deepEqual(termsCovering('svc.mind.*'), ['cap:svc.mind.*', 'cap:svc.*.*'])
})

test('the signed text of a registration is never that of a withdrawal', () => {
  const body = bodyAt(
    { kind: 'agent', subject: 's', tenant_id: 't', visibility: 'tenant', ttl_seconds: null, content: {} },
    placeAfter(undefined),
  )
  assert.match(registrationInput(body), /^svc-registry-v1\n\{"content"/)
  assert.equal(withdrawalInput('sha256:x'), 'svc-registry-v1\n{"withdraw":"sha256:x"}')
})
