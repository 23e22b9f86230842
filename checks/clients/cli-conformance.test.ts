// The sentences of the spec's "Command-line client", and the exit codes of "Errors" 7, against a real engine.
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { runCli } from '../../clients/cli/run.ts'
import { trialProtocol } from '../conformance/execution/trial-protocol.ts'
import { type InProcessService, startInProcess } from '../engines/in-process.ts'
import { clientEnv, type TestTerminalOptions, testTerminal } from './test-terminal.ts'

const trial = trialProtocol()
const other = trialProtocol('v2.0.0', 'OTHER')
let service: InProcessService
let home: string
let env: Record<string, string>

before(async () => {
  service = await startInProcess({ more_protocols: [trial.protocol, other.protocol] })
  home = await mkdtemp(join(tmpdir(), 'svc-cli-home-'))
  env = clientEnv(service)
})
after(async () => {
  await service?.stop()
  await rm(home, { recursive: true, force: true })
})

async function svc(argv: readonly string[], options: TestTerminalOptions = {}) {
  const terminal = testTerminal({ env, home, ...options })
  const code = await runCli(argv, terminal)
  return { code, stdout: terminal.stdout, stderr: terminal.stderr }
}
const invoke = (operation: string, input: unknown, ...flags: string[]) =>
  svc(['invoke', 'TRIAL', operation, '--input', JSON.stringify(input), ...flags])

