import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs'
import { appendFile, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, test } from 'node:test'
import { writePlugin } from '../../checks/plugins/written-plugin.ts'
import { fingerprintOf, plugin_bytes_max, Rejected, readManifest, readPluginFolder } from './plugin-folder.ts'

const scratch = mkdtempSync(join(tmpdir(), 'svc-plugin-folder-'))
const folder = join(scratch, 'greeting')
beforeEach(() => void writePlugin(folder))
after(() => rmSync(scratch, { recursive: true, force: true }))

const isRejected =
  (reason: string, sentence = /./) =>
  (error: unknown) => {
    assert.ok(error instanceof Rejected, String(error))
    assert.equal(error.reason, reason, error.message)
    assert.match(error.message, sentence)
    return true
  }

test('a folder is read completely: manifest, component, operations, every file, and one digest for all of it', async () => {
  const made = writePlugin(folder, { files: { 'data/words.txt': 'hello' } })
  const plugin = await readPluginFolder(folder)
  assert.deepEqual(plugin.manifest, made.manifest)
  assert.deepEqual([...plugin.files.keys()].sort(), ['data/words.txt', 'operations.json', 'plugin.wasm'])
  assert.equal(Buffer.from(plugin.component).toString(), 'no component')
  assert.deepEqual(plugin.operations, { run: { effect: 'read', level: 'L0' } })
  writeFileSync(join(folder, 'data/words.txt'), 'hellp')
  assert.notEqual((await readPluginFolder(folder)).digest, plugin.digest)
})

test('a link is refused, wherever it is and wherever it leads', async () => {
  const elsewhere = join(scratch, 'elsewhere')
  mkdirSync(elsewhere, { recursive: true })
  for (const target of ['/etc/passwd', 'plugin.wasm', elsewhere, 'nowhere']) {
    writePlugin(folder)
    symlinkSync(target, join(folder, 'more'))
    await assert.rejects(readPluginFolder(folder), isRejected('not a plain file', /more .*links/))
  }
  const link = join(scratch, 'link')
  symlinkSync(folder, link)
  await assert.rejects(readPluginFolder(link), isRejected('not a plain file', /no folder/))
  await assert.rejects(fingerprintOf(link), isRejected('not a plain file'))
})

test('a pipe in it is refused, without waiting for its other end', { timeout: 180_000 }, async () => {
  execFileSync('mkfifo', [join(folder, 'pipe')])
  await assert.rejects(readPluginFolder(folder), isRejected('not a plain file', /pipe/))
  rmSync(join(folder, 'plugin.wasm'))
  rmSync(join(folder, 'pipe'))
  execFileSync('mkfifo', [join(folder, 'plugin.wasm')])
  await assert.rejects(readPluginFolder(folder), isRejected('not a plain file'))
})

test('depth, number of files, of empty folders, and size are bounded', async () => {
  mkdirSync(join(folder, 'a/b/c/d/e'), { recursive: true })
  await assert.rejects(readPluginFolder(folder), isRejected('too deep'))
  writePlugin(folder)
  for (let i = 0; i < 62; i++) writeFileSync(join(folder, `file-${i}`), '')
  await assert.rejects(readPluginFolder(folder), isRejected('too many files'))
  writePlugin(folder)
  for (let i = 0; i < 300; i++) mkdirSync(join(folder, `folder-${i}`))
  await assert.rejects(readPluginFolder(folder), isRejected('too many files'))
  writePlugin(folder)
  truncateSync(join(folder, 'plugin.wasm'), plugin_bytes_max + 1)
  await assert.rejects(readPluginFolder(folder), isRejected('too large', /plugin\.wasm/))
  truncateSync(join(folder, 'plugin.wasm'), plugin_bytes_max / 2)
  writeFileSync(join(folder, 'more'), '')
  truncateSync(join(folder, 'more'), plugin_bytes_max / 2)
  await assert.rejects(readPluginFolder(folder), isRejected('too large'))
  writePlugin(folder)
  truncateSync(join(folder, 'plugin.toml'), 64 * 1024 + 1)
  await assert.rejects(readPluginFolder(folder), isRejected('too large', /plugin\.toml/))
})

test('a file that changes while it is read is never half of one and half of another', async () => {
  const big = join(folder, 'big')
  writeFileSync(big, Buffer.alloc(8 * 1024 * 1024))
  let stopped = false
  const changing = (async () => {
    const file = await open(big, 'r+')
    while (!stopped) {
      await appendFile(big, Buffer.alloc(65_536, 1))
      await file.truncate(8 * 1024 * 1024)
    }
    await file.close()
  })()
  for (let i = 0; i < 20; i++) {
    const read = await readPluginFolder(folder).catch((error: unknown) => error)
    if (read instanceof Error) assert.ok(isRejected('unreadable', /changed while/)(read))
    else
      assert.ok(
        [0, 65_536].includes((read as { files: Map<string, Buffer> }).files.get('big')!.length % 8_388_608),
      )
  }
  stopped = true
  await changing
})

