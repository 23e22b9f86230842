// `npm run pack`: builds and packs every package as it is published, with its bill of materials, says in one statement
// what they were made of, and signs the sums of all files. Prints the results and their sizes.
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { billOf } from './bill-of-materials.ts'
import { packClient } from './bundles.ts'
import { billOfCrate, hasCargo, packCrates } from './crates.ts'
import { engine_name, packEngine } from './engine.ts'
import { findBuilder, no_builder, packImage } from './image.ts'
import type { Packed } from './package-folder.ts'
import { newestCommit, provenanceOf } from './provenance.ts'
import { root } from './root.ts'
import { packSources } from './sources.ts'
import { readReleaseKey, writeSums } from './sums.ts'
import { billOfWheel, hasPython, packWheel } from './wheel.ts'

const packers: Readonly<Record<string, (dist: string) => Promise<Packed>>> = {
  '@svc/contract': (dist) => packSources('@svc/contract', dist),
  '@svc/sdk': (dist) => packClient('@svc/sdk', dist),
  '@svc/mcp': (dist) => packClient('@svc/mcp', dist),
  '@svc/cli': (dist) => packClient('@svc/cli', dist),
  '@svc/plugin': (dist) => packSources('@svc/plugin', dist),
  [engine_name]: packEngine,
}

const unsigned = 'SHA256SUMS is not signed: SVC_RELEASE_KEY_FILE names no key.'

/** Rebuilds everything below `dist`; concurrent runs need separate folders. */
export async function pack(dist: string, names = Object.keys(packers)): Promise<Packed[]> {
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const packed: Packed[] = []
  for (const name of names) {
    const packer = packers[name]
    if (!packer) throw new Error(`There is no package ${name}; use ${Object.keys(packers).join(', ')}.`)
    const result = await packer(dist)
    writeJson(`${result.tarball}.cdx.json`, billOf(result))
    packed.push(result)
  }
  return packed
}

/** The path of its archive; undefined where it is not built, which does not stop the other packages. */
async function buildImage(dist: string, packed: readonly Packed[]): Promise<string | undefined> {
  const builder = findBuilder()
  if (!builder) {
    console.log(no_builder)
    return undefined
  }
  const engine = packed.find(({ name }) => name === engine_name)!
  try {
    const { archive, bill } = await packImage(engine, dist, builder, process.env.SVC_IMAGE_BASE)
    writeJson(`${archive}.cdx.json`, bill)
    return archive
  } catch (error) {
    console.error(`The image is not built: ${(error as Error).message.trim()}
It is built on Debian's image from its registry; where that is out of reach, name another in SVC_IMAGE_BASE.`)
    process.exitCode = 1
    return undefined
  }
}

/** False outside a git checkout. */
function writeProvenance(dist: string, files: readonly string[]): boolean {
  const commit = newestCommit()
  if (commit) writeJson(join(dist, 'provenance.json'), provenanceOf(files, commit))
  return commit !== undefined
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, `${JSON.stringify(value, null, 2)}\n`)
}

/** The size of the SDK as loaded by a browser. */
async function browserBytes(): Promise<{ minified: number; gzipped: number }> {
  const entry = join(root, 'clients/sdk-typescript/sdk.ts')
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  const { contents } = result.outputFiles[0]!
  return { minified: contents.length, gzipped: gzipSync(contents).length }
}

if (import.meta.main) {
  const dist = join(root, 'dist')
  const package_names = process.argv.slice(2)
  const release_key = readReleaseKey(process.env.SVC_RELEASE_KEY_FILE)
  const is_all = package_names.length === 0
  const print = (name: string, file: string) =>
    console.log(`${name.padEnd(13)} ${(statSync(file).size / 1024).toFixed(0).padStart(6)} KiB  ${file}`)
  const packed = await pack(dist, is_all ? undefined : package_names)
  for (const { name, tarball } of packed) print(name, tarball)
  const crates = is_all && hasCargo() ? packCrates(dist) : []
  for (const file of crates) {
    writeJson(`${file}.cdx.json`, billOfCrate(file))
    print('crate', file)
  }
  if (is_all && crates.length === 0) console.log('The crates are not packed: cargo is not installed here.')
  const wheels = is_all && hasPython() ? [packWheel(dist)] : []
  for (const file of wheels) {
    writeJson(`${file}.cdx.json`, billOfWheel(file))
    print('wheel', file)
  }
  if (is_all && wheels.length === 0)
    console.log('The wheel is not packed: there is no python3 with pip, from 3.10 on, here.')
  const image = is_all ? await buildImage(dist, packed) : undefined
  if (image) print('image', image)
  const files = [...packed.map(({ tarball }) => tarball), ...crates, ...wheels, ...(image ? [image] : [])]
  if (!writeProvenance(dist, files)) console.log('There is no provenance.json: this is not a git checkout.')
  writeSums(dist, release_key)
  console.log(release_key ? 'SHA256SUMS is signed: SHA256SUMS.sig.' : unsigned)
  const { minified, gzipped } = await browserBytes()
  console.log(`@svc/sdk in a bundle: ${minified} bytes minified, ${gzipped} gzipped`)
}
