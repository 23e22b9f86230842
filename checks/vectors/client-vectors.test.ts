// The vectors of errors and retries, which the Python and Rust SDKs run as well, against the TypeScript SDK.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { refusals } from '@svc/contract/refusal'
import { createClient } from '@svc/sdk/client'
import { type ErrorCode, SvcError } from '@svc/sdk/errors'
import { retryDelay } from '@svc/sdk/retry'

interface Mapping {
  readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** The answer as JSON; `text` if it is not JSON, or has a special format. */
  readonly body?: unknown
  readonly text?: string
  readonly expected: Readonly<Record<string, unknown>>
}

interface Asking {
  readonly code: ErrorCode
  readonly retry_after_ms: number | null
  readonly attempt: number
  readonly random: number
  readonly delay_ms: number | null
}

const vectors: { readonly error_mapping: readonly Mapping[]; readonly retry: readonly Asking[] } = JSON.parse(
  readFileSync(join(import.meta.dirname, 'vectors.json'), 'utf8'),
)
const settings = { apiUrl: 'http://engine', apiKey: 'k', agentDid: 'did:oas:dev:agent:1', tenantId: 'dev' }

test('answers are read as the vectors say', async () => {
  for (const {
    name,
    status,
    headers,
    body,
    text = JSON.stringify(body),
    expected,
  } of vectors.error_mapping) {
    const client = createClient({ ...settings, fetch: async () => new Response(text, { status, headers }) })
    const error = await client.dispatch('PLUGIN', 'do', {}).catch((thrown) => thrown)
    assert.ok(error instanceof SvcError, name)
    const fields: Readonly<Record<string, unknown>> = { ...error.toJSON() }
    const actual = Object.fromEntries(Object.keys(expected).map((field) => [field, fields[field]]))
    assert.deepEqual(actual, expected, name)
  }
})

test('reads are retried if and when the vectors say', () => {
  for (const { code, retry_after_ms, attempt, random, delay_ms } of vectors.retry) {
    const delay = retryDelay({ code, retry_after_ms }, attempt, () => random) ?? null
    const what = `${code} after ${retry_after_ms} ms, attempt ${attempt}, chance ${random}`
    if (delay_ms === null || delay === null) assert.equal(delay, delay_ms, what)
    else assert.ok(Math.abs(delay - delay_ms) < 1e-6, `${what}: ${delay}`)
  }
})

test('the vectors cover every refusal, with its status', () => {
  const spoken = new Map(
    vectors.error_mapping.map(({ status, expected }) => [`${expected.code} ${status}`, true]),
  )
  for (const [code, { status }] of Object.entries(refusals)) {
    assert.ok(spoken.has(`${code} ${status}`), `error_mapping lacks ${code} with ${status}`)
    assert.ok(
      vectors.retry.some((each) => each.code === code),
      `retry lacks ${code}`,
    )
  }
})
