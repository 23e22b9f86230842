import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import { verifyExport } from '@svc/sdk/verify/export'
import {
  type ExportedAuditLog,
  fitted,
  hashOf,
  putTogether,
  signedAnew,
} from '../../checks/tamper/exported-audit-log.ts'
import { entryOf } from '../test-audit-log.ts'
import { keyId } from '../tree/checkpoint.ts'
import { cosign, verifierKeyOf } from './cosign.ts'

function newKey() {
  const { privateKey: private_key } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(private_key.export({ format: 'jwk' }).x!, 'base64url')
  return { private_key, public_key }
}

/** An audit log without a database, signed at these sizes. */
function auditLogOf(tenant_id: string, sizes: readonly number[]) {
  const pair = newKey()
  const key = { ...pair, key_id: keyId(`svc/${tenant_id}`, pair.public_key) }
  const records: string[] = []
  for (let seq = 1; seq <= sizes.at(-1)!; seq++)
    records.push(fitted({ ...entryOf(tenant_id), seq }, hashOf(records, seq - 1)))
  const listed = {
    key_id: key.key_id,
    public_key: pair.public_key.toString('base64url'),
    from_seq: 1,
    until_seq: null,
  }
  const origin = `svc/${tenant_id}`
  const span = { from_seq: 1, to_seq: records.length, previous_hash: '0'.repeat(64) }
  const header = { format: 'svc-audit-export/1', tenant_id, origin, keys: [listed], ...span }
  const unsigned: ExportedAuditLog = { header, records, notes: [] }
  const notes = signedAnew(unsigned, sizes, key)
  return { lines: putTogether({ ...unsigned, notes }), notes }
}

/** Written from the specification, using none of our code. */
function cosignedBySpec(note: string, name: string, seconds: bigint, pair = newKey()) {
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const message = Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`)
  const typed = Buffer.concat([Buffer.of(0x04), pair.public_key])
  const id = createHash('sha256')
    .update(Buffer.concat([Buffer.from(`${name}\n`), typed]))
    .digest()
    .subarray(0, 4)
  const time = Buffer.alloc(8)
  time.writeBigUInt64BE(seconds)
  const bytes = Buffer.concat([id, time, sign(null, message, pair.private_key)])
  const line = `— ${name} ${bytes.toString('base64')}\n`
  return { line, key: `${name}+${id.toString('hex')}+${typed.toString('base64')}`, bytes }
}

test('cosignatures made by the specification count, unknown ones are ignored, false ones are faults', async () => {
  const { lines, notes } = auditLogOf('vectors', [3, 5])
  const [first, last] = notes as [string, string]
  const [a, b] = [
    cosignedBySpec(first, 'a.example/w', 1_700_000_000n),
    cosignedBySpec(last, 'b.example/w', 2n ** 40n),
  ]
  const [size_a, size_b] = [3, 5]
  const withLine = (at: number, ...added: string[]) => {
    const place = lines.indexOf(JSON.stringify({ checkpoint: notes.at(at) }))
    return (of: readonly string[]) =>
      of.with(place, JSON.stringify({ checkpoint: `${notes.at(at)}${added.join('')}` }))
  }
  const both = withLine(-1, b.line)(withLine(0, a.line)(lines))
  const verify = (of: readonly string[], witnessKeys?: string[], witnessesNeeded?: number) =>
    verifyExport(of, { witnessKeys, witnessesNeeded })
  const one = await verify(both, [a.key, b.key], 1)
  assert.deepEqual([one.ok, one.witnessed?.size], [true, size_b])
  assert.deepEqual(one.witnessed?.by, [
    { name: 'b.example/w', size: size_b, at_seconds: 2 ** 40 },
    { name: 'a.example/w', size: size_a, at_seconds: 1_700_000_000 },
  ])
  assert.equal((await verify(both, [a.key, b.key], 2)).witnessed?.size, size_a)
  assert.equal((await verify(both)).witnessed, undefined)
  assert.match((await verify(both, [a.key], 2)).reason ?? '', /2 witnesses are needed, and the keys of 1/)
  assert.match((await verify(both, [a.key, a.key], 2)).reason ?? '', /the keys of 1 are given/)
  assert.match((await verify(lines, [a.key], 1)).reason ?? '', /and 0 of yours have cosigned/)
  assert.equal((await verify(lines, [a.key])).witnessed?.size, 0)
  for (const odd of [-1, 0.5, Number.NaN])
    assert.match((await verify(both, [a.key], odd)).reason ?? '', /no number/)
  const turned = Buffer.from(b.bytes)
  turned[11]! ^= 1
  const false_lines = [
    `— b.example/w ${turned.toString('base64')}\n`,
    `— b.example/w ${b.bytes.subarray(0, 68).toString('base64')}\n`,
    cosignedBySpec(first, 'b.example/w', 1n).line.replace(
      / \S+\n/,
      (old) =>
        ` ${Buffer.concat([b.bytes.subarray(0, 4), Buffer.from(old.trim(), 'base64').subarray(4)]).toString('base64')}\n`,
    ),
  ]
  for (const line of false_lines) {
    assert.match((await verify(withLine(-1, line)(lines), [b.key])).reason ?? '', /is not its own/, line)
    assert.match((await verify(withLine(-1, b.line, line)(lines), [b.key])).reason ?? '', /is not its own/)
    assert.equal((await verify(withLine(-1, line)(lines))).ok, true, 'nobody trusts it, so nobody minds')
  }
  const other_id = b.key.replace(/\+[0-9a-f]{8}\+/, '+00000000+')
  for (const bad of ['', 'x', b.key.replace('+', ' '), other_id, `${b.key}=`])
    assert.match((await verify(lines, [bad])).reason ?? '', /key of (a|the) witness|no key of a witness/, bad)
  const export_verdict = await verifyExport(lines, {
    checkpoints: [last + b.line],
    witnessKeys: [b.key],
    witnessesNeeded: 1,
  })
  assert.deepEqual(
    [export_verdict.ok, export_verdict.witnessed?.size],
    [true, size_b],
    'a note that was kept counts as well',
  )
})

test('our own witness signs as specified', () => {
  const { notes } = auditLogOf('ours', [2])
  const note = notes[0]!
  const pair = newKey()
  const text = note.slice(0, note.indexOf('\n\n') + 1)
  const by_spec = cosignedBySpec(note, 'w.example/ours', 1_790_000_000n, pair)
  assert.equal(cosign(text, { ...pair, name: 'w.example/ours' }, 1_790_000_000), by_spec.line)
  assert.equal(verifierKeyOf({ ...pair, name: 'w.example/ours' }), by_spec.key)
})
