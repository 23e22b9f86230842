// Plugins that burden the engine by what they answer, record and call: the main thread, other tenants and the
// audit log are protected.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { parseDid } from '@svc/contract/identity/did'
import { readPluginSettings } from '../../../service/settings/plugin-settings.ts'
import { reader } from '../../../service/settings/reader.ts'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { runPlugin } from '../../plugins/plugin-scene.ts'
import { escaped, host_imports, watPlugin } from '../../plugins/wat-plugin.ts'
import { publisher, writePlugin } from '../../plugins/written-plugin.ts'
import { eventually } from '../../suite/eventually.ts'

/** How much more main thread time a hostile schema may take than a harmless one for the same answer. */
const times_harmless_max = 5
const answer_chars = 3_000_000
const deadline_ms = 20_000

const plain = { type: 'object', properties: { a: { type: 'string' } } }
const nested = (levels: number): object =>
  levels === 0 ? {} : { type: 'array', uniqueItems: true, items: nested(levels - 1) }
const outputs: Record<string, object> = {
  harmless: plain,
  pattern: { type: 'object', properties: { a: { type: 'string', pattern: '^a*[ab]{0,99}c0' } } },
  unique: { type: 'object', properties: { a: nested(8) } },
  wrong: { type: 'object', properties: { a: { type: 'integer' } } },
  events: { type: 'object' },
  itself: { type: 'object' },
  trap: { type: 'object' },
}
const names = [...Object.keys(outputs), 'ok']

const at = {
  result: 2048,
  type: 2304,
  protocol: 2320,
  operation: 2336,
  input: 2340,
  head: 2352,
  tail: 2368,
  deep: 2384,
}
const text = (place: number, value: string) => `(data (i32.const ${place}) "${escaped(value)}")`
const copied = (to: string, from: number, length: number) =>
  `(memory.copy ${to} (i32.const ${from}) (i32.const ${length}))`
const begin = 131_072
const grown = '(drop (memory.grow (i32.const 64)))'
const answered = (length: number) => `(i32.store (i32.const ${at.result}) (i32.const 0))
  (i32.store (i32.const ${at.result + 4}) (i32.const ${begin}))
  (i32.store (i32.const ${at.result + 8}) (i32.const ${length})) (return (i32.const ${at.result}))`
/** `head`, then this many `a`, then `tail`. */
const filled = (head: [number, number], chars: number, tail: [number, number]) => `${grown}
  ${copied(`(i32.const ${begin})`, ...head)}
  (memory.fill (i32.const ${begin + head[1]}) (i32.const 97) (i32.const ${chars}))
  ${copied(`(i32.const ${begin + head[1] + chars})`, ...tail)}`
const long = filled([at.head, 6], answer_chars, [at.tail, 2]) + answered(answer_chars + 8)

const attacks: Record<string, string> = {
  harmless: long,
  pattern: long,
  unique: filled([at.deep, 14], answer_chars, [at.deep + 16, 10]) + answered(answer_chars + 24),
  wrong: filled([at.head, 6], 3, [at.tail, 2]) + answered(11),
  events: `${filled([at.head, 6], 16_000, [at.tail, 2])} (local.set $c (i32.const 990))
    (loop $l (call $audit (i32.const ${at.type}) (i32.const 10) (i32.const ${begin}) (i32.const 16008) (i32.const 2200))
      (local.set $c (i32.sub (local.get $c) (i32.const 1))) (br_if $l (local.get $c)))`,
  itself: `(call $call (i32.const ${at.protocol}) (i32.const 6) (i32.const ${at.operation}) (i32.const 2)
      (i32.const ${at.input}) (i32.const 2) (i32.const 2200))
    (if (i32.eqz (i32.load8_u (i32.const 2200))) (then unreachable))`,
  trap: 'unreachable',
}

function component(): Promise<Uint8Array> {
  const chosen = Object.entries(attacks).map(
    ([name, attack]) => `(if (i32.eq (i32.load8_u (local.get $a)) (i32.const ${name.charCodeAt(0)}))
      (then ${attack}))`,
  )
  return watPlugin({
    names,
    imports: host_imports.audit + host_imports.call,
    fields: [
      text(at.type, 'custom.big'),
      text(at.protocol, 'STRAIN'),
      text(at.operation, 'ok'),
      text(at.input, '{}'),
      text(at.head, '{"a":"'),
      text(at.tail, '"}'),
      text(at.deep, `{"a":${'['.repeat(8)}"  "${']'.repeat(8)}}`),
    ].join('\n'),
    invoke: `${chosen.join('\n')} (i32.const 64)`,
  })
}

