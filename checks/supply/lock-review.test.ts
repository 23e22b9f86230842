// The packages of others in this repository are in order, and each thing that would not be is named in a sentence.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  type Lock,
  type Locked,
  reviewCargo,
  reviewLicenses,
  reviewLock,
  reviewNode,
  reviewPython,
} from './lock-review.ts'
import { node_programs } from './rules.ts'
import { review } from './supply.ts'

const root = join(import.meta.dirname, '../..')
const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
const integrity = `sha512-${'A'.repeat(86)}==`

test('the lock and the manifests of this repository are in order', () => {
  assert.deepEqual(review(), [])
})

/** Faults of our lock with these entries changed. */
function faultsWith(changes: Readonly<Record<string, Locked>>): string[] {
  const changed = Object.entries(changes).map(([place, entry]) => [place, { ...lock[place], ...entry }])
  return reviewLock({ ...lock, ...Object.fromEntries(changed) })
}

test('a package that does not come from the registry of the others is named', () => {
  const sentence =
    'evil 1.0.0 has an address of its own; take it from the registry that the others come from.'
  const addresses = [
    'git+ssh://git@github.example/evil/evil.git#0123456789',
    'https://files.example/evil-1.0.0.tgz',
    'http://registry.example/evil/-/evil-1.0.0.tgz',
    'file:evil-1.0.0.tgz',
  ]
  for (const resolved of addresses)
    assert.deepEqual(faultsWith({ 'node_modules/evil': { version: '1.0.0', integrity, resolved } }), [
      sentence,
    ])
})

test('a package without a SHA-512 hash is named', () => {
  const { version } = lock['node_modules/pg']!
  for (const weak of ['', 'sha1-2jmj7l5rSw0yVb/vlWAYkK/YBwk=', 'sha512-AAAA'])
    assert.deepEqual(faultsWith({ 'node_modules/pg': { integrity: weak } }), [
      `pg ${version} has no SHA-512 hash; install it again.`,
    ])
})

test('a link out of the repository, and a range or an address in a manifest, are named', () => {
  assert.deepEqual(faultsWith({ 'node_modules/evil': { link: true, resolved: '../evil' } }), [
    'node_modules/evil is a link to a folder that is no workspace; use a published package.',
  ])
  for (const version of ['^1.0.0', '*', 'latest', 'github:evil/evil', 'https://files.example/evil.tgz'])
    assert.deepEqual(faultsWith({ gateway: { dependencies: { evil: version } } }), [
      'gateway does not name one version of evil; write it exactly.',
    ])
  assert.deepEqual(faultsWith({ gateway: { devDependencies: { good: 'npm:@a/other@1.2.3' } } }), [])
})

test('a package that runs a program when it is installed is named, and so is a needless permission', () => {
  const entry = { version: '1.0.0', integrity, hasInstallScript: true }
  assert.deepEqual(faultsWith({ 'node_modules/evil': entry }), [
    'evil 1.0.0 runs a program when it is installed; use another, or allow it with a reason.',
  ])
  assert.deepEqual(faultsWith({ 'node_modules/esbuild': { hasInstallScript: false } }), [
    'esbuild runs nothing when it is installed; remove it from install_scripts.',
  ])
})

test('a second version of a package that security rests on is named, unless only tools have it', () => {
  const { version } = lock['node_modules/jose']!
  const place = 'node_modules/openid-client/node_modules/jose'
  assert.deepEqual(faultsWith({ [place]: { version: '0.1.0', integrity } }), [
    `jose is there as 0.1.0 and ${version}; keep one.`,
  ])
  assert.deepEqual(faultsWith({ [place]: { version: '0.1.0', integrity, dev: true } }), [])
  assert.deepEqual(faultsWith({ [place]: { version: version!, integrity } }), [])
  assert.deepEqual(faultsWith({ 'node_modules/jose': { dev: true } }), [
    'jose is not installed; remove it from one_version.',
  ])
})

