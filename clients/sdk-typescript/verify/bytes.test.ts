import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBase64, fromBase64url, fromHex, toHex, utf8 } from './bytes.ts'

const all = Uint8Array.from({ length: 256 }, (_, byte) => byte)

test('bytes survive hex and base64, as Node writes them', () => {
  assert.equal(toHex(all), Buffer.from(all).toString('hex'))
  assert.deepEqual(fromHex(toHex(all)), all)
  assert.deepEqual(fromHex('ff01'), Uint8Array.of(255, 1))
  assert.deepEqual(utf8('é€'), Uint8Array.from(Buffer.from('é€')))
  for (let length = 0; length <= 5; length++) {
    const part = all.slice(250 - length, 250)
    assert.deepEqual(fromBase64(Buffer.from(part).toString('base64')), part)
    assert.deepEqual(fromBase64url(Buffer.from(part).toString('base64url')), part)
  }
})

test('another spelling of the same bytes is not accepted', () => {
  for (const text of ['AB==', 'AA', 'AA=', ' AA==', 'AA==\n', 'A', '!!!!', 'AA-_'])
    assert.equal(fromBase64(text), undefined, text)
  for (const text of ['AA+A', 'AA/A', '+AAA', 'AAA=', 'AA==', 'AB', 'A', 'AA A', 'AAA\n', '!'])
    assert.equal(fromBase64url(text), undefined, text)
})