let folder: string
let service: InProcessService
let other: Addresses

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'svc-strain-'))
  const facts = { effect: 'read', level: 'L0', deadline_ms }
  const operations = Object.fromEntries(
    names.map((name) => [name, { ...facts, ...(outputs[name] ? { output: outputs[name] } : {}) }]),
  )
  writePlugin(join(folder, 'strain'), {
    name: 'strain',
    protocol: 'STRAIN',
    operations: names,
    component: await component(),
    files: { 'operations.json': JSON.stringify(operations) },
    integrations: { itself: { kind: 'capability', endpoint: 'svc.strain.ok' } },
  })
  const { plugins } = readPluginSettings(reader({}, 'up'))
  const own = { directory: folder, require_signatures: false, processes_max: 1 }
  service = await startInProcess({ config: { plugins: { ...plugins, ...own } } })
  other = await service.newCaller({ tenant_id: 'other', capabilities: ['svc.strain.*'] })
})
after(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

const call = (operation: string, as: Addresses = service) =>
  dispatch(as, { protocol: 'STRAIN', operation, input: {} })
const untilServed = (as?: Addresses) =>
  eventually(async () => assert.equal((await call('ok', as)).status, 200))

/** Main thread time of a call, which everybody shares. */
async function mainThreadMs(operation: string) {
  const before = process.threadCpuUsage()
  const { status, body } = await call(operation)
  const { user, system } = process.threadCpuUsage(before)
  return { ms: (user + system) / 1000, status, error: body.error }
}

test("an answer is checked against a stranger's schema without blocking anybody", async (t) => {
  await untilServed()
  const harmless = await mainThreadMs('harmless')
  assert.equal(harmless.status, 200)
  for (const name of ['pattern', 'unique']) {
    const { ms, status, error } = await mainThreadMs(name)
    t.diagnostic(
      `${name}: ${Math.round(ms)} ms of the main thread, ${Math.round(harmless.ms)} ms without; ${status} ${error?.reason ?? ''}`,
    )
    assert.ok(
      ms < harmless.ms * times_harmless_max,
      `${name} took ${ms} ms, a harmless schema ${harmless.ms} ms`,
    )
  }
})

test('an answer outside its own schema is a protocol error: the place is for the owner, and no other caller', async () => {
  await untilServed()
  for (const tenant_id of [service.operator.tenant_id, parseDid(publisher.did)!.namespace]) {
    const owner = await service.newCaller({ tenant_id, capabilities: ['svc.strain.*'] })
    const { error: own } = (await call('wrong', owner)).body
    assert.match(own!.message, /plugin strain@1\.0\.0 .* \/a must be integer, and is a string of \d+/)
    assert.deepEqual(own!.details.faults?.[0]?.pointer, '/a')
  }
  const tried = await runPlugin(['test', join(folder, 'strain'), '--operation', 'wrong', '--input', '{}'])
  assert.equal(tried.exit, 1)
  assert.match(
    tried.text.replaceAll(/\s+/g, ' '),
    /the output does not fit its schema: \/a must be integer, and is a string/,
  )

  const { status, body } = await call('wrong')
  assert.deepEqual(
    [status, body.error?.code, body.error?.reason],
    [500, 'protocol_error', 'answer outside its schema'],
  )
  assert.match(body.error!.message, /plugin strain@1\.0\.0 .* tell its author the correlation id/)
  assert.doesNotMatch(JSON.stringify(body), /\/a\b|integer/)
  const records = await service.records(service.tenant_id)
  const refused = records.filter(({ meta }) => meta.reason === 'answer outside its schema')
  assert.ok(
    refused.every(({ meta }) => meta.code === 'protocol_error' && meta.endpoint === 'plugin:strain@1.0.0'),
  )
  assert.ok(refused.length > 0)
})

test('a call records at most 64 KiB of events, and is charged for them', async () => {
  await untilServed()
  const { status, body } = await call('events')
  assert.equal(status, 200)
  const records = await service.records(service.tenant_id)
  const recorded = records.filter(({ event_type }) => event_type === 'custom.big')
  assert.equal(recorded.length, 4)
  assert.ok(body.metadata!.usage.seconds >= 0.62, `${body.metadata!.usage.seconds} s`)
})

test('a plugin that calls itself is refused at once', async () => {
  await untilServed()
  assert.equal((await call('itself')).status, 200)
  const records = await service.records(service.tenant_id)
  const refused = records.find(({ meta }) => meta.reason === 'plugin calls itself')
  assert.deepEqual([refused?.meta.code, refused?.meta.depth], ['policy_denied', 1])
})

test("a plugin's errors open its breaker only for the tenant that met them", async () => {
  await untilServed()
  let opened = false
  for (let i = 0; i < 40 && (await call('trap')).body.error?.code !== 'circuit_open'; i++);
  assert.equal((await call('ok')).body.error?.code, 'circuit_open')
  // A process that is restarting has not failed yet.
  await eventually(async () => {
    const { status, body } = await call('ok', other)
    opened ||= body.error?.code === 'circuit_open'
    assert.ok(opened || status === 200)
  })
  assert.ok(!opened, 'the other tenant is refused as well')
})
