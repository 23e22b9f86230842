// "mcp list (--category, --json), mcp call <tool>, mcp serve (--transport stdio or sse, --port)", and connect beside them.
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { unresolved } from '@svc/contract/identity/identity'
import { runCli } from '../../clients/cli/run.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { eventually } from '../suite/eventually.ts'
import { clientEnv, type TestTerminalOptions, testTerminal } from './test-terminal.ts'

let engine: InProcessService
const home = mkdtempSync(join(tmpdir(), 'svc-mcp-command-'))

before(async () => {
  engine = await startInProcess({
    identity: {
      resolve: (did) => ({
        outcome: 'Resolved',
        identity: { ...unresolved(did), auth_method: 'test', conformance_level: 'L2' },
      }),
    },
    caller: { capabilities: ['svc.max.*'] },
  })
})
after(async () => {
  rmSync(home, { recursive: true, force: true })
  await engine?.stop()
})

async function svc(argv: readonly string[], options: TestTerminalOptions = {}) {
  const terminal = testTerminal({ env: clientEnv(engine), home, ...options })
  const code = await runCli(['mcp', ...argv], terminal)
  return { code, out: terminal.stdout, err: terminal.stderr }
}

suite('svc mcp list', () => {
  test('shows people what they may call, by category, and how many they may not', async () => {
    const { code, out } = await svc(['list'])
    assert.equal(code, 0)
    assert.match(out, /^svc-infrastructure\n {2}svc\.\S+ {2,}\S/)
    assert.match(out, /svc\.max\.audit_query/)
    assert.match(out, /\d+ more that you may not call; svc mcp list --all explains why\./)
    assert.ok(out.split('\n').every((line) => line.length <= 100))
  })

  test('--all gives the reason', async () => {
    const { out } = await svc(['list', '--all'])
    assert.match(out, /svc\.mars\.register_agent +no\n {6}This identity holds no/)
    assert.ok(out.split('\n').every((line) => line.length <= 100))
  })

  test('--json gives programs the schemas, and --category narrows it', async () => {
    const { out } = await svc(['list', '--json', '--category', 'MAX'])
    const tools = JSON.parse(out) as { name: string; category: string; inputSchema: { type: string } }[]
    assert.ok(tools.length >= 5)
    for (const { name, category, inputSchema } of tools) {
      assert.match(name, /^svc\.max\./)
      assert.deepEqual([category, inputSchema.type], ['svc-infrastructure', 'object'])
    }
    const none = await svc(['list', '--category', 'svc-commerce'])
    assert.equal(none.code, 0)
    assert.match(
      none.out,
      /^You may not call any tool\.\n\d+ more that you may not call; svc mcp list --all explains why\.\n$/,
    )
  })

  test('wrong arguments are reported, with the exit code of usage', async () => {
    for (const [argv, sentence] of [
      [['list', '--category', 'kitchen'], /no category kitchen; use svc-cognitive/],
      [['lst'], /svc mcp has no lst\. Did you mean list\?/],
      [[], /needs a subcommand/],
      [['list', '--port', '1'], /mcp list has no flag --port/],
      [['serve', '--transport', 'carrier-pigeon'], /stdio, http or sse/],
      [['serve', '--port', '1'], /stdio has none/],
      [['serve', '--transport', 'http', '--port', '70000'], /0 to 65535/],
      [['call'], /needs the name of a tool/],
      [['call', 'svc.search_tools', '--input', '{}'], /for MCP clients/],
      [['call', 'audit_query', '--input', '{}'], /is not a tool name/],
      [['connect', 'emacs'], /Unknown client emacs/],
      [['connect', 'claude', '--remote', 'https://x/mcp'], /only in its own settings/],
      [['connect', 'cursor', '--remote', 'ftp://x'], /http or https address/],
      [['connect', 'cursor', '--api-key', 'secret'], /does not write keys/],
    ] as const) {
      const { code, err, out } = await svc(argv)
      assert.deepEqual([code, out], [1, ''], argv.join(' '))
      assert.match(err, sentence)
    }
  })
})

suite('svc mcp call', () => {
  test('is svc invoke by tool name, and the audit log shows the origin MCP', async () => {
    const input = '{"after_seq": 0, "limit": 1}'
    const { code, out } = await svc(['call', 'svc.max.audit_query', '--input', input])
    assert.equal(code, 0)
    const { output, metadata } = JSON.parse(out)
    assert.ok(Array.isArray(output.records))
    const [record] = (await engine.records(engine.tenant_id)).filter(
      ({ correlation_id }) => correlation_id === metadata.correlation_id,
    )
    assert.equal((record?.meta as { origin?: string } | undefined)?.origin, 'mcp')
    const piped = await svc(['call', 'svc.max.audit_query'], { stdin: input })
    assert.equal(piped.code, 0)
  })

  test('has the exit codes of invoke', async () => {
    const denied = await svc(['call', 'svc.mars.discovery', '--input', '{}'])
    assert.equal(denied.code, 3)
    assert.match(denied.err, /^capability_denied: /)
    const misfit = await svc(['call', 'svc.max.audit_query', '--input', '{"limit": "many"}'])
    assert.equal(misfit.code, 1)
    const stranger = await svc(['call', 'svc.max.audit_query', '--input', '{}'], { env: {} })
    assert.equal(stranger.code, 2)
  })
})

