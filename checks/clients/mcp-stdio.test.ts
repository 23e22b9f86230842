// "Transports: stdio and SSE": the real `svc mcp serve` as a process, called by the official client, with a
// real engine.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { after, before, suite, type TestContext, test } from 'node:test'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { unresolved } from '@svc/contract/identity/identity'
import { type Trial, trialProtocol } from '../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import type { Addresses } from '../engines/running-engine.ts'
import { eventually } from '../suite/eventually.ts'
import { clientEnv } from './test-terminal.ts'

const program = join(import.meta.dirname, '../../clients/cli/main.ts')
const eras = ['legacy', { pin: '2026-07-28' }] as const

let engine: InProcessService
let trial: Trial

before(async () => {
  trial = trialProtocol()
  engine = await startInProcess({
    // Callers have only the capabilities of their key.
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: 'L2' },
      }),
    },
    more_protocols: [trial.protocol],
    caller: { capabilities: ['svc.max.*', 'svc.trial.*'] },
  })
})
after(() => engine?.stop())

function transportFor(addresses: Addresses, flags: readonly string[] = []): StdioClientTransport {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env
  const env = { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', ...clientEnv(addresses) }
  const args = [program, 'mcp', 'serve', ...flags]
  return new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' })
}

async function open(
  t: TestContext,
  flags: readonly string[] = [],
  mode: (typeof eras)[number] = 'legacy',
): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transportFor(engine, flags))
  t.after(() => client.close())
  return client
}

for (const mode of eras) {
  test(`stdio, ${typeof mode === 'string' ? '2025-11-25' : mode.pin}: list, call, refusal, progress, cancellation, and the audit log says mcp`, async (t) => {
    const client = await open(t, [], mode)
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    assert.ok(names.includes('svc.max.audit_query') && names.includes('svc.trial.note'))
    assert.ok(!names.includes('svc.mars.register_agent'))

    const entry = { event_type: 'custom.by_tool', meta: {} }
    const _meta = { 'svc/idempotency_key': `once ${JSON.stringify(mode)}` }
    const write = () => client.callTool({ name: 'svc.max.audit_log_entry', arguments: entry, _meta })
    const [first, again] = [await write(), await write()]
    assert.equal(first.isError, undefined)
    assert.deepEqual([first._meta?.replayed, again._meta?.replayed], [false, true])
    assert.match(String(first._meta?.audit_record_id), /^[0-9a-f-]{36}$/)

    const denied = await client.callTool({ name: 'svc.mars.register_agent', arguments: {} })
    const error = denied._meta?.['svc/error'] as { code: string; stage: number; correlation_id: string }
    assert.deepEqual([denied.isError, error.code, error.stage], [true, 'capability_denied', 4])

    const messages: (string | undefined)[] = []
    const onprogress = ({ message }: { message?: string }) => messages.push(message)
    const result = client.callTool({ name: 'svc.trial.hold', arguments: {} }, { onprogress })
    // The call is released only now: the client drops progress that arrives with the result.
    await eventually(() => assert.deepEqual(messages, ['held']))
    trial.release()
    assert.equal((await result).isError, undefined)

    await refuseTooMuch(client)
    await cancelOne(client)
    const records = await engine.records(engine.tenant_id)
    for (const id of [first._meta?.correlation_id, error.correlation_id]) {
      const [record] = records.filter(({ correlation_id }) => correlation_id === id)
      assert.equal((record?.meta as { origin?: string } | undefined)?.origin, 'mcp')
    }
  })
}

async function cancelOne(client: Client): Promise<void> {
  const leaving = new AbortController()
  const waiting = client.callTool({ name: 'svc.trial.hold', arguments: {} }, { signal: leaving.signal })
  await trial.entered()
  leaving.abort()
  await assert.rejects(waiting)
  trial.release()
  const after = await client.callTool({ name: 'svc.trial.echo', arguments: { say: 'still here' } })
  assert.equal((after.structuredContent as { said: string }).said, 'still here')
}

async function refuseTooMuch(client: Client): Promise<void> {
  const codeOf = async (args: Record<string, unknown>) => {
    const { _meta } = await client.callTool({ name: 'svc.trial.note', arguments: args })
    return (_meta?.['svc/error'] as { code: string } | undefined)?.code
  }
  let deep: Record<string, unknown> = {}
  for (let i = 0; i < 1_000; i++) deep = { deep }
  assert.equal(await codeOf({ text: 'a'.repeat(6 << 20) }), 'payload_too_large')
  assert.equal(await codeOf(deep), 'invalid_request')
  assert.deepEqual(trial.effects, [])
}

suite('stdio', () => {
  test('flags select what is served: a category, and how many', async (t) => {
    const client = await open(t, ['--category', 'max', '--tools-max', '3'])
    const { tools } = await client.listTools()
    const names = tools.map(({ name }) => name)
    assert.deepEqual(names.slice(0, 2), ['svc.search_tools', 'svc.call_tool'])
    assert.equal(names.length, 3)
    const result = await client.callTool({
      name: 'svc.search_tools',
      arguments: { query: 'explain a decision' },
    })
    assert.match(JSON.stringify(result.structuredContent), /svc\.max\.explainability_request/)
    const inner = { name: 'svc.max.audit_query', arguments: { after_seq: 0, limit: 1 } }
    const called = await client.callTool({ name: 'svc.call_tool', arguments: inner })
    assert.equal(called.isError, undefined, JSON.stringify(called))
    assert.equal((called.structuredContent as { records: unknown[] }).records.length, 1)
  })

  test('standard output carries only the protocol, and the program ends with its input', async () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const env = { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent', ...clientEnv(engine) }
    const child = spawn(process.execPath, [program, 'mcp', 'serve'], { env, stdio: 'pipe' })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    child.stdin.write('this is no message\n')
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`)
    await once(child.stdout, 'data')
    child.stdin.end()
    const [code] = await once(child, 'exit')
    assert.equal(code, 0, err)
    for (const line of out.trim().split('\n')) assert.equal(JSON.parse(line).jsonrpc, '2.0')
  })

  test('without settings it exits at once, with the code for not signed in', async () => {
    const { PATH, NODE_COMPILE_CACHE } = process.env
    const env = { PATH, NODE_COMPILE_CACHE, HOME: '/nonexistent' }
    const child = spawn(process.execPath, [program, 'mcp', 'serve'], { env, stdio: ['pipe', 'pipe', 'pipe'] })
    let [out, err] = ['', '']
    child.stdout.on('data', (chunk) => (out += chunk))
    child.stderr.on('data', (chunk) => (err += chunk))
    const [code] = await once(child, 'close')
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /svc login/)
  })
})
