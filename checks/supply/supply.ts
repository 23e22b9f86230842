// `npm run supply`: reviews the packages of others in this repository, and looks for advisories about them.
// Exits with 1 if there is something to do, and with 2 if not every version could be looked up.
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'smol-toml'
import { licenseOf, partsOf } from '../../clients/packing/bill-of-materials.ts'
import { cratesInUse, hasCargo } from '../../clients/packing/crates.ts'
import { partsOfEngine } from '../../clients/packing/engine.ts'
import { type Advisories, lookUp, type Version } from './advisories.ts'
import {
  type Lock,
  packagesOf,
  reviewCargo,
  reviewLicenses,
  reviewLock,
  reviewNode,
  reviewPython,
} from './lock-review.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const readLock = (path: string): Lock => JSON.parse(read(path)).packages
const node_note = 'node_modules/node/node_modules/.package-lock.json'
const python_manifest = 'clients/sdk-python/pyproject.toml'
/** A plugin's author may change the manifest of a template. */
const no_manifest = /(^|\/)(node_modules|target|template|dist)(\/|$)/
/** Beside the engine: folders of ours that become packages, and what the image has in addition. */
const published = [
  'contract',
  'clients/cli',
  'clients/mcp',
  'clients/sdk-typescript',
  'clients/plugin-typescript',
  'node_modules/node',
  'node_modules/@bytecodealliance/jco-transpile',
]

/** In sentences; empty if there is nothing to object to. */
export function review(): string[] {
  const lock = readLock('package-lock.json')
  const all = packagesOf(lock)
  const labelled = all.map(({ label, name, version, license }) => ({
    label,
    license: licenseOf(name, version, license),
  }))
  const parts = [...partsOf(published), ...partsOfEngine()]
  const crates = globSync('**/Cargo.toml', { cwd: root, exclude: (path) => no_manifest.test(path) })
  return [
    ...reviewLock(lock),
    ...reviewNode(
      existsSync(join(root, node_note)) ? readLock(node_note) : {},
      lock['node_modules/node']!.version!,
    ),
    ...reviewLicenses(
      labelled,
      parts.map(({ name, version, license }) => ({ label: `${name} ${version}`, license })),
    ),
    ...crates.flatMap((path) => reviewCargo(path, parse(read(path)))),
    ...reviewPython(python_manifest, parse(read(python_manifest)) as never),
  ]
}

/** 1 if there is something to do, 2 if not everything was looked up, else 0. */
export function resultOf(faults: readonly string[], advisories: Advisories, are_crates_known = true) {
  const lines = faults.length > 0 ? [...faults] : ['The lock and the manifests are in order.']
  if (!are_crates_known) lines.push('Rust crates were not looked up: cargo is missing here, or its registry.')
  if ('not_looked_up' in advisories) {
    lines.push(`Advisories were not looked up: ${advisories.not_looked_up}. Try again from another network.`)
    return { lines, exit_code: faults.length > 0 ? 1 : 2 }
  }
  const { affected, count } = advisories
  lines.push(
    ...(affected.length > 0 ? affected : [`No advisory is known for ${count} packages in their versions.`]),
  )
  if (faults.length + affected.length > 0) return { lines, exit_code: 1 }
  return { lines, exit_code: are_crates_known ? 0 : 2 }
}

function npmVersions(): Version[] {
  const packages = packagesOf(readLock('package-lock.json'))
  const versions = packages.map(
    ({ label, name, version }) => [label, { ecosystem: 'npm', name, version }] as const,
  )
  // A package may be at several places.
  return [...new Map(versions).values()]
}

/** Undefined where cargo cannot say. */
function crateVersions(): Version[] | undefined {
  if (!hasCargo()) return undefined
  try {
    return cratesInUse().map(({ name, version }) => ({ ecosystem: 'crates.io', name, version }))
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const crates = crateVersions()
  const advisories = await lookUp([...npmVersions(), ...(crates ?? [])])
  const { lines, exit_code } = resultOf(review(), advisories, crates !== undefined)
  for (const line of lines) console.log(line)
  process.exitCode = exit_code
}
