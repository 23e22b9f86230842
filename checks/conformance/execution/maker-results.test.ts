// MAKER over HTTP: how an action ended can be read later, what failed says so, and a step of MOON waits for its end.
import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { eventually } from '../../suite/eventually.ts'
import { assertRefusal, assertSuccess } from '../dispatch/expectations.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into outputs of every shape
type Fields = Record<string, any>

let service: InProcessService
let failing: Server
let failing_url: string

const shell = (script: string) => ({
  command: '/bin/sh',
  args: ['-c', script],
  env: { PATH: '/usr/bin:/bin' },
  idempotent: false,
})

before(async () => {
  failing = createServer((_, answer) => answer.writeHead(500).end('broken')).listen(0, '127.0.0.1')
  await new Promise((resolve) => failing.once('listening', resolve))
  const host = `127.0.0.1:${(failing.address() as AddressInfo).port}`
  failing_url = `http://${host}/`
  const commands = new Map([
    ['works', shell('read -r line; echo made; echo warned >&2')],
    ['fails', shell('echo half; echo why >&2; exit 3')],
  ])
  const networks = { tool_hosts: [host], allowed_networks: ['127.0.0.0/8'] }
  service = await startInProcess({ config: { commands, ...networks } })
})
after(async () => {
  await service.stop()
  failing.close()
})

const ask = (protocol: string, operation: string, input: unknown) =>
  dispatch(service, { protocol, operation, input })
const done = async (protocol: string, operation: string, input: unknown): Promise<Fields> =>
  assertSuccess(await ask(protocol, operation, input)).output
const act = (executor: Fields, more: Fields = {}): Fields => ({
  action_kind: 'test.act',
  target: 'nothing',
  executor,
  max_duration_ms: 60_000,
  irreversible: false,
  ...more,
})
const program = (script_ref: string) => act({ builtin: 'script_ref', script_ref })
const over = (action_id: string) =>
  eventually(async () => {
    const status = await done('MAKER', 'status', { action_id })
    assert.ok(status.ended_at)
    return status
  })

test('an action that was begun without waiting is read later, with its output and its standard error', async () => {
  const { action_id } = await done('MAKER', 'execute_action', program('works'))
  const works = await over(action_id)
  assert.deepEqual(
    [works.state, works.output.output, works.output.stderr],
    ['succeeded', 'made\n', 'warned\n'],
  )
  const fails = await over((await done('MAKER', 'execute_action', program('fails'))).action_id)
  assert.deepEqual([fails.state, fails.output.exit_code, fails.output.stderr], ['failed', 3, 'why\n'])
  const { actions } = await done('MAKER', 'list', { state: 'failed' })
  assert.deepEqual(
    actions.map(({ action_id: id }: Fields) => id),
    [fails.action_id],
  )
  const gone = '3f6c2a9e-51d7-4b0a-8e42-9c7d1b5f6a30'
  assertRefusal(await ask('MAKER', 'status', { action_id: gone }), { code: 'invalid_payload', stage: 7 })
})

test('a page of actions says that there are more, and the next one shows them', async () => {
  for (let made = 0; made < 2; made++) await done('MAKER', 'execute_action', act({ builtin: 'noop' }))
  const page_query = { action_kind: 'test.act', limit: 1 }
  const first = await done('MAKER', 'list', page_query)
  const next = await done('MAKER', 'list', { ...page_query, cursor: first.next_cursor })
  assert.notEqual(next.actions[0].action_id, first.actions[0].action_id)
})

test('a colleague without the charter reads how an action ended, and not what it answered', async () => {
  const { action_id } = await done('MAKER', 'execute_action', program('works'))
  await over(action_id)
  const colleague = await service.newCaller({ capabilities: ['svc.maker.*'] })
  const read = { protocol: 'MAKER', operation: 'status', input: { action_id } }
  const status: Fields = assertSuccess(await dispatch(colleague, read)).output
  assert.deepEqual([status.state, status.target, status.output], ['succeeded', undefined, undefined])
})

