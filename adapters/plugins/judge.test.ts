import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pluginDigest } from '@svc/contract/foreign/plugin-signature'
import fc from 'fast-check'
import {
  first_signed_at,
  makePlugin,
  publisher,
  stranger,
  type WrittenPlugin,
} from '../../checks/plugins/written-plugin.ts'
import { judgePlugin, type KnownVersion, type PluginRules } from './judge.ts'
import { type PluginPackage, Rejected } from './plugin-folder.ts'

const rules: PluginRules = {
  allowed_sources: ['wasm'],
  require_signatures: true,
  trusted_publishers: [publisher.did],
  svc_version: '1.4.0',
}

function packageOf(plugin: WrittenPlugin, changed: Readonly<Record<string, string>> = {}): PluginPackage {
  const { manifest, files: signed } = makePlugin(plugin)
  const files = new Map([
    ...signed,
    ...Object.entries(changed).map(([path, text]) => [path, Buffer.from(text)] as const),
  ])
  return {
    manifest,
    files,
    component: files.get('plugin.wasm')!,
    operations: {},
    digest: pluginDigest(manifest, files),
  }
}

function reasonOf(
  plugin: PluginPackage,
  versions: readonly KnownVersion[] = [],
  more: Partial<PluginRules> = {},
) {
  try {
    judgePlugin(plugin, versions, { ...rules, ...more })
    return undefined
  } catch (error) {
    assert.ok(error instanceof Rejected, String(error))
    return error.reason
  }
}

const served = (version: string, digest = 'another', more: Partial<KnownVersion> = {}): KnownVersion => ({
  version,
  here_digest: digest,
  registered_digest: digest,
  signed_at: first_signed_at,
  downgrade_allowed: false,
  ...more,
})
const removed = { here_digest: undefined }

test('signed by a trusted publisher, and nothing newer known: it is accepted', () => {
  assert.equal(reasonOf(packageOf({})), undefined)
  assert.equal(reasonOf(packageOf({ version: 'v1.0.0-rc.1' })), undefined)
})

test('every rule has its reason, and the first broken one is reported', () => {
  const too_new = { min_svc_version: '1.4.1' }
  const newer = [served('2.0.0')]
  const cases: [string, PluginPackage, Partial<PluginRules>?][] = [
    ['source not allowed', packageOf({ signer: null, ...too_new }), { allowed_sources: ['builtin'] }],
    ['source not allowed', packageOf({}), { allowed_sources: [] }],
    ['not signed', packageOf({ signer: null, ...too_new })],
    ['bad signature', packageOf({ signer: stranger, ...too_new }, { 'plugin.wasm': 'other' })],
    ['untrusted publisher', packageOf({ signer: stranger, ...too_new })],
    ['min_svc_version', packageOf(too_new)],
    ['downgrade', packageOf({})],
  ]
  for (const [reason, plugin, more] of cases) assert.equal(reasonOf(plugin, newer, more), reason)
})

test('min_svc_version is met by this version and every newer one', () => {
  for (const [min_svc_version, svc_version, reason] of [
    ['1.4.0', '1.4.0', undefined],
    ['v1.4.0', '1.4.0', undefined],
    ['1.3.9', '1.4.0', undefined],
    ['1.4.0', '1.4.0-rc.1', 'min_svc_version'],
    ['1.10.0', '1.9.0', 'min_svc_version'],
    ['2.0.0', '1.99.99', 'min_svc_version'],
    ['1.0.0-a..b', '1.4.0', 'bad manifest'],
  ] as const)
    assert.equal(reasonOf(packageOf({ min_svc_version }), [], { svc_version }), reason, min_svc_version)
})

test('even if no signature is required, an invalid one is rejected', () => {
  const free = { require_signatures: false, trusted_publishers: [] }
  assert.equal(reasonOf(packageOf({ signer: null }), [], free), undefined)
  assert.equal(reasonOf(packageOf({ signer: stranger }), [], free), undefined)
  assert.equal(reasonOf(packageOf({}, { 'plugin.wasm': 'other' }), [], free), 'bad signature')
  assert.equal(reasonOf(packageOf({}, { more: '' }), [], free), 'bad signature')
})

