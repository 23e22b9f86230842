import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSignedBy, readKey, readNote } from './note.ts'
import { newKey, noteOf, origin, rootOver } from './test-export.ts'

const root = rootOver(['ab'.repeat(32)])
const base64 = root.toString('base64')
const key = newKey()
const note = noteOf(7, root, key)
const line = `\u2014 name ${Buffer.alloc(5, 9).toString('base64')}`

test('a note is read as what was signed and who signed', async () => {
  assert.deepEqual(readNote(`log\n7\n${base64}\n\n${line}\n`), {
    origin: 'log',
    size: 7,
    root: root.toString('hex'),
    text: `log\n7\n${base64}\n`,
    signatures: [{ name: 'name', key_id: '09090909', signature: Uint8Array.of(9) }],
  })
  const { key_id, name, public_key, isSigned } = await readKey(origin, key.public_key)
  assert.deepEqual([key_id, name, public_key], [key.key_id, origin, key.public_key])
  assert.ok(await isSignedBy(readNote(note)!, { key_id, name, public_key, isSigned }))
  assert.ok(!(await isSignedBy(readNote(note)!, { key_id, name: 'other', public_key, isSigned })))
  assert.ok(!(await isSignedBy(readNote(note)!, { key_id: '00000000', name, public_key, isSigned })))
})

test('a note has at most 16384 characters', () => {
  const rest = `\n7\n${base64}\n\n${line}\n`
  const named = (length: number) => `${'n'.repeat(length - rest.length)}${rest}`
  assert.equal(readNote(named(16_384))?.size, 7)
  assert.equal(readNote(named(16_385)), undefined)
})

test('whatever is not exactly in this form is not a note', () => {
  for (const text of [
    7,
    '',
    `log\n7\n${base64}\nextension\n${line}\n`,
    `log\n7\n${base64}\n\n`,
    `log\n7\n${base64}\n\n${line}`,
    `log\n7\n${base64}\n\n${line}\n${line}x\n`,
    `log\n7\n${base64}\n\nx${line}\n`,
    `log\n7\n${base64}\n\n\u2014 name AB==\n`,
    `log\n7\n\n\n${line}\n`,
    `log\n\n${base64}\n\n${line}\n`,
    `\n7\n${base64}\n\n${line}\n`,
    `log\n07\n${base64}\n\n${line}\n`,
    `log\n7x\n${base64}\n\n${line}\n`,
  ])
    assert.equal(readNote(text), undefined, String(text))
})

test('a size beyond what a number holds exactly is not a note', () => {
  const sized = (size: number) =>
    readNote(`svc/acme\n${size}\n${'A'.repeat(43)}=\n\n— svc/acme ${'A'.repeat(91)}=\n`)
  assert.equal(sized(Number.MAX_SAFE_INTEGER)?.size, Number.MAX_SAFE_INTEGER)
  assert.equal(sized(Number.MAX_SAFE_INTEGER + 1), undefined)
})

test('a key is 32 bytes in base64url', async () => {
  for (const public_key of [7, undefined, 'AAAA', 'x'.repeat(100), `${key.public_key}=`]) {
    const shown = String(JSON.stringify(public_key)).slice(0, 80)
    await assert.rejects(readKey(origin, public_key), {
      name: 'TypeError',
      message: `${shown} is not an Ed25519 public key in base64url`,
    })
  }
})
