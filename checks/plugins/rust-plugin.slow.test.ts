// A Rust plugin, from its kit to every surface of an engine. Uses the committed component; the long form
// builds it again.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { surfaces } from '../clients/surfaces.ts'
import { blocks } from '../documents/documents.ts'
import type { InProcessService } from '../engines/in-process.ts'
import { dispatch } from '../engines/running-engine.ts'
import { is_long } from '../faults/scene/chance.ts'
import { buildRustPlugin, kept_component, testRustPlugin } from './build-rust-plugin.ts'
import { type PluginScene, runPlugin, startPluginScene } from './plugin-scene.ts'

const root = join(import.meta.dirname, '../..')
const source = join(root, 'examples/plugins/units-rust')
/** The component used below: the committed one, or in the long form a new build. */
const component = is_long ? await buildRustPlugin(source, 'wasm32-wasip2') : readFileSync(kept_component)
const component_bytes_max = 300 * 1024
const unknown_unit = 'No unit has the symbol furlong; list_units names all there are.'
const skip_short = !is_long && 'only in the long form (SVC_TEST_ASSURANCE=1)'

const folder = mkdtempSync(join(tmpdir(), 'svc-rust-plugin-'))
after(() => rmSync(folder, { recursive: true, force: true }))

/** Like the output of `svc-engine plugin build`. */
function packed(name: string, component: Uint8Array): string {
  const place = join(folder, name)
  mkdirSync(place)
  for (const file of ['plugin.toml', 'operations.json']) cpSync(join(source, file), join(place, file))
  writeFileSync(join(place, 'plugin.wasm'), component)
  return place
}

/** Each operation's example in the sandbox, with an audit log that answers. */
async function tryExamples(place: string, ...more: string[]) {
  const calls = join(folder, 'calls.json')
  writeFileSync(calls, JSON.stringify({ 'MAX.audit_log_entry': { seq: 7, record_hash: 'ab' } }))
  const { exit, rows } = await runPlugin(['test', place, '--calls', calls, '--json', ...more])
  const heard: string[] = rows.at(-1).heard
  return { exit, heard, said: Object.fromEntries(rows.slice(0, -1).map((row) => [row.operation, row.said])) }
}

test('the kit has the ABI of the contract, word for word', () => {
  const wit = (place: string) => readFileSync(join(root, place, 'wit/svc-plugin.wit'), 'utf8')
  assert.equal(wit('clients/plugin-rust'), wit('contract'))
})

test('the excerpts in docs/plugins-rust.md are in the example', () => {
  const bare = (text: string) => text.replaceAll(/^\s+/gm, '')
  const page = blocks.filter(({ path, language }) => path === 'docs/plugins-rust.md' && language === 'rust')
  const code = ['lib.rs', 'tests.rs']
    .map((file) => bare(readFileSync(join(source, 'src', file), 'utf8')))
    .join()
  const shown = page.flatMap(({ code }) => code.split('\n\n'))
  assert.ok(shown.length >= 3)
  for (const piece of shown) assert.ok(code.includes(bare(piece)), piece)
})

test('every operation answers its example in the sandbox, and uses everything a host offers', async () => {
  assert.ok(component.length < component_bytes_max, `the component has ${component.length} bytes`)
  const { exit, heard, said } = await tryExamples(packed('tried', component))
  assert.equal(exit, 0, JSON.stringify(said))
  assert.deepEqual(said.convert, { value: 42.1648128, unit: 'km', quantity: 'length' })
  assert.deepEqual(said.convert_series, { values: [-40, 32, 99.5], unit: 'degF', quantity: 'temperature' })
  assert.deepEqual(said.certify, { value: 340.1942775, unit: 'g', seq: 7, record_hash: 'ab' })
  const meta = '{"answers_for":null,"by":"Agent","converted":340.1942775,"from":"oz","to":"g","value":12}'
  assert.deepEqual(heard, [
    'log debug converted mi to km',
    'progress 1 3 values are converted',
    'audit custom.units_series_converted {"count":3,"from":"degC","to":"degF"}',
    'log debug converted oz to g',
    `call MAX.audit_log_entry {"event_type":"custom.units_certified","meta":${meta}}`,
  ])
})