test('a folder or file that is gone before it is read is an error and no hang', async () => {
  await assert.rejects(readPluginFolder(join(scratch, 'nowhere')), /ENOENT/)
  rmSync(join(folder, 'plugin.toml'))
  await assert.rejects(readPluginFolder(folder), isRejected('no manifest'))
  mkdirSync(join(folder, 'plugin.toml'))
  await assert.rejects(readPluginFolder(folder), isRejected('no manifest'))
  writePlugin(folder)
  rmSync(join(folder, 'plugin.wasm'))
  await assert.rejects(readPluginFolder(folder), (error: Rejected) => {
    assert.equal(error.manifest?.plugin.name, 'greeting')
    return isRejected('no component')(error)
  })
})

test('operations.json is valid JSON, about operations of the manifest only', async () => {
  for (const [text, sentence] of [
    ['{', /no JSON/],
    ['[]', /does not fit/],
    ['{"run":{"effect":"destroy"}}', /does not fit/],
    ['{"walk":{}}', /walk is not among the operations/],
    ['{"run":{"input":{"type":"string"}}}', /must be of type object/],
    [`{"run":{"summary":"${'x'.repeat(1024 * 1024)}"}}`, /larger than/],
  ] as const) {
    writeFileSync(join(folder, 'operations.json'), text)
    await assert.rejects(readPluginFolder(folder), isRejected('bad operations', sentence))
  }
})

const manifest = (more = '', version = '1.0.0') => `
[plugin]
name = "greeting"
version = "${version}"
description = "x"
plugin_type = "Protocol"
protocol = "GREET"
binary = { source_type = "wasm", path = "plugin.wasm" }
operations = { operations = ["run"] }
metadata = { author = "did:oas:acme:agent:${'a'.repeat(64)}", license = "MIT", min_svc_version = "1.0.0" }
${more}`

test('a date of TOML is read as text', () => {
  const signature = (at: string) => `[plugin.signature]
signed_by = "did:oas:acme:agent:${'a'.repeat(64)}"
public_key = "${'A'.repeat(43)}"
signature = "${'A'.repeat(86)}"
signed_at = ${at}`
  const read = (at: string) => readManifest(Buffer.from(manifest(signature(at)))).plugin.signature?.signed_at
  assert.equal(read('2026-11-16T08:00:00Z'), '2026-11-16T08:00:00.000Z')
  assert.equal(read('"2026-11-16T08:00:00Z"'), '2026-11-16T08:00:00Z')
  for (const bad of ['2026-11-16', '08:00:00', '1', '"yesterday"'])
    assert.throws(() => read(bad), isRejected('bad manifest'))
})

test('hostile TOML is rejected with one bounded sentence', () => {
  const deep = `x = ${'['.repeat(20_000)}${']'.repeat(20_000)}`
  for (const text of [
    '',
    '\u0000',
    'plugin = 1',
    '[plugin',
    deep,
    `${'a.'.repeat(20_000)}a = 1`,
    manifest('__proto__ = { name = "x" }'),
    manifest('constructor = 1'),
    manifest('[plugin.integrations.__proto__]\nkind = "capability"\nendpoint = "svc.*.*"'),
    manifest('', '1.0'),
    manifest('', '1.0.0; rm'),
    manifest().replace('plugin.wasm', '../plugin.wasm'),
    manifest().replace('plugin.wasm', '/etc/passwd'),
    manifest().replace('plugin.wasm', 'a/./b'),
    manifest().replace('"greeting"', '"../greeting"'),
  ])
    assert.throws(
      () => readManifest(Buffer.from(text)),
      (error: Rejected) => {
        assert.ok(error.message.length < 500 && !error.message.includes('\n'), error.message)
        return isRejected('bad manifest')(error)
      },
    )
  assert.equal(({} as { name?: string }).name, undefined)
})

test('the fingerprint changes with every file, and not by reading', async () => {
  const before = await fingerprintOf(folder)
  assert.equal(await fingerprintOf(folder), before)
  writeFileSync(join(folder, 'plugin.wasm'), 'no componenT')
  const changed = await fingerprintOf(folder)
  assert.notEqual(changed, before)
  // An old mtime hides nothing: the ctime cannot be set.
  utimesSync(join(folder, 'plugin.wasm'), 0, 0)
  assert.notEqual(await fingerprintOf(folder), changed)
})