suite('svc mcp serve', () => {
  for (const transport of ['http', 'sse'] as const) {
    test(`--transport ${transport} serves this machine until Ctrl-C`, async (t) => {
      const stopping = new AbortController()
      const env = { ...clientEnv(engine), SVC_MCP_TOKEN: 'letmein' }
      const terminal = testTerminal({ env, signal: stopping.signal })
      const flags = ['--transport', transport, '--port', '0', '--category', 'max']
      const running = runCli(['mcp', 'serve', ...flags], terminal)
      await eventually(() => assert.match(terminal.stdout, /^http:\/\/127\.0\.0\.1:\d+\/(mcp|sse)\n$/))
      const url = new URL(terminal.stdout.trim())
      assert.equal((await fetch(url)).status, 401)
      const options = { requestInit: { headers: { authorization: 'Bearer letmein' } } }
      const client = new Client({ name: 'test', version: '1' })
      t.after(() => client.close())
      await client.connect(
        transport === 'sse'
          ? new SSEClientTransport(url, options)
          : new StreamableHTTPClientTransport(url, options),
      )
      const { tools } = await client.listTools()
      assert.ok(tools.length > 1 && tools.slice(1).every(({ name }) => name.startsWith('svc.max.')))
      const called = await client.callTool({
        name: 'svc.max.audit_query',
        arguments: { after_seq: 0, limit: 1 },
      })
      assert.equal(called.isError, undefined)
      const page = await fetch(url, {
        headers: { origin: 'http://localhost:3000', ...options.requestInit.headers },
      })
      assert.equal(page.status, 403)
      await client.close()
      stopping.abort()
      assert.equal(await running, 0)
    })
  }

  test('a port in use and a wrong key are reported at once', async (t) => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    t.after(() => other.close())
    const { port } = other.address() as { port: number }
    const taken = await svc(['serve', '--transport', 'http', '--port', String(port)])
    assert.equal(taken.code, 1)
    assert.match(taken.err, /is taken; choose another with --port/)
    const wrong = await svc(['serve', '--transport', 'http', '--port', '0'], {
      env: { ...clientEnv(engine), SVC_API_KEY: 'svc_test_nonsense' },
    })
    assert.equal(wrong.code, 2)
  })
})

suite('svc mcp connect', () => {
  test('writes cursor’s file without removing anything, reports it once, and stores no secret', async () => {
    const path = join(home, '.cursor', 'mcp.json')
    mkdirSync(join(home, '.cursor'))
    writeFileSync(path, '{"mcpServers": {"other": {"command": "x"}}, "more": [1]}')
    const first = await svc(['connect', 'cursor', '--profile', 'work', '--compact', '--category', 'max'])
    assert.equal(first.code, 0)
    assert.match(first.out, /^Wrote svc-work in /)
    assert.match(first.err, /SVC_API_KEY/)
    const text = readFileSync(path, 'utf8')
    assert.ok(!text.includes(engine.api_key))
    const { mcpServers, more } = JSON.parse(text)
    assert.deepEqual([mcpServers.other, more], [{ command: 'x' }, [1]])
    const { command, args } = mcpServers['svc-work']
    assert.equal(command, process.execPath)
    const expected = ['mcp', 'serve', '--profile', 'work', '--category', 'max', '--compact']
    assert.deepEqual(args.slice(1), expected)
    const again = await svc(['connect', 'cursor', '--profile', 'work', '--compact', '--category', 'max'])
    assert.match(again.out, /is already up to date/)
  })

  test('project files contain no path of this machine; --print and --dir', async () => {
    const printed = await svc(['connect', 'vscode', '--print', '--dir', home])
    assert.deepEqual(JSON.parse(printed.out), {
      servers: { svc: { type: 'stdio', command: 'svc', args: ['mcp', 'serve'] } },
    })
    assert.ok(!existsSync(join(home, '.vscode')))
    const remote = ['--remote', 'https://svc.example/mcp', '--category', 'svc-commerce']
    const written = await svc(['connect', 'claude-code', '--dir', home, ...remote])
    assert.match(written.err, /ask you to sign in/)
    assert.deepEqual(JSON.parse(readFileSync(join(home, '.mcp.json'), 'utf8')), {
      mcpServers: { svc: { type: 'http', url: 'https://svc.example/mcp?category=svc-commerce' } },
    })
  })
})
