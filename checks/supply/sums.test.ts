// What is packed is verified by the two commands of docs/packages.md, and refused with a sentence once anything differs.
import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readReleaseKey, writeSums } from '../../clients/packing/sums.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/packages.md'), 'utf8')
const section = page.slice(page.indexOf('\n## Signatures\n'))
const [how_to_make = '', how_to_verify = ''] = [...section.matchAll(/\n```sh[^\n]*\n(.*?)```/gs)].map(
  ([, commands = '']) => commands,
)
const make_key = how_to_make.replace(/^SVC_RELEASE_KEY_FILE.*\n/m, '')
const names = ['svc-engine-1.0.0.tgz', 'svc-engine-1.0.0.tgz.cdx.json', 'provenance.json']
const sums = 'SHA256SUMS'

/** A folder with signed files and the public key. */
function signedFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sums-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  for (const name of names) writeFileSync(join(folder, name), `The content of ${name}.\n`)
  // What is packed lies unpacked beside it.
  mkdirSync(join(folder, 'engine'))
  const keys = mkdtempSync(join(tmpdir(), 'svc-keys-'))
  t.after(() => rmSync(keys, { recursive: true, force: true }))
  execFileSync('sh', ['-c', make_key], { cwd: keys, stdio: 'pipe' })
  writeSums(folder, readReleaseKey(join(keys, 'release.key')))
  copyFileSync(join(keys, 'release.pub'), join(folder, 'release.pub'))
  return folder
}

function verify(folder: string) {
  const env = { PATH: process.env.PATH, LC_ALL: 'C' }
  const { status, stdout, stderr } = spawnSync('sh', ['-c', how_to_verify], {
    cwd: folder,
    encoding: 'utf8',
    env,
  })
  return { status, output: `${stdout}${stderr}` }
}

function assertRefused(folder: string, sentence: RegExp): void {
  const { status, output } = verify(folder)
  assert.equal(status, 1, output)
  assert.match(output, sentence)
}

test('signed files are verified, each by its name', (t) => {
  const { status, output } = verify(signedFolder(t))
  assert.equal(status, 0, output)
  assert.deepEqual(output.trim().split('\n'), [
    'Signature Verified Successfully',
    ...[...names].sort().map((name) => `${name}: OK`),
  ])
})

test('a changed byte in any file is refused', (t) => {
  for (const name of names) {
    const folder = signedFolder(t)
    const bytes = readFileSync(join(folder, name))
    bytes[bytes.length >> 1]! ^= 1
    writeFileSync(join(folder, name), bytes)
    assertRefused(folder, new RegExp(`^${name}: FAILED$`, 'm'))
  }
})

test('a missing file is refused', (t) => {
  for (const name of names) {
    const folder = signedFolder(t)
    rmSync(join(folder, name))
    assertRefused(folder, new RegExp(`^${name}: FAILED open or read$`, 'm'))
  }
})

test('sums that were changed after they were signed are refused', (t) => {
  const changes: ((text: string) => string)[] = [
    (text) => `${text}${'0'.repeat(64)}  another.tgz\n`,
    (text) => `${text}\n`,
    (text) => text.split('\n').slice(1).join('\n'),
    (text) => text.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
  ]
  for (const change of changes) {
    const folder = signedFolder(t)
    const path = join(folder, sums)
    writeFileSync(path, change(readFileSync(path, 'utf8')))
    assertRefused(folder, /^Signature Verification Failure$/m)
  }
})

test('a signature by another key, a changed one and none are refused', (t) => {
  const [folder, other] = [signedFolder(t), signedFolder(t)]
  assert.deepEqual(readFileSync(join(folder, sums)), readFileSync(join(other, sums)))
  const signature = join(folder, `${sums}.sig`)
  copyFileSync(join(other, `${sums}.sig`), signature)
  assertRefused(folder, /^Signature Verification Failure$/m)
  appendFileSync(signature, 'x')
  assertRefused(folder, /^Signature Verification Failure$|error/im)
  rmSync(signature)
  assertRefused(folder, /Can't open signature file|Could not open|No such file/i)
})

test('without a key nothing is signed, and a wrong one is refused before anything is packed', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-sums-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  assert.equal(readReleaseKey(undefined), undefined)
  writeSums(folder)
  assert.throws(() => readFileSync(join(folder, `${sums}.sig`)), /ENOENT/)
  const advice = 'make one with `openssl genpkey -algorithm ed25519 -out release.key`.'
  const message = (why: string) => ({ message: `SVC_RELEASE_KEY_FILE ${why}; ${advice}` })
  const path = join(folder, 'release.key')
  assert.throws(() => readReleaseKey(path), message('names a file that cannot be read'))
  execFileSync('openssl', ['genpkey', '-algorithm', 'x25519', '-out', path], { stdio: 'pipe' })
  const is_other = message('names a file that is not an Ed25519 private key in PEM')
  assert.throws(() => readReleaseKey(path), is_other)
  writeFileSync(path, 'no key')
  assert.throws(() => readReleaseKey(path), is_other)
})
