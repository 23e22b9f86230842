import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { csvOf } from './csv.ts'
import { compute } from './report-file-job.ts'

const report = {
  tenant_id: 'acme',
  period: { from: '2026-11-01T00:00:00Z', to: '2026-12-01T00:00:00Z' },
  framework: 'soc2',
  issued_at: '2026-12-01T08:00:00.000Z',
  report_id: `sha256:${'a'.repeat(64)}`,
  head: 'b'.repeat(64),
  first_seq: 1,
  last_seq: 9,
  record_count: 9,
  merkle_root: 'c'.repeat(64),
  tree_size: 12,
  counts: { success: 7, refused: 2, error: 0, by_event: { ProtocolInvocation: 7, 'custom.größe-你': 2 } },
  chain_verified: false,
  first_bad_seq: 4,
  gaps: [5, 6],
  authorities: [{ source: 'treaty', ref: '=HYPERLINK("https://evil.example")', calls: 3 }],
  authorities_truncated: false,
  framework_about: 'The common criteria.',
  controls: [
    {
      id: 'CC7.2',
      title: 'Watching for anomalies',
      question: 'Is the system watched?',
      status: 'evidence',
      evidence: [
        {
          counts: 'Refusals, each with its reason',
          event_types: [],
          operations: [],
          outcomes: ['refused'],
          must: { field: 'reason' },
          count: 2,
          first: { seq: 3, ref: 'max://acme/record/aa' },
          last: { seq: 7, ref: 'max://acme/record/bb' },
          exceptions: 1,
          exception_refs: ['max://acme/record/bb'],
        },
      ],
      gap: 'Anomalies of other components.',
    },
    {
      id: 'CC1.4',
      title: 'Competent people',
      question: 'Are they trained?',
      status: 'not_shown',
      evidence: [],
      gap: 'Training is outside this system.',
    },
  ],
}
const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const attestation = `${part({ alg: 'EdDSA', typ: 'svc-report+jws', kid: 'k' })}.${part(report)}.${'A'.repeat(86)}`
const public_key = 'K'.repeat(43)

test('the CSV has every part of the report and its proof, and no formula', async () => {
  const csv = Buffer.from(await compute({ attestation, public_key, format: 'csv' })).toString('utf8')
  const lines = csv.split('\r\n')
  assert.equal(lines[0], 'section,name,value,detail')
  for (const line of [
    'Report,Organization,acme,',
    'Result,Audit log verified,NO,',
    'Result,First record that does not verify,4,',
    'Result,Missing records,5 6,',
    'Outcomes,refused,2,',
    'Events,custom.größe-你,2,',
    'Report,Framework,soc2,The common criteria.',
    'Controls,CC7.2 Watching for anomalies,evidence,Is the system watched?',
    'Controls,CC7.2 evidence,"2 records, 1 exception","Refusals, each with its reason. Query: outcome refused; must have reason. ' +
      'First: max://acme/record/aa (record 3). Last: max://acme/record/bb (record 7). Exceptions: max://acme/record/bb"',
    'Controls,CC7.2 gap,Anomalies of other components.,',
    'Controls,CC1.4 Competent people,not shown by this log,Are they trained?',
    'Controls,CC1.4 gap,Training is outside this system.,',
    `Authorities,treaty,3 calls,"'=HYPERLINK(""https://evil.example"")"`,
    `Proof,Merkle root,${report.merkle_root},`,
    `Proof,Public key,${public_key},`,
    `Proof,Attestation,${attestation},`,
  ])
    assert.ok(lines.includes(line), line)
})

test('the PDF of a report is always the same, carries its attestation in one piece, and loses no character', async () => {
  const [one, other] = await Promise.all(
    [1, 2].map(() => compute({ attestation, public_key, format: 'pdf' })),
  )
  assert.deepEqual(one, other)
  const text = Buffer.from(one!).toString('latin1')
  assert.match(text, /^%PDF-1\.\d/)
  assert.ok(text.includes(`(${attestation})`))
  assert.match(text, /D:20261201080000Z/)
  // Text is in hexadecimal; spaces between kerned pieces are left out.
  const drawn = [...text.matchAll(/<([0-9a-f]+)>/g)]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
    .join('')
  for (const word of ['acme', 'soc2', 'größe', '\\u{4f60}', 'Training', report.head.slice(0, 20), 'offline'])
    assert.ok(drawn.includes(word), word)
})

test('a report of an earlier release is still a file', async () => {
  const control = {
    id: 'CC7.2 refusals-have-reasons',
    statement: 'Every refusal carries its reason.',
    status: 'met',
    evidence: [],
  }
  const signed = `${part({})}.${part({ ...report, framework_about: undefined, controls: [control] })}.${'A'.repeat(86)}`
  const csv = Buffer.from(await compute({ attestation: signed, public_key, format: 'csv' })).toString('utf8')
  assert.ok(
    csv.includes('\r\nControls,CC7.2 refusals-have-reasons,met,Every refusal carries its reason.\r\n'),
  )
  assert.ok(csv.includes('\r\nReport,Framework,soc2,\r\n'))
})

test('a long report takes several pages', async () => {
  const by_event = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`custom.event_${i}`, i]))
  const long = { ...report, counts: { ...report.counts, by_event } }
  const signed = `${part({ alg: 'EdDSA', typ: 'svc-report+jws', kid: 'k' })}.${part(long)}.${'A'.repeat(86)}`
  const pdf = Buffer.from(await compute({ attestation: signed, public_key, format: 'pdf' })).toString(
    'latin1',
  )
  assert.ok(Number(/\/Type \/Pages\s+\/Count (\d+)/.exec(pdf)?.[1]) >= 4)
})

test('whatever the cells, a reader of CSV finds them again, and none begins a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.string(), { minLength: 1, maxLength: 4 }), { maxLength: 6 }), (rows) => {
      const cells = parse(csvOf(rows))
      assert.deepEqual(
        cells.map((row) => row.map((text) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))),
        rows.map((row) => row.map((text) => text.replace(/^'(?=[=+\-@\t\r\n＝＋－＠])/, ''))),
      )
      for (const text of cells.flat())
        assert.ok(!/^[=+\-@\t\r\n＝＋－＠]/.test(text) || /^-\d/.test(text), text)
    }),
  )
})

test('wide signs and a new line before a formula are kept as text', () => {
  assert.deepEqual(parse(csvOf([['＝1+1', '\n=1+1', '＠a', 'a＝b']])), [
    ["'＝1+1", "'\n=1+1", "'＠a", 'a＝b'],
  ])
})

/** By the grammar of RFC 4180. */
function parse(csv: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/gy
  for (let match = cell.exec(csv); match; match = cell.exec(csv)) {
    row.push(match[1]?.replaceAll('""', '"') ?? match[2]!)
    if (match[3] === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}
