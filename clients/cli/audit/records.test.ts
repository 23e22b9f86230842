import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/sdk/answer'
import type { Terminal } from '../command.ts'
import { checkRecords, type Page, showRecords, waitForRecords } from './records.ts'

type Client = Parameters<typeof waitForRecords>[0]

function recordOf(seq: number, more: Partial<Page['records'][number]> = {}): Page['records'][number] {
  return {
    id: `id-${seq}`,
    seq,
    event_type: 'ProtocolInvocation',
    correlation_id: 'c',
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id: 'dev',
    caller_did: 'did',
    outcome: 'success',
    latency_ms: 0,
    meta: {},
    previous_hash: '',
    record_hash: '',
    ...more,
  }
}

/** An engine whose audit log returns one list of records after the other. */
function engineOf(answers: readonly (readonly AuditRecord[])[]) {
  const requests: unknown[][] = []
  const waited: number[] = []
  const audit_query = async (...args: unknown[]) => {
    requests.push(args)
    return { records: answers[Math.min(requests.length, answers.length) - 1], head: '' }
  }
  const sleep = async (wait_ms: number) => void waited.push(wait_ms)
  return { asked: requests, waited, sleep, client: { max: { audit_query } } as unknown as Client }
}

test('waits for the final record of the call, in the audit log that holds it', async () => {
  const event = recordOf(1, { event_type: 'custom.x', meta: { supplied: { code: 'x' } } })
  const { client, sleep, waited, asked } = engineOf([[], [event], [event, recordOf(2)]])
  const records = await waitForRecords(client, 'c', { sleep, tenant_id: 'dev' })
  assert.equal(records.complete, true)
  assert.deepEqual(
    records.records.map(({ record }) => record.seq),
    [1, 2],
  )
  assert.deepEqual(waited, [100, 200])
  assert.deepEqual(asked[0], [{ correlation_id: 'c', limit: 200, include_proofs: true }, { tenantId: 'dev' }])
})

test('a record named by its answer is awaited by name, for at most five seconds', async () => {
  const { client, sleep, waited } = engineOf([[recordOf(1)]])
  const records = await waitForRecords(client, 'c', { sleep, record_id: 'id-2' })
  assert.deepEqual([records.complete, records.records.length], [false, 1])
  assert.equal(
    waited.reduce((sum, wait_ms) => sum + wait_ms),
    5_000,
  )
})

test('an abort ends the wait', async () => {
  const leaving = AbortSignal.abort(new Error('left'))
  await assert.rejects(waitForRecords(engineOf([[]]).client, 'c', { signal: leaving }), {
    name: 'AbortError',
  })
})

test('without a valid proof, nothing is called consistent', async () => {
  const page: Page = { records: [recordOf(1), recordOf(2)], head: '', keys: [] }
  const proofs = [{ seq: 2, tree_size: 2, inclusion_path: [] }]
  const checkpoints = [{ size: 2, note: 'none' }]
  assert.deepEqual(
    (await checkRecords({ ...page, proofs, checkpoints })).map(({ mark, why }) => [mark, why]),
    [
      ['INVALID', 'the engine returned no proof'],
      ['INVALID', 'the record does not have the hash it states'],
    ],
  )
})

test('marks are shown beside their records, and untrusted text cannot control the terminal', () => {
  let out = ''
  const terminal = {
    env: {},
    stdout_is_tty: false,
    columns: 100,
    out: (text: string) => {
      out += text
    },
  } as unknown as Terminal
  const hostile = recordOf(2, { event_type: '\u001b[2J', protocol: 'a\nb' })
  const records = [
    { record: recordOf(1), mark: 'verified' as const },
    { record: hostile, mark: 'INVALID' as const, why: '\u001b[31m' },
  ]
  showRecords({ correlation_id: 'c', records, complete: false }, terminal)
  assert.match(out, /\n1 +verified +2026-11-15 10:00:00Z +ProtocolInvocation +success/)
  assert.match(out, /\n2 +INVALID +.*\\e\[2J/)
  assert.match(out, /Record 2 is invalid: \\e\[31m\n/)
  assert.match(out, /not yet committed: .* svc explain c\n$/)
  assert.ok(!out.includes('\u001b'))
})
