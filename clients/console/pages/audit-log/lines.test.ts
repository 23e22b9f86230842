import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { linesOf, paced } from './lines.ts'
import { no_trust, optionsOf, readTrust } from './trust.ts'

function streamOf(bytes: Uint8Array, cuts: readonly number[]): ReadableStream<Uint8Array> {
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  const parts = [0, ...places].map((from, i) => bytes.subarray(from, places[i] ?? bytes.length))
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

test('the lines of a file are the same, however it is split into chunks', async () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\n\r]/g, ' '))
  await fc.assert(
    fc.asyncProperty(fc.array(line, { minLength: 1 }), fc.array(fc.nat()), async (lines, cuts) => {
      const text = lines.map((each) => `${each}\n`).join('')
      assert.deepEqual(await Array.fromAsync(linesOf(streamOf(new TextEncoder().encode(text), cuts))), lines)
    }),
  )
})

test('a byte order mark is kept, a CR before LF is dropped, and invalid UTF-8 fails', async () => {
  const read = (bytes: number[]) => Array.fromAsync(linesOf(streamOf(Uint8Array.from(bytes), [])))
  assert.deepEqual(await read([0xef, 0xbb, 0xbf, 0x61]), ['\ufeffa'])
  assert.deepEqual(await read([0x61, 0x0d, 0x0a, 0x62]), ['a', 'b'])
  await assert.rejects(read([0x61, 0xff, 0x0a]))
})

test('paced lines are the same lines, and none follows a stop', async () => {
  async function* some() {
    for (let i = 0; i < 5; i++) yield String(i)
  }
  const stopping = new AbortController()
  const counts: number[] = []
  const pacing = { signal: stopping.signal, onPause: (count: number) => counts.push(count) }
  assert.deepEqual(await Array.fromAsync(paced(some(), pacing)), ['0', '1', '2', '3', '4'])
  assert.equal(counts.at(-1), 5)
  stopping.abort(new Error('enough'))
  await assert.rejects(Array.fromAsync(paced(some(), pacing)), /enough/)
})

test('pasted text is split, and invalid entries are named', () => {
  const note = (size: number) =>
    `svc/dev\n${size}\n${btoa('r'.repeat(32))}\n\n\u2014 svc/dev ${btoa('s'.repeat(68))}\n`
  const key = 'A'.repeat(43)
  const witness = `witness.example+0badcafe+${'A'.repeat(44)}`
  const pasted = readTrust({
    keys: ` ${key}\n${key} `,
    notes: `\n${note(1)}\n${note(22).replaceAll('\n', '\r\n')}`,
    witnesses: witness,
    witnesses_needed: '1',
  })
  assert.deepEqual(pasted, {
    keys: [key, key],
    notes: [note(1), note(22)],
    witnesses: [witness],
    witnesses_needed: 1,
    faults: [],
  })
  const wrong = readTrust({ keys: 'short', notes: 'no note', witnesses: 'x+y', witnesses_needed: '2' })
  assert.equal(wrong.faults.length, 4)
  assert.match(wrong.faults.join(' '), /“short” is not a public key.*“no note” is not a signed checkpoint/)
  assert.deepEqual(optionsOf(readTrust(no_trust)), { checkpoints: [], witnessKeys: [], witnessesNeeded: 0 })
})