async function post(operation: string, input: unknown) {
  const { api_url, api_key, agent_did, tenant_id } = service
  const response = await fetch(`${api_url}/v1/dispatch`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${api_key}`,
      'x-agent-did': agent_did,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ protocol: 'TRIAL', version: 'v1.0.0', operation, input, tenant_id }),
  })
  return (await response.json()) as Record<string, Record<string, unknown>>
}

test('invoke is equivalent to POST /v1/dispatch', async () => {
  for (const [operation, input] of [
    ['fail', { how: 'policy_denied' }],
    ['echo', { say: 'hello' }],
    ['echo', { unknown: 1 }],
    ['nothing', {}],
  ] as const) {
    const by_hand = await post(operation, input)
    const by_svc = JSON.parse((await invoke(operation, input)).stdout)
    assert.deepEqual(Object.keys(by_svc), Object.keys(by_hand), operation)
    for (const part of Object.keys(by_hand))
      assert.deepEqual(Object.keys(by_svc[part]).sort(), Object.keys(by_hand[part]!).sort(), operation)
    assert.equal(by_svc.error?.code, by_hand.error?.code)
    const { correlation_id } = by_svc.metadata ?? by_svc.error
    const [record] = await service.records(service.tenant_id, { correlation_ids: [correlation_id] })
    assert.equal(record?.meta.origin, 'http', operation)
  }
})

test('--input <json>: required (or stdin): payload', async () => {
  const echoed = async (argv: string[], options?: TestTerminalOptions) =>
    JSON.parse((await svc(['invoke', 'TRIAL', 'echo', ...argv], options)).stdout).output.said
  assert.equal(await echoed(['--input', '{"say":"flag"}']), 'flag')
  assert.equal(await echoed([], { stdin: '{"say":"piped"}\n' }), 'piped')
  assert.equal(await echoed(['--input', '-'], { stdin: '\ufeff{"say":"dash"}' }), 'dash')
  assert.equal((await svc(['invoke', 'TRIAL', 'echo'])).code, 1)
})

test('--input-file <path>: read JSON from file', async () => {
  const path = join(home, 'input.json')
  await writeFile(path, '{"say":"filed"}')
  const { stdout } = await svc(['invoke', 'TRIAL', 'echo', '--input-file', path])
  assert.equal(JSON.parse(stdout).output.said, 'filed')
})

test('--version <v>: v1.0.0: protocol version', async () => {
  assert.equal(JSON.parse((await invoke('echo', {})).stdout).metadata.version, 'v1.0.0')
  const of_other = (...flags: string[]) => svc(['invoke', 'OTHER', 'echo', '--input', '{}', ...flags])
  const missing = await of_other()
  assert.deepEqual([missing.code, JSON.parse(missing.stdout).error.code], [1, 'unknown_version'])
  assert.equal(JSON.parse((await of_other('--version', 'v2')).stdout).metadata.version, 'v2.0.0')
})

test('--tenant-id <id>: from config: override tenant', async () => {
  const { code, stderr } = await invoke('echo', {}, '--tenant-id', 'somebody-else')
  assert.equal(code, 3)
  assert.match(stderr, /no active treaty/)
})

test('--stream: off: receive SSE events for long operations', async () => {
  const { code, stdout, stderr } = await invoke('report', {}, '--stream')
  const events = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  assert.deepEqual([code, events.map(({ event }) => event)], [0, ['progress', 'progress', 'result']])
  assert.deepEqual(events[2].data.output, { done: true })
  assert.doesNotMatch(stderr, /progress/)

  const human = await invoke('report', {}, '--stream', '--output', 'human')
  assert.match(human.stderr, /^progress +0 % {2}begun\nprogress +90 % {2}nearly\n$/m)
  assert.match(human.stdout, /^done {2}yes\n/)

  const input = ['--input', '{}', '--stream', '--output', 'human']
  const live = await svc(['invoke', 'TRIAL', 'report', ...input], { tty: true })
  assert.match(live.stderr.replaceAll('\x1b', '^'), /\r\^\[2K.*90 % {2}nearly\r\^\[2K$/)

  const refused = await invoke('fail', { how: 'adapter_error' }, '--stream')
  assert.equal(refused.code, 6)
  assert.equal(JSON.parse(refused.stdout).event, 'error')
})

test('--idempotency-key <key>: none: safe retries', async () => {
  const send = async () =>
    JSON.parse((await invoke('note', { text: 'once' }, '--idempotency-key', 'k1')).stdout)
  const [first, second] = [await send(), await send()]
  assert.deepEqual(first.output, second.output)
  assert.deepEqual([first.metadata.replayed, second.metadata.replayed], [false, true])
  assert.deepEqual(
    trial.effects.filter((text) => text === 'once'),
    ['once'],
  )
  const reused = await invoke('note', { text: 'twice' }, '--idempotency-key', 'k1')
  assert.equal(JSON.parse(reused.stdout).error.code, 'idempotency_key_reused')
})

test('--trace: off: print trace context', async () => {
  const [, sent, received] =
    /sent +(\S+)\n.*received +(\S+)\n/.exec((await invoke('echo', {}, '--trace')).stderr) ?? []
  assert.match(sent ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/)
  assert.equal(received, sent)
  const around = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
  const traced = await svc(['invoke', 'TRIAL', 'echo', '--input', '{}'], {
    env: { ...env, TRACEPARENT: around },
  })
  assert.equal(JSON.parse(traced.stdout).output.invoke.trace_context.traceparent, around)
  assert.doesNotMatch(traced.stderr, /trace +sent/)
  assert.match((await invoke('fail', { how: 'policy_denied' }, '--trace')).stderr, /policy_denied at stage 7/)
})

test('--audit-tail: off: show audit records produced', async () => {
  const { code, stdout, stderr } = await invoke('note', { text: 'told' }, '--audit-tail')
  assert.equal(code, 0)
  assert.ok(JSON.parse(stdout).output)
  assert.match(
    stderr,
    /\d+ +consistent .* custom\.noted +success .*\n\d+ +consistent .* ProtocolInvocation +success +TRIAL note\n/,
  )
  const human = await invoke('fail', { how: 'policy_denied' }, '--audit-tail', '--output', 'human')
  assert.equal(human.code, 7)
  assert.match(human.stdout, /\d+ +consistent .* refused +TRIAL fail\n/)
})

test('--output <fmt>: json: json, yaml or human', async () => {
  const as = async (...flags: string[]) => (await invoke('echo', { say: 'hello' }, ...flags)).stdout
  const json = JSON.parse(await as())
  assert.deepEqual(Object.keys(json), ['output', 'metadata'])
  assert.match(await as('--output', 'yaml'), /^output:\n(.*\n)* {2}said: hello\nmetadata:\n/)
  const human = await as('--output', 'human')
  assert.match(human, /^said {2}hello$/m)
  assert.match(human, /\ncorrelation id [0-9a-f-]{36}\n/)
  const refused = await invoke('fail', { how: 'policy_denied' }, '--output', 'human')
  assert.equal(refused.stdout, '')
  assert.match(
    refused.stderr,
    /policy_denied: .*\n +reason .*\n +stage +7, .*\n(.*\n)? +why +svc explain [0-9a-f-]{36}/,
  )
})

test('--timeout <seconds>: 30: cancel if no response', async () => {
  const inside = trial.entered()
  const cut = invoke('hold', {}, '--timeout', '0.2')
  await inside
  const { code, stdout } = await cut
  trial.release()
  assert.deepEqual([code, JSON.parse(stdout).error.code], [5, 'timeout'])
})

test('Settings resolve in order: CLI flag, then environment variable, then the config file', async () => {
  const { api_url, api_key, agent_did, tenant_id } = service
  const rival = await service.newCaller()
  await mkdir(join(home, '.svc/profiles'), { recursive: true })
  const keep = (path: string, settings: object) =>
    writeFile(join(home, '.svc', path), JSON.stringify(settings), { mode: 0o600 })
  await keep('config.json', { api_url, api_key, agent_did, tenant_id })
  await keep('profiles/rival.json', { ...rival, api_url, tenant_id })
  const caller = async (argv: string[], set: Record<string, string>) => {
    const { stdout } = await svc([...argv, 'invoke', 'TRIAL', 'echo', '--input', '{}'], { env: set })
    return JSON.parse(stdout).output?.invoke.agent_did
  }
  const variables = { SVC_API_KEY: rival.api_key, SVC_AGENT_DID: rival.agent_did }
  assert.equal(await caller([], {}), agent_did)
  assert.equal(await caller([], variables), rival.agent_did)
  assert.equal(await caller(['--api-key', api_key, '--agent-did', agent_did], variables), agent_did)
  assert.equal(await caller(['--profile', 'rival'], {}), rival.agent_did, '--profile <name>')
  assert.equal(await caller([], { SVC_PROFILE: 'rival' }), rival.agent_did)
})

test('CLI exit codes: 0 success, 1 usage error, 2 not authenticated, 3 capability denied, 4 rate limited, 5 timeout, 6 adapter or upstream error, 7 policy denied', async () => {
  const fails = { capability_denied: 3, rate_limited: 4, timeout: 5, adapter_error: 6, policy_denied: 7 }
  for (const [how, code] of Object.entries({ ...fails, invalid_payload: 1, unauthenticated: 2, internal: 6 }))
    assert.equal((await invoke('fail', { how })).code, code, how)
  assert.match((await invoke('fail', { how: 'invalid_payload' })).stderr, /svc describe TRIAL fail shows/)
  assert.equal((await invoke('echo', {})).code, 0)
  assert.equal((await invoke('late', {})).code, 5)
  const wrong_key = { ...env, SVC_API_KEY: `${service.api_key.slice(0, -1)}!` }
  assert.equal((await svc(['invoke', 'TRIAL', 'echo', '--input', '{}'], { env: wrong_key })).code, 2)
  assert.equal(
    (await svc(['invoke', 'TRIAL', 'echo', '--input', '{}'], { env: {}, home: '/nonexistent' })).code,
    2,
  )
  const nobody = { ...env, SVC_API_URL: 'http://127.0.0.1:9' }
  assert.equal((await svc(['invoke', 'TRIAL', 'echo', '--input', '{}'], { env: nobody })).code, 6)
})

test('a dry run shows every stage, has no effect, and ends as the real call would', async () => {
  const before_it = trial.effects.length
  const dry = (...flags: string[]) =>
    invoke('note', { text: 'dry' }, '--dry-run', '--output', 'human', ...flags)
  const allowed = await dry()
  assert.deepEqual([allowed.code, trial.effects.length], [0, before_it])
  assert.match(
    allowed.stdout,
    /^0 {2}Identity +passed(.*\n)*7 {2}Invocation +passed\n\nThe call would be allowed; nothing was executed\.\n$/,
  )
  const refused = await dry('--tenant-id', 'somebody-else')
  assert.equal(refused.code, 3)
  assert.match(refused.stdout, /\n4 {2}Capability +refused(.*\n)*5 .*not reached/)
  const json = JSON.parse((await invoke('note', { text: 'dry' }, '--dry-run')).stdout)
  assert.equal(json.dry_run.verdict, 'allowed')
})