test('a request that is answered with an error has failed, and its answer can be read', async () => {
  const request = act({ builtin: 'http_request' }, { target: failing_url, mode: 'sync' })
  const { state, error_code, output } = await done('MAKER', 'execute_action', request)
  assert.deepEqual(
    [state, error_code, output.status, output.body],
    ['failed', 'adapter_error', 500, 'broken'],
  )
})

const runOf = async (payload: Fields, name: string) => {
  const step = { kind: 'Protocol', name: 'act', protocol: 'MAKER', operation: 'execute_action', payload }
  const manifest = { name, version: '1.0.0', steps: [step], output: 'steps.act.data' }
  const { manifest_ref } = await done('MOON', 'submit_manifest', { manifest })
  return done('MOON', 'execute_workflow', { manifest_ref, wait_ms: 25_000 })
}

test('a step waits for the action it began, and ends as that does', async () => {
  const works = await runOf(program('works'), 'works')
  assert.deepEqual(
    [works.state, works.output.output.output, works.confidence_score],
    ['succeeded', 'made\n', 1],
  )
  const fails = await runOf(program('fails'), 'fails')
  assert.deepEqual([fails.state, fails.error_code, fails.confidence_score], ['failed', 'unsuccessful', 0])
})

test('a step says why its action failed, in the words of the action', async () => {
  for (const [name, mode] of [
    ['told-at-once', 'sync'],
    ['told-later', 'async'],
  ]) {
    const payload = act({ builtin: 'http_request' }, { target: 'http://elsewhere.test/', mode })
    const steps = [
      { kind: 'Protocol', name: 'send', protocol: 'MAKER', operation: 'execute_action', payload },
    ]
    await done('MOON', 'submit_manifest', { manifest: { name, version: '1.0.0', steps } })
    const run = { name, version: '1.0.0', wait_ms: 20_000 }
    const { state, steps: ended } = await done('MOON', 'execute_workflow', run)
    assert.equal(state, 'failed')
    assert.equal(
      ended[0].error.message,
      'It was answered, but not successfully: That host is not allowed; ask the operator to add it to SVC_TOOL_HOSTS.',
    )
  }
})

test('nobody starts a run in place of that of an action, or of its undoing', async () => {
  const submitted = async (name: string, ...steps: Fields[]): Promise<string> =>
    (await done('MOON', 'submit_manifest', { manifest: { name, version: '1.0.0', steps } })).manifest_ref
  const wait = {
    kind: 'Gate',
    condition: 'true',
    await: { signal: 'go' },
    on_true: [{ kind: 'Fail', name: 'no', error: 'broke', message: 'It broke.' }],
    on_false: [],
  }
  const other = await submitted('other', { ...wait, on_true: [] })
  const [waits, undoes] = [
    await submitted('waits', wait),
    await submitted('undoes', { ...wait, on_true: [] }),
  ]
  const action_ask = act({ manifest_ref: waits }, { compensation: { manifest_ref: undoes } })
  const { action_id } = await done('MAKER', 'execute_action', action_ask)
  const colleague = await service.newCaller({ capabilities: ['svc.moon.*'] })
  for (const run_key of [`undo ${action_id}`, `action ${action_id}`]) {
    const input = { manifest_ref: other, run_key }
    assertSuccess(await dispatch(colleague, { protocol: 'MOON', operation: 'execute_workflow', input }))
  }
  const runsOf = async (manifest_ref: string) => (await done('MOON', 'list', { manifest_ref })).runs
  const { run_ref } = await eventually(async () => {
    const [begun] = await runsOf(waits)
    assert.ok(begun)
    return begun
  })
  await done('MOON', 'execute_workflow', { action: 'signal', run_ref, signal: { name: 'go' } })
  assert.equal((await over(action_id)).state, 'failed')
  await eventually(async () => assert.equal((await runsOf(undoes)).length, 1))
})
