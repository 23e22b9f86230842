// The official conformance suite against an engine's MCP surface, and, in the long form, the Inspector's command line as a client.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { keyOf, type McpScene, startWithMcp } from './mcp-scene.ts'

const root = join(import.meta.dirname, '../../..')
const inspector = '@modelcontextprotocol/inspector@2.12.0'
const is_long = process.env.SVC_TEST_ASSURANCE !== undefined
const run_ms_max = 120_000

const applying = ['server-initialize', 'ping', 'tools-list', 'tools-call-error', 'dns-rebinding-protection']

const own_tools = 'asks for a tool of the suite itself; every tool here is an operation of the catalogue'
const no_resources =
  'asks for resources, which MCP leaves optional; what can be read here is read by operations'
const no_prompts = 'asks for prompts, which MCP leaves optional; there are none'
const no_sessions =
  'asks for a session that keeps streams; /mcp keeps nothing between requests, so there is nothing to resume'
const asks_back = 'asks for a tool of the suite that asks the client back; no operation does'

/** Each with the reason why it does not apply to this server. */
const not_applying: Readonly<Record<string, string>> = {
  'logging-set-level':
    'asks for log messages to the client, which MCP leaves optional; the log is the operator’s',
  'completion-complete': 'asks for completion of prompts and resources, of which there are none',
  'tools-call-simple-text': own_tools,
  'tools-call-image': own_tools,
  'tools-call-audio': own_tools,
  'tools-call-embedded-resource': own_tools,
  'tools-call-mixed-content': own_tools,
  'tools-call-with-logging': own_tools,
  'tools-call-with-progress': own_tools,
  'json-schema-2020-12': own_tools,
  'tools-call-sampling': asks_back,
  'tools-call-elicitation': asks_back,
  'elicitation-sep1034-defaults': asks_back,
  'elicitation-sep1330-enums': asks_back,
  'server-sse-polling': no_sessions,
  'server-sse-multiple-streams': no_sessions,
  'resources-list': no_resources,
  'resources-read-text': no_resources,
  'resources-read-binary': no_resources,
  'resources-templates-read': no_resources,
  'resources-subscribe': no_resources,
  'resources-unsubscribe': no_resources,
  'prompts-list': no_prompts,
  'prompts-get-simple': no_prompts,
  'prompts-get-with-args': no_prompts,
  'prompts-get-embedded-resource': no_prompts,
  'prompts-get-with-image': no_prompts,
}

let engine: McpScene
let proxy: Server
let url: string

before(async () => {
  engine = await startWithMcp({ caller: { capabilities: ['svc.*.*'] } })
  proxy = keyAdder(engine)
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(proxy.address() as { port: number }).port}/mcp`
})
after(async () => {
  proxy?.closeAllConnections()
  proxy?.close()
  await engine?.stop()
})

/** The suite sends no credential. Everything else is forwarded unchanged, especially Host and Origin. */
function keyAdder({ mcp_url, ...caller }: McpScene): Server {
  const { hostname, port } = new URL(mcp_url)
  return createServer((req, res) => {
    const headers = { ...req.headers, ...keyOf(caller) }
    const sent = request({ hostname, port, method: req.method, path: req.url, headers }, (answer) => {
      res.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(res)
    })
    sent.on('error', () => res.destroy())
    res.on('close', () => sent.destroy())
    req.pipe(sent)
  })
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly all: string
}

function run(file: string, args: readonly string[], cwd = root): Promise<Ran> {
  return new Promise((resolve) => {
    const options = { cwd, timeout: run_ms_max, maxBuffer: 16 * 1024 * 1024 }
    execFile(file, args, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, out, all: `${out}\n${err}` }),
    )
  })
}

const suite = fileURLToPath(import.meta.resolve('@modelcontextprotocol/conformance/dist/index.js'))

test('every scenario of the suite is either run here or listed with a reason', async () => {
  const { out } = await run(process.execPath, [suite, 'list', '--server'])
  const listed = [...out.matchAll(/^\s+- (\S+)/gm)].map(([, name]) => name!)
  assert.ok(listed.length > 0, out)
  assert.deepEqual([...applying, ...Object.keys(not_applying)].sort(), listed.sort())
})

for (const scenario of applying) {
  test(`the official suite: ${scenario}`, async () => {
    const ran = await run(process.execPath, [suite, 'server', '--url', url, '--scenario', scenario])
    assert.equal(ran.code, 0, ran.all)
    assert.match(ran.all, /Passed: ([1-9]\d*)\/\1, 0 failed, 0 warnings/)
  })
}

test('the Inspector lists and calls over http, sse and stdio, and finds no fault in the schemas', {
  skip: !is_long,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'svc-inspector-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const installed = await run(
    'npm',
    ['install', '--prefix', folder, '--no-audit', '--no-fund', inspector],
    folder,
  )
  assert.equal(installed.code, 0, installed.all)
  const manifest = join(folder, 'node_modules/@modelcontextprotocol/inspector/package.json')
  const { bin } = JSON.parse(await readFile(manifest, 'utf8'))
  const program = join(dirname(manifest), bin['mcp-inspector'])
  const header = ['--header', `Authorization: Bearer ${engine.api_key}`]
  const env = { SVC_API_URL: engine.api_url, SVC_API_KEY: engine.api_key, SVC_AGENT_DID: engine.agent_did }
  const stdio = [
    process.execPath,
    join(root, 'clients/cli/main.ts'),
    'mcp',
    'serve',
    ...Object.entries({ ...env, SVC_TENANT_ID: engine.tenant_id }).flatMap(([name, value]) => [
      '-e',
      `${name}=${value}`,
    ]),
  ]
  for (const [kind, target] of Object.entries({
    http: [engine.mcp_url, '--transport', 'http', ...header],
    sse: [engine.sse_url, '--transport', 'sse', ...header],
    stdio,
  })) {
    const inspect = (...args: string[]) =>
      run(process.execPath, [program, '--cli', ...target, '--method', ...args], folder)
    const strict = await inspect('tools/list', '--strict')
    assert.equal(strict.code, 0, `${kind}: ${strict.all}`)
    assert.ok(JSON.parse(strict.out).tools.length > 10)
    const call = ['--tool-name', 'svc.max.audit_query', '--tool-arg', 'outcome=success']
    const called = await inspect('tools/call', ...call)
    assert.equal(called.code, 0, `${kind}: ${called.all}`)
    const { isError, structuredContent } = JSON.parse(called.out)
    assert.ok(isError !== true && Array.isArray(structuredContent.records), `${kind}: ${called.out}`)
    t.diagnostic(`${kind}: listed and called`)
  }
})
