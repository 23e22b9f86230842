// A tarball depends on the content of its files, not on their modes and times, nor on where they lie.
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { digestOf } from '../../clients/packing/bill-of-materials.ts'
import { packFolder } from '../../clients/packing/package-folder.ts'

/** Digest of the tarball of a package whose files have this mode, time and content. */
function digestWith(t: TestContext, mode: number, time: number, content: string): string {
  const dist = mkdtempSync(join(tmpdir(), `svc-tarball-${mode}-`))
  t.after(() => rmSync(dist, { recursive: true, force: true }))
  const folder = join(dist, 'package')
  mkdirSync(join(folder, 'deep'), { recursive: true })
  const manifest = JSON.stringify({ name: '@svc/x', version: '1.0.0', license: 'MIT', bin: 'deep/x.js' })
  for (const [name, text] of [
    ['package.json', manifest],
    ['deep/x.js', content],
  ] as const) {
    const path = join(folder, name)
    writeFileSync(path, text)
    chmodSync(path, mode)
    utimesSync(path, time, time)
  }
  return digestOf(packFolder(folder, dist, []).tarball)
}

test('a tarball is the same whatever the modes and times of its files are', (t) => {
  const digest = digestWith(t, 0o644, 1_000_000_000, 'one')
  assert.equal(digestWith(t, 0o600, 0, 'one'), digest)
  assert.equal(digestWith(t, 0o775, 1_700_000_000, 'one'), digest)
  assert.notEqual(digestWith(t, 0o644, 1_000_000_000, 'two'), digest)
})