test('nothing unsigned, changed or untrusted ever passes while signatures are required', () => {
  const version = fc.constantFrom('0.0.1', '1.0.0', 'v1.0.0', '1.0.0-rc.1', '2.0.0')
  const knownVersion = fc.record({
    version: fc.constantFrom('0.0.1', '1.0.0', '2.0.0'),
    here_digest: fc.constantFrom(undefined, 'same', 'another'),
    registered_digest: fc.constantFrom(undefined, 'same', 'another'),
    signed_at: fc.constantFrom(undefined, first_signed_at, '2030-01-01T00:00:00Z'),
    downgrade_allowed: fc.boolean(),
  })
  const makings = fc.constantFrom('good', 'unsigned', 'stranger', 'changed', 'added')
  fc.assert(
    fc.property(version, makings, fc.array(knownVersion, { maxLength: 4 }), (version, making, versions) => {
      const signer =
        { unsigned: null, stranger }[making as string] ?? (making === 'unsigned' ? null : publisher)
      const changed: Record<string, string> =
        { changed: { 'plugin.wasm': 'x' }, added: { x: '' } }[making as string] ?? ({} as never)
      const plugin = packageOf({ version, signer }, changed)
      const same = versions.map((each) => ({
        ...each,
        here_digest: each.here_digest === 'same' ? plugin.digest : each.here_digest,
        registered_digest: each.registered_digest === 'same' ? plugin.digest : each.registered_digest,
      }))
      return making === 'good' || reasonOf(plugin, same) !== undefined
    }),
    { numRuns: 300 },
  )
})

test('an older version is rejected after a newer one served, unless the operator allows it', () => {
  const plugin = packageOf({ version: '1.0.0' })
  const { digest } = plugin
  const word = { downgrade_allowed: true }
  const cases: [string, KnownVersion[], string | undefined][] = [
    ['nothing known', [], undefined],
    ['an older one', [served('0.9.0')], undefined],
    ['a newer one', [served('1.0.1')], 'downgrade'],
    ['a newer one that was removed', [served('1.0.1', 'x', removed)], 'downgrade'],
    ['a newer one that never served', [served('1.0.1', 'x', { registered_digest: undefined })], undefined],
    ['its own pre-release', [served('1.0.0-rc.9')], undefined],
    ['side by side, and it stayed', [served('1.0.0', digest), served('1.1.0')], undefined],
    [
      'side by side, removed and brought back',
      [served('1.0.0', digest, removed), served('1.1.0')],
      'downgrade',
    ],
    [
      'accepted before the newer one served',
      [served('1.0.0', digest, { registered_digest: undefined }), served('1.1.0')],
      undefined,
    ],
    ['it was allowed', [served('1.0.0', digest, { ...removed, ...word }), served('1.1.0')], undefined],
    ['another one was allowed', [served('0.9.0', 'x', word), served('1.1.0')], 'downgrade'],
    ['removed, and nothing newer', [served('1.0.0', digest, removed)], undefined],
  ]
  for (const [name, versions, reason] of cases) assert.equal(reasonOf(plugin, versions), reason, name)
})

test('the same version is accepted again only if it was signed later', () => {
  const at = (signed_at: string) => packageOf({ signed_at, component: Buffer.from('other') })
  const before = (signed_at: string | undefined, more = {}) => [
    served('1.0.0', 'another', { signed_at, ...more }),
  ]
  for (const [signed_at, versions, reason] of [
    ['2026-11-02T00:00:00Z', before(first_signed_at), undefined],
    ['2026-10-31T00:00:00Z', before(first_signed_at), 'downgrade'],
    [first_signed_at, before(first_signed_at), 'downgrade'],
    ['2026-11-01T00:00:00.000Z', before(first_signed_at), 'downgrade'],
    ['2026-11-01T00:00:00.5Z', before(first_signed_at), undefined],
    ['2026-11-01T00:00:00.5Z', before('2026-11-01T00:00:00.499999999Z'), undefined],
    ['2026-11-01T00:00:00.5Z', before('2026-11-01T00:00:00.50Z'), 'downgrade'],
    ['2026-10-31T00:00:00Z', before(first_signed_at, removed), 'downgrade'],
    ['2026-10-31T00:00:00Z', before(first_signed_at, { downgrade_allowed: true }), undefined],
  ] as const)
    assert.equal(reasonOf(at(signed_at), versions), reason, `${signed_at} after ${versions[0]?.signed_at}`)
})

test('v1.0.0 and 1.0.0 are one version', () => {
  const older = packageOf({ version: 'v1.0.0', signed_at: '2026-10-31T00:00:00Z' })
  assert.equal(reasonOf(older, [served('1.0.0')]), 'downgrade')
})

test('an unsigned build may replace an unsigned one, but never a signed one', () => {
  const free = { require_signatures: false }
  const unsigned = packageOf({ signer: null })
  assert.equal(reasonOf(unsigned, [served('1.0.0', 'x', { signed_at: undefined })], free), undefined)
  assert.equal(reasonOf(unsigned, [served('1.0.0')], free), 'downgrade')
})
