import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportAuditLog } from './audit-log.ts'

type Client = Parameters<typeof exportAuditLog>[0]
type PageInput = Parameters<Client['max']['audit_query']>[0]
type Page = Awaited<ReturnType<Client['max']['audit_query']>>

const key = { key_id: '00000000', public_key: 'A'.repeat(43), from_seq: 1, until_seq: null }

function recordOf(seq: number, meta: Record<string, unknown> = {}): Page['records'][number] {
  return {
    id: `id-${seq}`,
    seq,
    event_type: 'custom.x',
    correlation_id: 'c',
    timestamp: 't',
    tenant_id: 'dev',
    caller_did: 'did',
    outcome: 'success',
    latency_ms: 0,
    meta,
    previous_hash: `before ${seq}`,
    record_hash: `hash ${seq}`,
  }
}

/** An engine with scripted answers. */
function clientOf(
  answer: (page_input: PageInput) => Partial<Page>,
): Client & { readonly asked: PageInput[] } {
  const inputs: PageInput[] = []
  const audit_query = async (input: PageInput) => {
    inputs.push(input)
    return { records: [], head: '', ...answer(input) }
  }
  return { asked: inputs, max: { audit_query } as unknown as Client['max'] }
}

/** A chain of this length, signed every `every` records. */
function chainOf(length: number, every: number) {
  const size_max = length - (length % every)
  return clientOf(({ after_seq = 0, limit = 0, include_proofs }) => {
    const count = Math.max(0, Math.min(limit, length - after_seq))
    const records = Array.from({ length: count }, (_, i) => recordOf(after_seq + i + 1))
    const covering = Math.ceil((after_seq + 1) / every) * every
    return {
      records,
      next_after_seq: count === limit ? after_seq + count : undefined,
      keys: [key],
      checkpoints: records
        .filter(({ seq }) => seq % every === 0)
        .map(({ seq }) => ({ size: seq, note: `n${seq}` })),
      newest_checkpoint: size_max > 0 ? { size: size_max, note: `n${size_max}` } : undefined,
      proofs:
        include_proofs && records.length > 0 && covering <= size_max
          ? [{ seq: after_seq + 1, tree_size: covering, inclusion_path: [] }]
          : undefined,
    }
  })
}

async function linesOf(client: Client, options = {}) {
  // biome-ignore lint/suspicious/noExplicitAny: lines of three shapes
  const lines: any[] = []
  for await (const line of exportAuditLog(client, options)) lines.push(JSON.parse(line))
  const [header, ...rest] = lines
  const records = rest.filter(({ record }) => record).map(({ record }) => record.seq)
  return { header, records, notes: rest.slice(records.length).map(({ checkpoint }) => checkpoint) }
}

test('pages end at the newest checkpoint, however much the audit log grows meanwhile', async () => {
  const progress: number[] = []
  const { header, records, notes } = await linesOf(chainOf(1203, 100), {
    onProgress: ({ seq, to_seq }: { seq: number; to_seq: number }) => progress.push(seq, to_seq),
  })
  assert.deepEqual([header.from_seq, header.to_seq, header.origin], [1, 1200, 'svc/dev'])
  assert.deepEqual(
    records,
    Array.from({ length: 1200 }, (_, i) => i + 1),
  )
  assert.equal(notes.at(-1), 'n1200')
  assert.deepEqual(progress, [500, 1200, 1000, 1200, 1200, 1200])
})

test('a requested end extends to the first checkpoint at or after it, or to the newest', async () => {
  for (const [toSeq, end] of [
    [5, 10],
    [10, 10],
    [11, 20],
    [99, 90],
  ] as const) {
    const { header, records, notes } = await linesOf(chainOf(95, 10), { fromSeq: 3, toSeq })
    assert.deepEqual([header.to_seq, records[0], records.at(-1), notes.at(-1)], [end, 3, end, `n${end}`])
    assert.equal(header.previous_hash, 'before 3')
  }
})

test('without signed records, or none that far, it says so in one sentence', async () => {
  await assert.rejects(linesOf(chainOf(0, 1)), /holds no signed record yet/)
  await assert.rejects(linesOf(chainOf(3, 10)), /holds no signed record yet/)
  await assert.rejects(linesOf(chainOf(30, 10), { fromSeq: 31 }), /signed up to record 30.*from record 31 on/)
})

test('a page without progress does not loop forever', async () => {
  const newest_checkpoint = { size: 9, note: 'n' }
  const stuck = clientOf(() => ({
    records: [recordOf(1)],
    next_after_seq: 1,
    keys: [key],
    newest_checkpoint,
  }))
  assert.deepEqual((await linesOf(stuck)).records, [1, 1])
  assert.equal(stuck.asked.length, 2)
})

test('an overwritten record is exported unchanged', async () => {
  const records = [recordOf(1, { text: '\ud800' })]
  const one = clientOf(() => ({ records, keys: [key], newest_checkpoint: { size: 1, note: 'n' } }))
  assert.deepEqual((await linesOf(one)).records, [1])
})

test('of very many notes every second one is dropped, never the last', async () => {
  const { records, notes } = await linesOf(chainOf(50_400, 1))
  assert.equal(records.length, 50_400)
  assert.ok(notes.length < 30_000 && notes.length > 25_000)
  assert.equal(notes.at(-1), 'n50400')
})
