import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import test from 'node:test'
import { isSignedBy, readKey, readNote } from '@svc/sdk/verify/note'
import { checkpointOrigin, keyId, type SigningKey, signCheckpoint } from './checkpoint.ts'

function newKey(tenant_id: string): SigningKey {
  const { privateKey } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(privateKey.export({ format: 'jwk' }).x ?? '', 'base64url')
  return { key_id: keyId(checkpointOrigin(tenant_id), public_key), public_key, private_key: privateKey }
}

const root = Buffer.alloc(32, 0xab)
const key = newKey('acme')
const note = signCheckpoint('acme', 1234, root, key)
const trusted = await readKey('svc/acme', key.public_key.toString('base64url'))

test('a checkpoint has the form of a signed note and says what was signed', async () => {
  const [origin, size, root_text, blank, signature, end] = note.split('\n')
  assert.deepEqual(
    [origin, size, root_text, blank, end],
    ['svc/acme', '1234', root.toString('base64'), '', ''],
  )
  assert.match(signature ?? '', /^\u2014 svc\/acme [A-Za-z0-9+/]{91}=$/)
  const read = readNote(note)
  assert.ok(read)
  assert.equal(read.size, 1234)
  assert.equal(read.root, root.toString('hex'))
  assert.ok(await isSignedBy(read, trusted))
  assert.equal(trusted.key_id, key.key_id)
})

test('the key id is the one the specification computes', async () => {
  const zeros = Buffer.alloc(32)
  assert.equal(
    keyId('example.com/log', zeros),
    (await readKey('example.com/log', zeros.toString('base64url'))).key_id,
  )
  assert.notEqual(keyId('a', zeros), keyId('b', zeros))
})

test('another key, another name or a changed word is not a valid signature', async () => {
  const other = newKey('acme')
  const read = readNote(note)!
  assert.ok(!(await isSignedBy(read, await readKey('svc/acme', other.public_key.toString('base64url')))))
  assert.ok(!(await isSignedBy(read, await readKey('svc/rival', key.public_key.toString('base64url')))))
  const forged = signCheckpoint('acme', 1234, root, { ...other, key_id: key.key_id })
  assert.ok(!(await isSignedBy(readNote(forged)!, trusted)))
  for (const [from, to] of [
    ['1234', '1235'],
    ['svc/acme\n', 'svc/rival\n'],
    [root.toString('base64'), Buffer.alloc(32, 0xac).toString('base64')],
  ]) {
    assert.ok(!(await isSignedBy(readNote(note.replace(from!, to!))!, trusted)))
  }
})

test('a witness may add its line, and anything that is not exactly a note is refused', async () => {
  const cosigned = `${note}\u2014 witness.example ${Buffer.alloc(76).toString('base64')}\n`
  assert.ok(await isSignedBy(readNote(cosigned)!, trusted))
  const wrong = [
    '',
    note.slice(0, -1),
    note.replace('1234', '01234'),
    note.replace('1234', '-1'),
    note.replace('\n\n', '\n'),
    note.replace('\u2014', '-'),
    note.replace('\n\n', '\nextra\n\n'),
    `${note}junk\n`,
    'x'.repeat(20_000),
  ]
  for (const text of wrong) assert.equal(readNote(text), undefined, JSON.stringify(text.slice(0, 40)))
})
