// svc-engine plugin without an engine: what is written, signed and installed, and each refusal.
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs' // biome-ignore format: one import
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { readPluginFolder } from '@svc/adapters/plugins/plugin-folder'
import { signatureFault } from '@svc/contract/foreign/plugin-signature'
import { runPlugin } from './plugin-scene.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-plugin-commands-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const at = (...path: string[]) => join(folder, ...path)

/** Like the output of `build`, except for the component, which is not loaded here. */
async function newBuilt(name: string): Promise<string> {
  await runPlugin(['new', name, '--dir', at(name)])
  const dist = at(name, 'dist', `${name}-1.0.0`)
  mkdirSync(dist, { recursive: true })
  writeFileSync(join(dist, 'plugin.wasm'), 'a component')
  writeFileSync(join(dist, 'plugin.toml'), readFileSync(at(name, 'plugin.toml')))
  return dist
}

function rejects(args: string[], sentence: RegExp): Promise<void> {
  return assert.rejects(runPlugin(args), { name: 'ConfigError', message: sentence })
}

test('new fills in name, protocol and author, and refuses impossible ones', async () => {
  const did = `did:oas:acme:organization:${'a'.repeat(64)}`
  const { rows } = await runPlugin(['new', 'my-first', '--dir', at('first'), '--did', did, '--json'])
  assert.deepEqual(rows, [
    { plugin: 'my-first', protocol: 'MYFIRST', language: 'typescript', folder: at('first') },
  ])
  const { plugin } = (await readManifest(at('first'))) as { plugin: Record<string, unknown> }
  assert.deepEqual([plugin.name, plugin.protocol], ['my-first', 'MYFIRST'])
  assert.doesNotMatch(readFileSync(at('first/plugin.ts'), 'utf8'), /\{\{/)
  assert.match(readFileSync(at('first/.gitignore'), 'utf8'), /^\*\.key$/m)
  await rejects(['new', 'my-first', '--dir', at('first')], /already exists; choose another/)
  await rejects(['new', 'My_First', '--dir', at('x')], /is not a valid plugin name/)
  await rejects(
    ['new', 'x', '--dir', at('x'), '--lang', 'cobol'],
    /--lang is cobol; it must be one of typescript, rust/,
  )
  await rejects(['new', 'x', '--dir', at('x'), '--did', 'me'], /--did is me; it must be a DID/)
  await rejects(['new', 'a'.repeat(33), '--dir', at('x')], /has more than 32 letters/)
  writeFileSync(at('file'), '')
  await rejects(['new', 'x', '--dir', at('file/x')], /A file could not be read or written .*ENOTDIR/)
  assert.equal(existsSync(at('x')), false)
})

async function readManifest(place: string): Promise<object> {
  writeFileSync(join(place, 'plugin.wasm'), '')
  const { manifest } = await readPluginFolder(withoutLinks(place))
  return manifest
}

/** An unbuilt plugin has the kit beside it. */
function withoutLinks(place: string): string {
  rmSync(join(place, 'node_modules'), { recursive: true, force: true })
  return place
}

test('sign creates a private key file, keeps the comments, and replaces its own signature', async () => {
  const dist = await newBuilt('signed')
  const before = readFileSync(join(dist, 'plugin.toml'), 'utf8')
  const key = at('publisher.key')
  const { rows } = await runPlugin(['sign', at('signed'), '--new-key', key, '--json'])
  assert.equal(statSync(key).mode & 0o777, 0o600)
  assert.match(rows[0].signed_by, /^did:oas:publisher:organization:[0-9a-f]{64}$/)
  const first = await readPluginFolder(dist)
  assert.equal(signatureFault(first.manifest, first.files), undefined)
  assert.equal(first.manifest.plugin.metadata.author, rows[0].signed_by)
  const text = readFileSync(join(dist, 'plugin.toml'), 'utf8')
  for (const line of before.split('\n').filter((each) => each.startsWith('#'))) assert.ok(text.includes(line))

  writeFileSync(join(dist, 'plugin.wasm'), 'another component')
  const did = rows[0].signed_by.replace('publisher', 'acme')
  await runPlugin(['sign', dist, '--key', key, '--did', did])
  const again = await readPluginFolder(dist)
  assert.equal(signatureFault(again.manifest, again.files), undefined)
  assert.equal(again.manifest.plugin.signature?.signed_by, did)
  assert.equal(readFileSync(join(dist, 'plugin.toml'), 'utf8').match(/\[plugin\.signature\]/g)?.length, 1)
})

test('a signature written inline is replaced, too', async () => {
  const dist = await newBuilt('inline')
  const file = join(dist, 'plugin.toml')
  await runPlugin(['sign', dist, '--new-key', at('inline.key')])
  const [, signed_by, public_key, signed_at, signature] =
    /signed_by = (".*")\npublic_key = (".*")\nsigned_at = (".*")\nsignature = (".*")/.exec(
      readFileSync(file, 'utf8'),
    )!
  const inline = `signature = { signed_by = ${signed_by}, public_key = ${public_key}, signed_at = ${signed_at}, signature = ${signature} }`
  const text = readFileSync(at('inline/plugin.toml'), 'utf8').replace('[plugin]\n', `[plugin]\n${inline}\n`)
  writeFileSync(file, text)
  await runPlugin(['sign', dist, '--key', at('inline.key')])
  const { manifest, files } = await readPluginFolder(dist)
  assert.equal(signatureFault(manifest, files), undefined)
})

test('sign refuses keys that others can read, invalid ones, and DIDs of other keys', async () => {
  const dist = await newBuilt('keys')
  const key = at('keys.key')
  writeFileSync(key, 'ab'.repeat(32), { mode: 0o644 })
  await rejects(['sign', dist, '--key', key], /can be read by other users; .* chmod 600/)
  chmodSync(key, 0o600)
  const other = `did:oas:acme:organization:${'a'.repeat(64)}`
  await rejects(['sign', dist, '--key', key, '--did', other], /is not the DID of the key in/)
  await runPlugin(['sign', dist, '--key', key])
  writeFileSync(key, 'short')
  await rejects(['sign', dist, '--key', key], /must hold 32 bytes in hex or base64/)
  writeFileSync(key, Buffer.alloc(32, 7).toString('base64'))
  await runPlugin(['sign', dist, '--key', key])
  await rejects(['sign', dist, '--new-key', key], /could not be written/)
  await rejects(['sign', dist, '--key', at('none')], /could not be read .*--new-key creates a key/)
  await rejects(['sign', dist, '--key', key, '--new-key', key], /write only one of them/)
  await rejects(['sign', dist, '--new-key', at('never.key'), '--did', other], /--did needs --key F/)
  await rejects(['sign', dist, '--did', other], /--did needs --key F/)
  await rejects(['sign', dist, '--new-key', join(dist, 'never.key')], /store the key elsewhere/)
  assert.deepEqual([existsSync(at('never.key')), existsSync(join(dist, 'never.key'))], [false, false])
  await rejects(['sign', dist, '--data-dir', at('nobody')], /Use a key with --key F/)
  const wrong = { SVC_AGENT_DID: other, SVC_AGENT_KEY: 'cd'.repeat(32) }
  const signing = runPlugin(['sign', dist, '--data-dir', at('nobody')], wrong)
  await assert.rejects(signing, /SVC_AGENT_KEY is not the key of/)
})

test('files of an aborted sign or install are in no plugin', async () => {
  const dist = await newBuilt('ended')
  writeFileSync(join(dist, '.plugin.toml.new'), 'half')
  await runPlugin(['sign', dist, '--new-key', at('ended.key')])
  const stale = at('watched', `.tmp-ended-1.0.0-${process.pid}`)
  mkdirSync(stale, { recursive: true })
  writeFileSync(join(stale, 'other.txt'), 'of another build')
  await runPlugin(['install', dist, '--dir', at('watched')])
  assert.deepEqual(readdirSync(at('watched')), ['ended-1.0.0'])
  const { manifest, files } = await readPluginFolder(at('watched/ended-1.0.0'))
  assert.equal(signatureFault(manifest, files), undefined)
  assert.deepEqual([...files.keys()], ['plugin.wasm'])
  await rejects(['install', dist, '--dir', join(dist, 'in')], /is being installed/)
  await rejects(['install', at('watched/ended-1.0.0'), '--dir', at('watched')], /is being installed/)
  assert.deepEqual(readdirSync(dist).sort(), ['plugin.toml', 'plugin.wasm'])
})

test('install is atomic and repeatable, and reports what the engine would', async () => {
  const dist = await newBuilt('installed')
  const plugins = at('data/plugins')
  const install = (...more: string[]) =>
    runPlugin(['install', at('installed'), '--data-dir', at('data'), ...more])
  assert.match((await install()).text, /It stays Pending on this engine: It is not signed/)
  await runPlugin(['sign', dist, '--new-key', at('installed.key')])
  assert.match((await install()).text, /stays Pending .* who is not among SVC_TRUSTED_PUBLISHERS/)
  const { manifest } = await readPluginFolder(dist)
  const env = { SVC_TRUSTED_PUBLISHERS: manifest.plugin.signature!.signed_by }
  const trusted = await runPlugin(['install', at('installed'), '--data-dir', at('data')], env)
  assert.match(trusted.text, /find it within seconds/)
  assert.deepEqual(readdirSync(plugins), ['installed-1.0.0'])
  assert.deepEqual((await readPluginFolder(join(plugins, 'installed-1.0.0'))).manifest, manifest)

  writeFileSync(join(dist, 'more.txt'), 'slipped in')
  await assert.rejects(install(), /Its signature does not hold: .* Sign it again/)
  await runPlugin(['install', join(plugins, 'installed-1.0.0'), '--dir', at('elsewhere')])
  assert.deepEqual(readdirSync(at('elsewhere')), ['installed-1.0.0'])
})

test('missing or wrong files of a folder are reported in a sentence', async () => {
  await rejects(
    ['build', at('nowhere')],
    /There is no .*plugin\.toml; svc-engine plugin new <name> creates one/,
  )
  await runPlugin(['new', 'unbuilt', '--dir', at('unbuilt')])
  await rejects(['test', at('unbuilt')], /has no plugin\.wasm; create it with: svc-engine plugin build/)
  const file = at('unbuilt/plugin.toml')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.replace('operations = ["hello"]', 'operations = ["hello", "bye"]'))
  await rejects(['build', at('unbuilt')], /plugin\.ts serves hello, but plugin\.toml lists hello, bye/)
  writeFileSync(file, text.replace('version = "1.0.0"', 'version = "one"'))
  await rejects(['build', at('unbuilt')], /plugin\.toml does not fit: \/plugin\/version/)
  writeFileSync(file, 'name = ')
  await rejects(['build', at('unbuilt')], /plugin\.toml is no TOML/)
  writeFileSync(file, text)
  writeFileSync(at('unbuilt/plugin.ts'), 'export const plugin = {')
  await rejects(['build', at('unbuilt')], /plugin\.ts could not be built: .*found end of file/s)
  writeFileSync(at('unbuilt/plugin.ts'), 'export const other = {}')
  await rejects(['build', at('unbuilt')], /it exports no plugin; write: export const plugin/)
  writeFileSync(file, text.replace('"plugin.wasm"', '"operations.json"'))
  await rejects(['build', at('unbuilt')], /plugin\.binary\.path is operations\.json; it must be plugin\.wasm/)
})

test('operations that no engine would accept are refused before compiling, and leave nothing', async () => {
  await runPlugin(['new', 'typed', '--dir', at('typed')])
  const source = readFileSync(at('typed/plugin.ts'), 'utf8')
  writeFileSync(at('typed/plugin.ts'), source.replace("effect: 'read'", "effect: 'delete' as never"))
  await rejects(['build', at('typed'), '--json'], /operations\.json does not fit: \/hello\/effect/)
  await runPlugin(['new', 'rusty', '--lang', 'rust', '--dir', at('rusty')])
  for (const [text, sentence] of [
    ['{ bad', /operations\.json is no JSON/],
    ['null', /operations\.json does not fit/],
    ['{"hello": null}', /operations\.json does not fit/],
    ['{"bye": {}}', /bye is not among the operations/],
  ] as const) {
    writeFileSync(at('rusty/operations.json'), text)
    await rejects(['build', at('rusty'), '--json'], sentence)
  }
  assert.deepEqual([readdirSync(at('typed/dist')), readdirSync(at('rusty/dist'))], [[], []])
})

test('it is its own crate, whatever surrounds it', async () => {
  await runPlugin(['new', 'inner', '--lang', 'rust', '--dir', at('inner')])
  assert.match(readFileSync(at('inner/Cargo.toml'), 'utf8'), /^\[workspace\]$/m)
})

test('an invalid component cannot be tested', async () => {
  const dist = await newBuilt('broken')
  await rejects(['test', dist], /Engines cannot run it: it is no component/)
  await rejects(['test', dist, '--operation', 'bye'], /broken has no operation bye; it has hello/)
  await rejects(['test', dist, '--input', '{}'], /--input needs --operation/)
  for (const text of ['[1]', 'null', 'no']) {
    writeFileSync(at('calls.json'), text)
    await rejects(['test', dist, '--calls', at('calls.json')], /--calls cannot use .* JSON object/)
  }
  await rejects(['test', dist, '--calls', at('none.json')], /--calls names .* which cannot be read/)
})
