import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { didOfKey } from '../identity/did.ts'
import { privateKeyOf, publicKeyOf, type SigningKey } from '../signing/signature.ts'
import type { PluginManifest } from './plugin-manifest.ts'
import { pluginDigest, signatureFault, signPlugin } from './plugin-signature.ts'

function keyOf(fill: number): SigningKey {
  const private_key = privateKeyOf(Buffer.alloc(32, fill))
  const public_key = publicKeyOf(private_key)
  return { did: didOfKey('acme', 'agent', Buffer.from(public_key, 'base64url')), public_key, private_key }
}

const [publisher, stranger] = [keyOf(1), keyOf(2)]
const files: ReadonlyMap<string, Uint8Array> = new Map([
  ['plugin.wasm', Buffer.from('a component')],
  ['operations.json', Buffer.from('{"run":{"effect":"read"}}')],
  ['data/words.txt', Buffer.from('hello')],
])
const unsigned: PluginManifest = {
  plugin: {
    name: 'greeting',
    version: '1.0.0',
    description: 'A plugin of a test.',
    plugin_type: 'Protocol',
    protocol: 'GREET',
    binary: { source_type: 'wasm', path: 'plugin.wasm' },
    metadata: { author: publisher.did, license: 'MIT', min_svc_version: '1.0.0' },
    operations: { operations: ['run'] },
  },
}
const manifest = signPlugin(unsigned, files, publisher, '2026-11-01T00:00:00Z')
const { signature } = manifest.plugin
const faultOf = (changed: PluginManifest, among = files) => signatureFault(changed, among)
const withSignature = (more: object): PluginManifest => ({
  plugin: { ...manifest.plugin, signature: { ...signature!, ...more } },
})

test("a publisher's signature is valid in any order of the files", () => {
  assert.equal(faultOf(manifest), undefined)
  assert.equal(faultOf(manifest, new Map([...files].reverse())), undefined)
  assert.equal(pluginDigest(manifest, new Map([...files].reverse())), pluginDigest(manifest, files))
})

test('a manifest without a signature is not signed', () => {
  const { signature: _, ...plugin } = manifest.plugin
  assert.equal(faultOf({ plugin }), 'not signed')
})

test('signing again ignores the previous signature', () => {
  const again = signPlugin(
    signPlugin(manifest, files, stranger, '2026-11-02T00:00:00Z'),
    files,
    publisher,
    signature!.signed_at,
  )
  assert.deepEqual(again, manifest)
})

test('neither signer nor time can be changed, and a key belongs to its DID', () => {
  assert.match(faultOf(withSignature({ signed_by: stranger.did }))!, /not that of signed_by/)
  assert.match(faultOf(withSignature({ public_key: stranger.public_key }))!, /not that of signed_by/)
  const other = { signed_by: stranger.did, public_key: stranger.public_key }
  assert.match(faultOf(withSignature(other))!, /does not fit/)
  assert.match(faultOf(withSignature({ signed_at: '2026-11-01T00:00:01Z' }))!, /does not fit/)
})

test('changing any byte of any file breaks it', () => {
  const places = [...files].flatMap(([path, bytes]) => [...bytes.keys()].map((at) => ({ path, at })))
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.integer({ min: 1, max: 255 }), ({ path, at }, by) => {
      const changed = new Map(files)
      const bytes = Buffer.from(files.get(path)!)
      bytes[at] = bytes[at]! ^ by
      changed.set(path, bytes)
      return (
        faultOf(manifest, changed) !== undefined &&
        pluginDigest(manifest, changed) !== pluginDigest(manifest, files)
      )
    }),
    { numRuns: 300 },
  )
})

test('adding, removing or renaming a file breaks it', () => {
  const names = fc.oneof(
    fc.string({ minLength: 1 }),
    fc.constantFrom('__proto__', 'constructor', 'toString', 'Plugin.wasm'),
  )
  fc.assert(
    fc.property(names, fc.constantFrom(...files.keys()), (name, path) => {
      fc.pre(!files.has(name))
      const without = new Map([...files].filter(([each]) => each !== path))
      const added = new Map([...files, [name, Buffer.from('')]])
      const renamed = new Map([...without, [name, files.get(path)!]])
      return [without, added, renamed].every((each) => holdsNot(each))
    }),
  )
})

/** A name that JSON cannot represent is an error, so no signature is valid. */
function holdsNot(changed: ReadonlyMap<string, Uint8Array>): boolean {
  try {
    return faultOf(manifest, changed) !== undefined
  } catch {
    return true
  }
}

test('changing any word of the manifest breaks it', () => {
  const paths = leavesOf(manifest)
  assert.ok(paths.length > 12)
  for (const path of paths) {
    const changed = structuredClone(manifest)
    const last = path.pop()!
    // biome-ignore lint/suspicious/noExplicitAny: a path into any shape
    const holder = path.reduce((value: any, name) => value[name], changed)
    holder[last] = `${holder[last]}x`
    assert.notEqual(faultOf(changed), undefined, `${path}.${last}`)
  }
  const more = structuredClone(manifest)
  more.plugin.operations.operations.push('walk')
  assert.notEqual(faultOf(more), undefined)
  more.plugin.operations.operations.pop()
  assert.equal(faultOf(more), undefined)
  assert.notEqual(faultOf({ plugin: { ...more.plugin, integrations: {} } }), undefined)
})

function leavesOf(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [path]
  return Object.entries(value).flatMap(([name, each]) => leavesOf(each, [...path, name]))
}

test('a signature has one spelling', () => {
  const text = signature!.signature
  for (const spelled of [`${text}=`, `${text} `, text.slice(0, -1), `${text}A`, ''])
    assert.notEqual(faultOf(withSignature({ signature: spelled })), undefined, spelled)
})