describe('in an engine', () => {
  let scene: PluginScene
  before(async () => {
    scene = await startPluginScene()
    const plugins = join(scene.data_dir, 'plugins')
    mkdirSync(plugins, { recursive: true })
    writeFileSync(join(plugins, 'units.json'), '{"significant_digits":4}')
    const place = packed('served', component)
    await scene.run('sign', place)
    await scene.run('install', place)
    await scene.untilState('units', 'Registered')
  })
  after(() => scene?.stop())

  const call = (operation: string, input: object) =>
    dispatch(scene.engine, { protocol: 'UNITS', operation, input })

  test('every surface gives the same answer and the same refusal, as its operator configured it', async () => {
    const hosted = { service: { mcp_url: scene.engine.mcp_url } } as InProcessService
    for (const { name, connect } of surfaces) {
      const surface = await connect(scene.engine, hosted)
      try {
        const { output } = await surface.call('UNITS', 'convert', { value: 26.2, from: 'mi', to: 'km' })
        assert.deepEqual(output, { value: 42.16, unit: 'km', quantity: 'length' }, name)
        const { error } = await surface.call('UNITS', 'convert', { value: 1, from: 'furlong', to: 'm' })
        assert.deepEqual([error?.code, error?.reason], ['invalid_payload', 'unknown unit'], name)
        assert.equal(error?.message, unknown_unit, name)
      } finally {
        await surface.close()
      }
    }
  })

  test('operations.json is enforced: an invalid input never reaches the plugin', async () => {
    const { status, body } = await call('convert', { value: 'much', from: 'mi', to: 'km' })
    assert.deepEqual([status, body.error.code], [422, 'invalid_payload'])
    const rule = await call('convert', { value: 1, from: 'kg', to: 'km' })
    assert.deepEqual([rule.status, rule.body.error.code], [422, 'policy_denied'])
  })

  test('its certificates and its own event are in the audit log', async () => {
    const { body } = await call('certify', { value: 12, from: 'oz', to: 'g' })
    assert.equal(body.output?.value, 340.2, JSON.stringify(body))
    await call('convert_series', { values: [1, 2], from: 'm', to: 'cm' })
    const event_type = ['custom.units_certified', 'custom.units_series_converted']
    const query = { protocol: 'MAX', operation: 'audit_query', input: { event_type } }
    const { body: answer } = await dispatch(scene.engine, query)
    const { records } = answer.output ?? assert.fail(JSON.stringify(answer))
    assert.deepEqual(
      records.map((each: { event_type: string }) => each.event_type),
      event_type,
    )
    const [{ seq, record_hash }] = records
    assert.deepEqual([seq, record_hash], [body.output.seq, body.output.record_hash])
  })
})

const formatted = (place: string) => promisify(execFile)('cargo', ['fmt', '--check'], { cwd: place })

describe('from source', { skip: skip_short }, () => {
  test("the example's own tests pass without WebAssembly", async () => {
    assert.match(await testRustPlugin(source), /test result: ok\. [1-9]/)
    await formatted(source)
  })

  test('without WASI it is a component, too, with the same answers', async () => {
    const bare = await buildRustPlugin(source, 'wasm32-unknown-unknown')
    const { exit, said } = await tryExamples(packed('bare', bare))
    assert.equal(exit, 0, JSON.stringify(said))
    assert.deepEqual(said, (await tryExamples(packed('with-wasi', component))).said)
  })

  test('the output of plugin new --lang rust passes its tests, builds, and answers its example', async () => {
    const place = join(folder, 'fresh')
    await runPlugin(['new', 'fresh', '--lang', 'rust', '--dir', place])
    assert.match(await testRustPlugin(place), /test result: ok\. [1-9]/)
    await formatted(place)
    writeFileSync(join(place, 'plugin.wasm'), await buildRustPlugin(place, 'wasm32-wasip2'))
    const { exit, rows } = await runPlugin(['test', place, '--json'])
    assert.equal(exit, 0, JSON.stringify(rows))
  })
})
