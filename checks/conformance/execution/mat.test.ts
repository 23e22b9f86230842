// MAT over HTTP: reference MCP servers over both transports, audit records, and the emergency stop.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import type { AllowedCommand } from '@svc/contract/needs/commands'
import { clearLatch, setLatch } from '@svc/protocols/execution/stop-latch/stop-latch'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { manualClock } from '../../rehearsal/manual-clock.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

const reference = (name: string) =>
  join(import.meta.dirname, `../../../node_modules/@modelcontextprotocol/server-${name}/dist/index.js`)
const everything = reference('everything')
const moody = join(import.meta.dirname, '../../neighbours/faulty-mcp-server.ts')
const env = { PATH: process.env.PATH ?? '/usr/bin:/bin', GREETING: 'hello' }
const clock = manualClock('2026-11-18T10:00:00.000Z')

let folder: string
let mood: string
/** The only folder the reference file server may read. */
let shared: string
let http: ChildProcess
let port: number
let service: InProcessService
let stranger: Addresses

function program(...args: string[]): AllowedCommand {
  return { command: process.execPath, args, env, idempotent: false }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-mat-'))
  mood = join(folder, 'mood')
  await writeFile(mood, 'Adds two numbers.')
  shared = join(folder, 'shared')
  await mkdir(shared)
  await writeFile(join(shared, 'note.txt'), 'The pump is in hall 3.\n')
  await symlink(mood, join(shared, 'way-out'))
  port = await freePort()
  http = spawn(process.execPath, [everything, 'streamableHttp'], {
    env: { ...env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const commands = new Map([
    ['everything', program(everything, 'stdio')],
    ['files', program(reference('filesystem'), shared)],
    ['moody', program(moody, mood)],
  ])
  const [started] = await Promise.all([
    startInProcess({
      clock,
      with_nodes: true,
      config: {
        commands,
        tool_hosts: [`127.0.0.1:${port}`],
        allowed_networks: ['127.0.0.0/8'],
      },
    }),
    once(http.stderr!, 'data'),
  ])
  service = started
  stranger = await service.newCaller({ tenant_id: 'other' })
})
after(async () => {
  await service.stop()
  http.kill('SIGKILL')
  await once(http, 'close')
  await rm(folder, { recursive: true })
})

const ask = (operation: string, input: unknown, who: Addresses = service) =>
  dispatch(who, { protocol: 'MAT', operation, input })
const tool = async (input: unknown, who?: Addresses): Promise<Fields> =>
  assertSuccess(await ask('tool', input, who)).output
const discover = async (input: unknown): Promise<Fields> =>
  assertSuccess(await ask('tool_discovery', input)).output
const arsenal = async (operation: string, input: unknown, who: Addresses = service): Promise<Fields> =>
  assertSuccess(await dispatch(who, { protocol: 'Arsenal', operation, input })).output
const denied = async (input: unknown, reason: string, who?: Addresses) =>
  assertRefusal(await ask('tool', input, who), { code: 'policy_denied', stage: 7, reason })
const invalid = async (input: unknown, reason: string, who?: Addresses) =>
  assertRefusal(await ask('tool', input, who), { code: 'invalid_payload', stage: 7, reason })
const register = (server: unknown, who?: Addresses) => tool({ action: 'register', server }, who)
const eventsOf = async (event_type: string) =>
  (await service.records(service.tenant_id)).filter((record) => record.event_type === event_type)

for (const transport of ['stdio', 'http'] as const)
  test(`a foreign MCP server by ${transport}: registered, discovered, approved, used`, async () => {
    const id = `every-${transport}`
    const where =
      transport === 'stdio' ? { command_ref: 'everything' } : { url: `http://127.0.0.1:${port}/mcp` }
    await register({ id, transport, ...where })
    const tool_id = `mcp:${id}/echo`
    const { tools, unreachable } = await discover({ server: id, query: 'echo back a text' })
    assert.deepEqual(unreachable, [])
    assert.deepEqual([tools[0].tool_id, tools[0].state], [tool_id, 'unapproved'])
    await denied({ tool_id, arguments: { message: 'hi' } }, 'tool not approved')
    const approved = await tool({ action: 'approve', tool_id, expect_schema_hash: tools[0].schema_hash })
    assert.deepEqual([approved.state, approved.schema_hash], ['approved', tools[0].schema_hash])
    const listed = await arsenal('list', { tag: 'mcp' })
    const listed_id = `mcp/${tool_id.slice('mcp:'.length)}`
    const shown = listed.items.find((item: Fields) => item.id === listed_id)
    assert.deepEqual([shown?.source, shown?.publisher_did], ['approved', service.agent_did])
    const fetched = await arsenal('fetch', { id: listed_id, digest: shown.digest })
    assert.equal(fetched.definition.name, 'echo')
    assert.deepEqual((await arsenal('list', { tag: 'mcp' }, stranger)).items, [], 'of this organization only')
    const answer = await tool({ tool_id, arguments: { message: 'hi' } })
    assert.deepEqual(answer.content, [{ type: 'text', text: 'Echo: hi' }])
    assert.deepEqual([answer.is_error, answer.truncated], [false, false])
    const { faults } = (await invalid({ tool_id, arguments: { message: 7 } }, 'arguments')).details as Fields
    assert.equal(faults[0].pointer, '/arguments/message')
    await invalid(
      { tool_id, arguments: { message: 'x' }, expect_schema_hash: `sha256:${'0'.repeat(64)}` },
      'version_conflict',
    )
    const later = await discover({ server: id, query: 'echo', limit: 1 })
    assert.deepEqual([later.tools[0].state, later.tools[0].error_rate], ['approved', 0])
  })

test('structured answers, a tool that times out, and the environment of a program', async () => {
  const approve = (name: string) => tool({ action: 'approve', tool_id: `mcp:every-stdio/${name}` })
  await approve('get-structured-content')
  const weather = await tool({
    tool_id: 'mcp:every-stdio/get-structured-content',
    arguments: { location: 'New York' },
  })
  assert.equal(typeof weather.structured.temperature, 'number')
  await approve('trigger-long-running-operation')
  const slow = {
    tool_id: 'mcp:every-stdio/trigger-long-running-operation',
    arguments: { duration: 30, steps: 1 },
  }
  const late = assertRefusal(await ask('tool', { ...slow, timeout_ms: 100 }), {
    code: 'timeout',
    stage: 7,
    reason: 'tool timeout',
  })
  assert.equal((late.details as Fields).performed, 'unknown')
  await approve('get-env')
  const { content } = await tool({ tool_id: 'mcp:every-stdio/get-env' })
  const environment = JSON.parse(content[0].text)
  assert.equal(environment.GREETING, 'hello')
  assert.deepEqual(Object.keys(environment).sort(), ['GREETING', 'HOME', 'PATH', 'PWD', 'TMPDIR'])
})

test('the reference file server reads in its folder; a path outside is a tool error, also in the audit log', async () => {
  await register({ id: 'files', transport: 'stdio', command_ref: 'files' })
  const tool_id = 'mcp:files/read_text_file'
  const { tools, unreachable } = await discover({ server: 'files', query: 'read a text file', limit: 50 })
  assert.deepEqual(unreachable, [])
  const listed = tools.find((one: Fields) => one.tool_id === tool_id)
  assert.deepEqual([listed.state, listed.input_schema.required], ['unapproved', ['path']])
  const pinned = await tool({ action: 'approve', tool_id, expect_schema_hash: listed.schema_hash })
  assert.equal(pinned.schema_hash, listed.schema_hash)
  const read = (path: string) =>
    tool({ tool_id, arguments: { path }, expect_schema_hash: listed.schema_hash })

  const note = await read(join(shared, 'note.txt'))
  assert.deepEqual(note.content, [{ type: 'text', text: 'The pump is in hall 3.\n' }])
  assert.deepEqual([note.structured, note.is_error], [{ content: 'The pump is in hall 3.\n' }, false])

  const outside = [mood, `${shared}/../mood`, join(shared, 'way-out')]
  for (const path of outside) {
    const refused = await read(path)
    assert.deepEqual([refused.is_error, refused.structured], [true, undefined], path)
    assert.match(refused.content[0].text, /^Access denied/)
    assert.ok(!JSON.stringify(refused.content).includes('Adds two numbers'), 'nothing of it is told')
  }
  const invoked = (await eventsOf('ToolInvoked')).filter(({ meta }) => meta.tool_id === tool_id)
  assert.deepEqual(
    invoked.map(({ meta }) => meta.outcome),
    ['ok', 'tool_error', 'tool_error', 'tool_error'],
  )
  const audit_log = JSON.stringify(invoked)
  for (const words of ['hall 3', 'Access denied', shared]) assert.ok(!audit_log.includes(words), words)
  const later = (await discover({ server: 'files', limit: 50 })).tools
  const used = later.find((one: Fields) => one.tool_id === tool_id)
  assert.deepEqual([used.state, used.error_rate], ['approved', 0.75])
})

test('a long answer is truncated, one that violates its schema is refused, and neither reaches the audit log', async () => {
  await register({ id: 'moody', transport: 'stdio', command_ref: 'moody' })
  await tool({ action: 'approve', tool_id: 'mcp:moody/add' })
  await tool({ action: 'approve', tool_id: 'mcp:moody/long' })
  const { content, truncated, rest } = await tool({ tool_id: 'mcp:moody/long' })
  assert.equal(truncated, true)
  assert.ok(content[0].text.length > 900_000 && content[0].text.length <= 1024 * 1024)
  assert.match(rest, /^mage:\/\//)
  await tool({ action: 'approve', tool_id: 'mcp:moody/lie' })
  const keyed = (idempotency_key: string) =>
    dispatch(service, {
      protocol: 'MAT',
      operation: 'tool',
      input: { tool_id: 'mcp:moody/lie' },
      idempotency_key,
    })
  const invalid = { code: 'adapter_error', stage: 7, reason: 'tool answer invalid' } as const
  const { details } = assertRefusal(await keyed('one'), invalid)
  assert.equal((details as Fields).performed, 'yes')
  // Servers have no idempotency keys: a repeated call would run twice.
  assertRefusal(await keyed('one'), { code: 'policy_denied', stage: 7, reason: 'outcome unknown' })
  assertRefusal(await keyed('two'), invalid)
  assert.ok(!JSON.stringify(await service.records(service.tenant_id)).includes('ababab'))
})

test('an emergency stop blocks tools of servers, but not operations of this engine', async () => {
  const { store } = service.service
  const latch = {
    scope: 'agent',
    scope_id: service.agent_did,
    stop_ref: 'stop://x',
    set_at: new Date(clock.now_ms()),
  } as const
  await setLatch(store.engine, { ...latch, tenant_id: service.tenant_id, set_by: service.agent_did })
  const sum = { tool_id: 'mcp:moody/add', arguments: { a: 1, b: 1 } }
  await denied(sum, 'emergency stop active')
  await tool({ tool_id: 'svc:mat.tool_discovery', arguments: { limit: 1 } })
  await clearLatch(store.engine, service.tenant_id, 'agent', service.agent_did, new Date(clock.now_ms()))
  const of_action = { ...latch, scope: 'action', scope_id: 'one' } as const
  await setLatch(store.engine, { ...of_action, tenant_id: service.tenant_id, set_by: service.agent_did })
  // Called as an action's supervisor: the same claim by a caller is ignored.
  const within = async (run: string) => {
    const { agent_did: did, tenant_id } = service
    const invoke_context = { metadata: { workflow: { run, path: 'action' } } }
    const request = {
      protocol: 'MAT',
      version: 'v1',
      operation: 'tool',
      input: sum,
      tenant_id,
      invoke_context,
    }
    const capabilities = [{ name: 'svc.mat.tool', caveats: [] }]
    const credential = { key_id: 'local:x', did, tenant_id, tier: 'sovereign', capabilities } as const
    const outcome = await service.service.engine.dispatch({ request, credential, origin: 'internal' })
    return outcome.kind === 'refused' ? outcome.refusal.details.reason : outcome.kind
  }
  assert.equal(await within('maker://action/one'), 'emergency stop active')
  assert.equal(await within('maker://action/other'), 'success')
  assert.equal((await tool(sum)).content[0].text, '2')
})

test("another organization's server answers like one that does not exist", async () => {
  const one = { tool_id: 'mcp:moody/add', arguments: { a: 1, b: 2 } }
  const foreign = await invalid(one, 'not_found', stranger)
  const none = await invalid({ ...one, tool_id: 'mcp:mood_/add' }, 'not_found', stranger)
  assert.equal(foreign.message.replace('moody', ''), none.message.replace('mood_', ''))
  const listed = async (server: string) =>
    assertRefusal(await ask('tool_discovery', { server }, stranger), {
      code: 'invalid_payload',
      stage: 7,
      reason: 'not_found',
    }).message
  assert.equal((await listed('moody')).replace('moody', ''), (await listed('mood_')).replace('mood_', ''))
})
