// SHA256SUMS over everything that was packed, and its Ed25519 signature, for `openssl` and `sha256sum` to verify.
import { createPrivateKey, type KeyObject, sign } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { digestOf } from './bill-of-materials.ts'

const sums_name = 'SHA256SUMS'
const how_to_make = 'make one with `openssl genpkey -algorithm ed25519 -out release.key`'

/** Undefined without a path. Read before packing, which takes a minute. */
export function readReleaseKey(path: string | undefined): KeyObject | undefined {
  if (!path) return undefined
  const refuse = (why: string) => new Error(`SVC_RELEASE_KEY_FILE ${why}; ${how_to_make}.`)
  let pem: Buffer
  try {
    pem = readFileSync(path)
  } catch {
    throw refuse('names a file that cannot be read')
  }
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch {
    // The same sentence: it is no such key.
  }
  throw refuse('names a file that is not an Ed25519 private key in PEM')
}

/** Covers every file directly in `dist`: packages, bills of materials and the statement of provenance. */
export function writeSums(dist: string, key?: KeyObject): void {
  const names = readdirSync(dist, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort()
  const sums = Buffer.from(names.map((name) => `${digestOf(join(dist, name))}  ${name}\n`).join(''))
  writeFileSync(join(dist, sums_name), sums)
  if (key) writeFileSync(join(dist, `${sums_name}.sig`), sign(null, sums, key))
}
