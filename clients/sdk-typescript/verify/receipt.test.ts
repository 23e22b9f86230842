import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyReceipt } from './receipt.ts'
import { newKey, rootOver, testExport } from './test-export.ts'

const key = newKey()

/** The receipt of the last of so many records; its seq may be anything. */
async function reasonOf(count: number, seq: unknown): Promise<string | undefined> {
  const records = Array.from({ length: count }, (_, i) => (i === count - 1 ? { seq } : {}))
  const { record_lines, hashes, noteAt } = testExport({ records, keys: [[key, null]], notes: [] })
  const { record, record_hash } = JSON.parse(record_lines.at(-1)!)
  const receipt = {
    record: { ...record, previous_hash: hashes.at(-2) ?? '0'.repeat(64), record_hash },
    tree_size: count,
    inclusion_path: count === 1 ? [] : [rootOver(hashes.slice(0, 1)).toString('hex')],
    checkpoint: noteAt(count),
  }
  return (await verifyReceipt(receipt as never, [key.public_key])).reason
}

test('a receipt proves the place that its record names, which is a number', async () => {
  assert.equal(await reasonOf(1, 1), undefined)
  assert.equal(await reasonOf(2, 2), undefined)
  const elsewhere = 'the path does not lead from the record to the signed root'
  for (const [count, seq] of [
    [1, '1'],
    [2, '2'],
    [2, 1],
    [2, null],
  ] as const)
    assert.equal(await reasonOf(count, seq), elsewhere, `${count} ${seq}`)
})