test('a license that is not allowed is named; tools may have more', () => {
  const faults = (license: string | undefined, is_published: boolean) => {
    const one = [{ label: 'x 1.0.0', license }]
    return reviewLicenses(one, is_published ? one : [])
  }
  const refused = (license: string) => [
    `x 1.0.0 has the license ${license}, which is not allowed; use another package.`,
  ]
  for (const license of ['MIT', '(MIT OR GPL-3.0-or-later)', 'MIT AND ISC', 'Apache-2.0 WITH LLVM-exception'])
    assert.deepEqual([faults(license, true), faults(license, false)], [[], []])
  for (const license of ['GPL-3.0-only', 'MIT AND GPL-3.0-only', 'SEE LICENSE IN LICENSE', 'UNLICENSED'])
    assert.deepEqual([faults(license, true), faults(license, false)], [refused(license), refused(license)])
  assert.deepEqual([faults('MPL-2.0', true), faults('MPL-2.0', false)], [refused('MPL-2.0'), []])
  assert.deepEqual(faults(undefined, false), ['x 1.0.0 names no license; use another package.'])
})

test('a Node other than the one whose hash is listed is named', () => {
  const [label = '', listed = ''] = Object.entries(node_programs)[0]!
  const [name, version = ''] = label.split(' ')
  const installed = (entry: Locked) => ({
    [`node_modules/${name}`]: { version, integrity: listed, ...entry },
  })
  assert.deepEqual(reviewNode(installed({}), version), [])
  const sentence = `The Node that is installed, ${label}, is not the one of node_programs; compare their hashes.`
  assert.deepEqual(reviewNode(installed({ integrity }), version), [sentence])
  assert.deepEqual(reviewNode(installed({}), '99.0.0'), [sentence])
  assert.deepEqual(reviewNode({}, version), [
    'npm left no note of the Node that it has fetched; remove node_modules and install again.',
  ])
})

test('a crate that is not one published version is named', () => {
  const sentence = 'Cargo.toml does not name one published version of evil; write it as "=1.2.3".'
  const git = { git: 'https://git.example/evil', version: '=1.0.0' }
  for (const evil of ['1.0.0', '*', git, { version: '1' }, { version: '=1.0.0', registry: 'other' }, {}]) {
    assert.deepEqual(reviewCargo('Cargo.toml', { dependencies: { evil } }), [sentence])
    const target = { 'cfg(unix)': { 'build-dependencies': { evil } } }
    assert.deepEqual(reviewCargo('Cargo.toml', { target }), [sentence])
    assert.deepEqual(reviewCargo('Cargo.toml', { workspace: { dependencies: { evil } } }), [sentence])
  }
  const good = { a: '=1.0.0', b: { version: '=1.0.0' }, c: { path: '../c' }, d: { workspace: true } }
  assert.deepEqual(reviewCargo('Cargo.toml', { package: { name: 'x' }, 'dev-dependencies': good }), [])
  assert.deepEqual(reviewCargo('Cargo.toml', { patch: { 'crates-io': {} } }), [
    'Cargo.toml replaces crates ([patch]); use published ones.',
  ])
})

test('a Python package from an address, or built with any version, is named', () => {
  const faults = (requires: string, dependency: string) =>
    reviewPython('pyproject.toml', {
      'build-system': { requires: [requires] },
      project: { dependencies: ['httpx>=0.27,<1'], 'optional-dependencies': { more: [dependency] } },
    })
  assert.deepEqual(faults('hatchling==1.33.0', 'pydantic>=2'), [])
  assert.deepEqual(faults('hatchling>=1.27', 'pydantic>=2'), [
    'pyproject.toml does not name one version of hatchling>=1.27 to build with; write it as name==1.2.3.',
  ])
  for (const dependency of ['evil @ git+https://git.example/evil', 'evil@https://files.example/evil.whl'])
    assert.deepEqual(faults('hatchling==1.33.0', dependency), [
      'pyproject.toml takes evil from an address; use a published version.',
    ])
})
