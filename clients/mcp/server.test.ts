// The server in front of a scripted engine, with the official client in both protocol versions.
import assert from 'node:assert/strict'
import { suite, type TestContext, test } from 'node:test'
import { type CallToolResult, Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { SvcError, type Whoami } from '@svc/sdk'
import type { Refused, ToolEngine, ToolRequest } from './engine.ts'
import { type McpServerOptions, mcpServer } from './server.ts'

const patience = { timeout: 180_000 }
const eras = ['legacy', { pin: '2026-07-28' }] as const

type Permission = Whoami['operations'][number]
const may = (name: string, may: Permission['may'] = 'yes', why_not?: string): Permission => {
  const [, protocol = '', ...rest] = name.split('.')
  return { protocol: protocol.toUpperCase(), operation: rest.join('.'), capability: name, may, why_not }
}

const usual = [
  may('svc.max.audit_query'),
  may('svc.max.audit_log_entry', 'no', 'You hold no capability for it.'),
  may('svc.mars.discovery', 'depends'),
  may('svc.mxx.of_a_plugin'),
]

const metadata = {
  correlation_id: 'c-1',
  audit_head: 'ab',
  audit_record_id: 'r-1',
  usage: {},
  replayed: false,
}

const refused: Refused = {
  code: 'policy_denied',
  message: 'The policy says no; ask its author.',
  reason: 'runway exhausted',
  stage: 5,
  correlation_id: 'c-2',
  retryable: false,
  retry_after_ms: null,
  details: { denying_policy: 'p-7' },
  audit_head: null,
}

function engineOf(call: ToolEngine['call'], operations: Permission[] = usual): ToolEngine {
  const whoami = { operations } as unknown as Whoami
  return { call, whoami: () => Promise.resolve(whoami) }
}

const echo: ToolEngine['call'] = async ({ protocol, operation, input }) => ({
  ok: true,
  output: { protocol, operation, input },
  metadata,
})

async function open(
  t: TestContext,
  engine: ToolEngine,
  options: McpServerOptions = {},
  mode: (typeof eras)[number] = 'legacy',
): Promise<Client> {
  const [near, remote] = InMemoryTransport.createLinkedPair()
  const served = serveStdio(() => mcpServer(engine, options), { transport: remote })
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(near)
  t.after(async () => {
    await client.close()
    await served.close()
  })
  return client
}

const anything = {
  '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) },
} as const

function textOf(result: CallToolResult): string {
  const [first] = result.content
  return first?.type === 'text' ? first.text : ''
}

for (const mode of eras) {
  suite(`the server, ${typeof mode === 'string' ? '2025-11-25' : mode.pin}`, () => {
    test('lists callable tools, with the search tool first, and identifies itself', async (t) => {
      const client = await open(t, engineOf(echo), {}, mode)
      const { tools, nextCursor } = await client.listTools()
      assert.deepEqual(
        tools.map(({ name }) => name),
        ['svc.search_tools', 'svc.mars.discovery', 'svc.max.audit_query', 'svc.mxx.of_a_plugin'],
      )
      assert.equal(nextCursor, undefined)
      assert.match(tools[1]!.description!, /for some inputs only/)
      assert.equal(client.getServerVersion()?.name, 'svc')
      assert.match(client.getInstructions() ?? '', /svc\.search_tools/)
    })

    test("an answer is structured content, the same as text, and the engine's metadata", async (t) => {
      const tool_requests: ToolRequest[] = []
      const client = await open(
        t,
        engineOf((request) => {
          tool_requests.push(request)
          return echo(request)
        }),
        {},
        mode,
      )
      const traceparent = `00-${'ab'.repeat(16)}-${'cd'.repeat(8)}-01`
      const _meta = { 'svc/idempotency_key': 'k 1', traceparent, tracestate: 'a=1' }
      const result = await client.callTool({ name: 'svc.mxx.of_a_plugin', arguments: { a: 1 }, _meta })
      assert.deepEqual(result.structuredContent, {
        protocol: 'MXX',
        operation: 'of_a_plugin',
        input: { a: 1 },
      })
      assert.deepEqual(JSON.parse(textOf(result)), result.structuredContent)
      assert.equal(result._meta?.correlation_id, 'c-1')
      assert.equal(result._meta?.replayed, false)
      assert.equal(tool_requests[0]?.idempotency_key, 'k 1')
      assert.deepEqual([tool_requests[0]?.traceparent, tool_requests[0]?.tracestate], [traceparent, 'a=1'])
      assert.equal(tool_requests[0]?.onProgress, undefined)
    })

    test('a refusal is a tool error with the code, the reason and what to do', async (t) => {
      const client = await open(
        t,
        engineOf(async () => ({ ok: false, error: refused })),
        {},
        mode,
      )
      const result = await client.callTool({ name: 'svc.max.audit_log_entry', arguments: {} })
      assert.equal(result.isError, true)
      assert.equal(
        textOf(result),
        [
          'policy_denied: The policy says no; ask its author.',
          'Reason: runway exhausted.',
          'Details: {"denying_policy":"p-7"}',
          'What to do: do not repeat this call unchanged: the same rule would refuse it again. Tell the user why.',
          'Correlation id: c-2',
        ].join('\n'),
      )
      assert.deepEqual(result._meta?.['svc/error'], refused)
    })

    test('progress only increases, and the result follows it', async (t) => {
      const client = await open(
        t,
        engineOf(async (request) => {
          request.onProgress!({ message: 'begun' })
          request.onProgress!({ message: 'half', fraction: 0.5 })
          request.onProgress!({ message: 'back', fraction: 0.2 })
          return await echo(request)
        }),
        {},
        mode,
      )
      const updates: { progress: number; message?: string }[] = []
      const onprogress = (progress: { progress: number; message?: string }) => updates.push(progress)
      await client.callTool({ name: 'svc.mxx.of_a_plugin' }, { onprogress })
      assert.deepEqual(
        updates.map(({ message }) => message),
        ['begun', 'half', 'back'],
      )
      assert.ok(updates[0]!.progress > 0 && updates[1]!.progress === 0.5 && updates[2]!.progress > 0.5)
    })

    test('a client that cancels ends the call in the engine', async (t) => {
      const begun = Promise.withResolvers<AbortSignal>()
      const call: ToolEngine['call'] = ({ signal }) => {
        begun.resolve(signal!)
        return new Promise((_, reject) => signal!.addEventListener('abort', () => reject(signal!.reason)))
      }
      const faults: unknown[] = []
      const client = await open(t, engineOf(call), { onFault: (fault) => faults.push(fault) }, mode)
      const leaving = new AbortController()
      const answer = client.callTool({ name: 'svc.mxx.of_a_plugin' }, { signal: leaving.signal })
      const signal = await begun.promise
      leaving.abort()
      await assert.rejects(answer)
      await t.waitFor(() => assert.ok(signal.aborted), patience)
      assert.deepEqual(faults, [])
    })

    test('an unknown method is refused as in JSON-RPC, and the connection stays open', async (t) => {
      const client = await open(t, engineOf(echo), {}, mode)
      await assert.rejects(client.request({ method: 'kitchen/cook' }, anything), /not found/i)
      await assert.rejects(client.listTools({ cursor: 'bm9uc2Vuc2U' }), /cursor/)
      assert.equal((await client.listTools()).tools.length, 4)
    })
  })
}

suite('what is asked for', () => {
  test('an unknown name is answered with the nearest tool', async (t) => {
    const client = await open(t, engineOf(echo))
    const result = await client.callTool({ name: 'audit_query' })
    assert.equal(result.isError, true)
    assert.match(
      textOf(result),
      /^unknown_operation: There is no tool audit_query; did you mean svc\.max\.audit_query\?/,
    )
  })

  test('an unknown tool goes to the engine, which refuses and records it', async (t) => {
    const requests: unknown[] = []
    const engine = engineOf(async (request) => {
      requests.push([request.protocol, request.operation])
      return await echo(request)
    })
    await (await open(t, engine)).callTool({ name: 'svc.max.audit_qwery' })
    assert.deepEqual(requests, [['MAX', 'audit_qwery']])
  })

  test('a server limited to some categories has nothing else', async (t) => {
    const client = await open(t, engineOf(echo), { categories: ['max'] })
    const { tools } = await client.listTools()
    assert.deepEqual(
      tools.map(({ name }) => name),
      ['svc.search_tools', 'svc.max.audit_query'],
    )
    const outside = await client.callTool({ name: 'svc.mars.discovery' })
    assert.match(textOf(outside), /limited to max/)
    const reply = await client.callTool({ name: 'svc.search_tools', arguments: { query: 'discovery' } })
    assert.deepEqual(reply.structuredContent, { tools: [], total: 0 })
    const wrong = await open(t, engineOf(echo), { categories: ['svc-kitchen'] })
    await assert.rejects(wrong.listTools(), /no category svc-kitchen; use svc-cognitive/)
  })

  test('beyond 128 tools the list is compact, and svc.call_tool reaches the rest', async (t) => {
    const many = Array.from({ length: 300 }, (_, i) => may(`svc.m${i % 7}.op_${i}`))
    const client = await open(t, engineOf(echo, many))
    const names = (await client.listTools()).tools.map(({ name }) => name)
    assert.equal(names.length, 128)
    const hidden = many.find(({ capability }) => !names.includes(capability))!
    const args = { name: hidden.capability, arguments: { x: 1 } }
    const result = await client.callTool({ name: 'svc.call_tool', arguments: args })
    assert.deepEqual(result.structuredContent, {
      protocol: hidden.protocol,
      operation: hidden.operation,
      input: { x: 1 },
    })
    const itself = await client.callTool({ name: 'svc.call_tool', arguments: { name: 'svc.call_tool' } })
    assert.match(textOf(itself), /^invalid_payload/)
    const whole = await open(t, engineOf(echo, many), { compact: false })
    const first = await whole.listTools({ cursor: undefined })
    assert.ok(first.tools.length >= 128)
  })

  test('search returns denied tools with the reason, and refuses invalid arguments', async (t) => {
    const client = await open(t, engineOf(echo))
    await client.listTools()
    const search = (search_args: Record<string, unknown>) =>
      client.callTool({ name: 'svc.search_tools', arguments: search_args })
    const { tools } = (await search({ query: 'audit log entry' })).structuredContent as {
      tools: { name: string; may: string; why_not?: string }[]
    }
    assert.equal(tools[0]?.name, 'svc.max.audit_log_entry')
    assert.equal(tools[0]?.why_not, 'You hold no capability for it.')
    for (const wrong_args of [
      { limit: 0 },
      { limit: 1.5 },
      { query: 7 },
      { category: 'kitchen' },
      { more: 1 },
    ])
      assert.match(textOf(await search(wrong_args)), /^invalid_payload/, JSON.stringify(wrong_args))
  })
})

suite('what goes wrong', () => {
  test('arguments beyond the limit are refused before anything is sent', async (t) => {
    const client = await open(
      t,
      engineOf(() => assert.fail('nothing may be sent')),
    )
    const result = await client.callTool({
      name: 'svc.mxx.of_a_plugin',
      arguments: { x: 'a'.repeat(6 << 20) },
    })
    assert.match(textOf(result), /^payload_too_large/)
  })

  test('a key that is not a valid header is refused', async (t) => {
    const client = await open(
      t,
      engineOf(() => assert.fail('nothing may be sent')),
    )
    for (const key of ['', 'a\nb', ' a', 'ü', 7, 'x'.repeat(256)]) {
      const _meta = { 'svc/idempotency_key': key }
      assert.match(textOf(await client.callTool({ name: 'svc.mxx.of_a_plugin', _meta })), /^invalid_request/)
    }
  })

  test('calls beyond the limit of a caller are refused, and a freed slot is reused', async (t) => {
    const pending: (() => void)[] = []
    const call: ToolEngine['call'] = (request) =>
      new Promise((resolve) => pending.push(() => resolve(echo(request))))
    const client = await open(t, engineOf(call))
    const running = Array.from({ length: 33 }, () => client.callTool({ name: 'svc.mxx.of_a_plugin' }))
    const refused = await Promise.race(running)
    assert.match(textOf(refused), /^rate_limited: Too many calls/)
    for (const answer of pending.splice(0)) answer()
    const results = await Promise.all(running)
    assert.equal(results.filter(({ isError }) => isError).length, 1)
    const next = client.callTool({ name: 'svc.mxx.of_a_plugin' })
    await t.waitFor(() => assert.equal(pending.length, 1), patience)
    pending[0]!()
    assert.equal((await next).isError, undefined)
  })

  test('an internal error is reported to the operator, and its text to nobody else', async (t) => {
    const faults: unknown[] = []
    const secret = new Error('password is hunter2')
    const engine = { call: () => Promise.reject(secret), whoami: () => Promise.reject(secret) }
    const client = await open(t, engine, { onFault: (fault) => faults.push(fault) })
    const result = await client.callTool({ name: 'svc.max.audit_query' })
    assert.match(textOf(result), /^internal: /)
    assert.doesNotMatch(JSON.stringify(result), /hunter2/)
    await assert.rejects(client.listTools(), (error: Error) => !/hunter2/.test(error.message))
    assert.deepEqual(faults, [secret, secret])
  })

  test('a caller refused at authentication is told so by the list', async (t) => {
    const gone = new SvcError({ code: 'unauthenticated', message: 'The key was revoked; make another.' })
    const engine = { call: echo, whoami: () => Promise.reject(gone) }
    const client = await open(t, engine)
    await assert.rejects(client.listTools(), /The key was revoked/)
    const away = new SvcError({ code: 'network', message: 'The engine cannot be reached.' })
    const remote = await open(t, { call: echo, whoami: () => Promise.reject(away) })
    await assert.rejects(remote.listTools(), /cannot be reached/)
    assert.match(textOf(await remote.callTool({ name: 'svc.search_tools' })), /^network: The engine cannot/)
  })
})
