import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { callConventions, toolConventions, usageConventions } from './gen-ai.ts'
import type { FinishedTrace } from './tracer.ts'

const did = (kind: string) => `did:oas:acme:${kind}:${'a'.repeat(64)}`

function trace(more: Partial<FinishedTrace> = {}): FinishedTrace {
  return {
    ...{ root: 'svc.dispatch', outcome: 'success', code: undefined, audit_head: null },
    ...{ trace_id: '', parent_span_id: undefined, tracestate: undefined, span_id: '', invoke_span_id: '' },
    ...{ began_ms: 0, started_ms: 0, ended_ms: [], refused_at: undefined, dry_run: false },
    ...{ protocol: 'MIND', operation: 'store_memory', tenant_id: 'acme', agent_did: did('agent') },
    ...{ tokens_in: 0, tokens_out: 0, tool_id: undefined, correlation_id: '', origin: 'http' },
    ...more,
  }
}

const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'MIND.store_memory' }

test('an operation is a tool that the calling agent uses', () => {
  assert.deepEqual(callConventions(trace()), { ...tool, 'gen_ai.agent.id': did('agent') })
  const by_mcp = callConventions(trace({ origin: 'mcp' }))
  assert.equal(by_mcp['mcp.method.name'], 'tools/call')
})

test('a person is not named, and neither is what no registry knows', () => {
  assert.deepEqual(callConventions(trace({ agent_did: did('human-root') })), tool)
  assert.deepEqual(callConventions(trace({ agent_did: 'nonsense' })), tool)
  assert.deepEqual(callConventions(trace({ protocol: 'unknown', operation: 'unknown' })), {})
})

test('an error has its type; a refusal is none', () => {
  const type = (more: Partial<FinishedTrace>) => callConventions(trace(more))['error.type']
  assert.equal(type({ outcome: 'error', code: 'timeout' }), 'timeout')
  assert.equal(type({ outcome: 'refused', code: 'capability_denied' }), undefined)
  assert.equal(type({ outcome: 'error', code: 'internal', protocol: 'unknown' }), 'internal')
})

test('tokens are counted where some were used', () => {
  assert.deepEqual(usageConventions(trace()), {})
  assert.deepEqual(usageConventions(trace({ tokens_in: 12, tokens_out: 3 })), {
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 3,
  })
})

test('a tool of another MCP server is named by its own name, and only such a tool', () => {
  assert.deepEqual(toolConventions(trace({ tool_id: 'mcp:files/read_file' })), {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'read_file',
    'mcp.method.name': 'tools/call',
  })
  fc.assert(
    fc.property(
      fc.option(
        fc.string().filter((text) => !text.startsWith('mcp:')),
        { nil: undefined },
      ),
      (tool_id) => assert.deepEqual(toolConventions(trace({ tool_id })), {}),
    ),
  )
})
