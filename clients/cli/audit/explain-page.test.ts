import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AuditRecord } from '@svc/sdk/answer'
import type { Terminal } from '../command.ts'
import { type Explanation, explainPage } from './explain-page.ts'

const terminal = { env: {}, stdout_is_tty: false, columns: 100 } as unknown as Terminal
const caller_did = `did:oas:dev:agent:${'a'.repeat(64)}`

function recordOf(more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    id: 'id',
    seq: 7,
    event_type: 'PolicyDenied',
    correlation_id: 'c',
    timestamp: '2026-11-15T10:00:00.000Z',
    tenant_id: 'dev',
    caller_did,
    protocol: 'MIND',
    operation: 'store_memory',
    outcome: 'refused',
    latency_ms: 1.5,
    meta: { code: 'capability_denied', origin: 'mcp', sentence: 'You hold no capability.' },
    previous_hash: '',
    record_hash: '',
    ...more,
  }
}

const refused: Explanation = {
  decision: 'refused',
  stage: 4,
  code: 'capability_denied',
  reason: 'no active treaty',
  capability: { requested: 'svc.mind.store_memory' },
  policies: [],
  counterfactuals: [
    { change: 'an active treaty granted it', outcome: 'passes', result: 'stage 4 would have passed' },
  ],
  appeal_path: 'moot://file/\u001b[31m',
  narrative: `At 10 ${caller_did} was refused.`,
  evidence: [],
  consistent: true,
}

test('a refusal names its rule, its stage, what was not reached, the remedy and the appeal', () => {
  const page = explainPage(refused, [recordOf()], terminal)
  assert.match(page, /^REFUSED {2}MIND store_memory\nAt 10 did:oas:dev:agent:aaaaaaaaaaaa… was refused\.\n/)
  assert.match(page, /through +mcp\n/)
  assert.match(page, /refused by +stage 4, Capability\ncode +capability_denied\nrule +no active treaty\n/)
  assert.match(page, /in words +You hold no capability\.\n/)
  assert.match(
    page,
    / 3 {2}Rate limit +passed\n {2}4 {2}Capability +refused: capability_denied, no active treaty\n/,
  )
  assert.match(page, / 5 {2}Circuit breaker and budget {2}not reached\n/)
  assert.match(page, / 8 {2}Audit +recorded as 7\n/)
  assert.match(page, / {2}- If an active treaty granted it: stage 4 would have passed\.\n/)
  assert.match(page, /Appeal\n {2}moot:\/\/file\/\\e\[31m\n/)
})

test('a dry run reaches no module, and says that nothing was executed', () => {
  const dry = recordOf({ outcome: 'success', event_type: 'AuthorizationCheck', meta: { dry_run: true } })
  const allowed = {
    ...refused,
    decision: 'allowed' as const,
    code: undefined,
    appeal_path: undefined,
    stage: 8,
  }
  const page = explainPage(allowed, [dry], terminal)
  assert.match(page, /^ALLOWED {2}MIND store_memory \(dry run: nothing was executed\)/)
  assert.match(page, / 6 {2}Endpoint +passed\n {2}7 {2}Invocation +not reached\n/)
  assert.doesNotMatch(page, /Appeal|refused by/)
})

test("the call is described by its own record, not by a nested call's or a noted one", () => {
  const inner = recordOf({ seq: 5, operation: 'inner', meta: { code: 'x', depth: 1 } })
  const note = recordOf({
    seq: 6,
    event_type: 'custom.x',
    operation: 'note',
    meta: { supplied: { code: 'x' } },
  })
  assert.match(explainPage(refused, [inner, note, recordOf()], terminal), /^REFUSED {2}MIND store_memory\n/)
})

test('a record that contradicts its rules is reported', () => {
  assert.match(explainPage({ ...refused, consistent: false }, [], terminal), /contradicts the rules it names/)
})

test('no line is wider than a page, except text to be copied', () => {
  const text = 'word '.repeat(60).trim()
  const long = { change: text, outcome: 'passes', result: text } as const
  const page = explainPage({ ...refused, counterfactuals: [long] }, [recordOf()], {
    ...terminal,
    columns: 60,
  })
  for (const line of page.split('\n')) assert.ok(line.length <= 60 || line.includes(caller_did), line)
})
