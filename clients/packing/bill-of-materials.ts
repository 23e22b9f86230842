// Which packages of others are in a package, or are installed with it: a CycloneDX document, made from package-lock.json.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './root.ts'

interface Locked {
  readonly version: string
  readonly license?: string
  readonly integrity?: string
  readonly link?: boolean
  /** Where a link leads. */
  readonly resolved?: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
type Lock = Readonly<Record<string, Locked>>

/** A package of others: its place in the lock, and what it needs itself. */
export interface Part {
  readonly place: string
  readonly name: string
  readonly version: string
  readonly license: string
  readonly integrity: string | undefined
  readonly needs: readonly string[]
}

/** All that these folders of ours need, directly and indirectly, in the order of their names. */
export function partsOf(folders: readonly string[]): Part[] {
  const lock = (JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as { packages: Lock })
    .packages
  const places = new Set<string>()
  const follow = (place: string) => {
    if (places.has(place)) return
    places.add(place)
    for (const need of needsOf(lock, place)) follow(need)
  }
  for (const folder of folders) follow(folder)
  return [...places]
    .filter((place) => place.includes('node_modules/'))
    .map((place) => partAt(lock, place))
    .sort((a, b) => (a.place < b.place ? -1 : 1))
}

/** Named by the LICENSE file or the README only, not by the manifest. */
const licenses_by_file: Readonly<Record<string, string>> = {
  'png-js 2.0.0': 'MIT',
  '@bytecodealliance/componentize-js 0.19.3': 'Apache-2.0 WITH LLVM-exception',
  '@bytecodealliance/componentize-js 0.22.0': 'Apache-2.0 WITH LLVM-exception',
  '@bytecodealliance/componentize-js 0.23.0': 'Apache-2.0 WITH LLVM-exception',
  '@modelcontextprotocol/server-everything 2026.8.31': 'MIT',
  '@modelcontextprotocol/server-filesystem 2026.8.31': 'MIT',
}

export const licenseOf = (name: string, version: string, named?: string): string | undefined =>
  licenses_by_file[`${name} ${version}`] ?? named

function partAt(lock: Lock, place: string): Part {
  const { version, integrity, ...entry } = lock[place]!
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)
  const license = licenseOf(name, version, entry.license)
  if (license === undefined) throw new Error(`${name} ${version} names no license; use another package`)
  return { place, name, version, license, integrity, needs: needsOf(lock, place) }
}

/** Their places. Those of other platforms are in the lock as well. */
function needsOf(lock: Lock, place: string): string[] {
  const { dependencies = {}, optionalDependencies = {} } = lock[place]!
  return Object.keys({ ...dependencies, ...optionalDependencies }).flatMap((name) => {
    const need = placeOf(lock, name, place)
    return need === undefined ? [] : [need]
  })
}

/** As Node finds it: the nearest node_modules on the way up. */
function placeOf(lock: Lock, name: string, from: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const place = join(folder, 'node_modules', name)
    const locked = lock[place]
    if (locked) return locked.link ? locked.resolved : place
    if (folder === '') return undefined
  }
}

export interface Described {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly tarball: string
  readonly parts: readonly Part[]
}

/** Of an npm package. */
export function billOf({ name, version, license, tarball, parts }: Described) {
  const own = purl(name, version)
  const refs = new Map(parts.map((part) => [part.place, purl(part.name, part.version)]))
  // The same version at two places is one component.
  const unique = [...new Map(parts.map((part) => [refs.get(part.place)!, part]))]
  const components = unique.map(([ref, part]) => ({
    type: 'library',
    'bom-ref': ref,
    name: part.name,
    version: part.version,
    purl: ref,
    licenses: [licenseChoice(part.license)],
    ...(part.integrity && { hashes: [hashOf(part.integrity)] }),
  }))
  const needs = unique.map(([ref, part]) => ({
    ref,
    dependsOn: [...new Set(part.needs.flatMap((need) => refs.get(need) ?? []))],
  }))
  return documentOf({ name, version, license, purl: own, file: tarball }, components, needs)
}

interface Subject {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly purl: string
  readonly file: string
}

/** CycloneDX 1.6, without the time, so that the same sources give the same document. */
export function documentOf<Component extends { readonly 'bom-ref': string }>(
  { name, version, license, purl, file }: Subject,
  components: readonly Component[],
  needs: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[],
) {
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': purl,
        name,
        version,
        purl,
        licenses: [licenseChoice(license)],
        hashes: [{ alg: 'SHA-256', content: digestOf(file) }],
      },
    },
    components,
    dependencies: [{ ref: purl, dependsOn: components.map((each) => each['bom-ref']) }, ...needs],
  }
}

/** The texts of their licences, as installed here; packages of other platforms have the same as this one's. */
export function licenseTexts(parts: readonly Part[]): string {
  const texts = parts.flatMap(({ place, name, version, license }) => {
    const [file] = globSync('{LICENSE,LICENCE,license,licence,COPYING}*', { cwd: join(root, place) }).sort()
    if (file === undefined && !existsSync(join(root, place))) return []
    const text =
      file === undefined ? 'It has no text of its own.' : readFileSync(join(root, place, file), 'utf8')
    return [`${name} ${version} (${license})\n\n${text.trim()}\n`]
  })
  return texts.join(`\n${'-'.repeat(80)}\n\n`)
}

export function digestOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

function purl(name: string, version: string): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

function hashOf(integrity: string) {
  const [algorithm = '', content = ''] = integrity.split('-')
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(content, 'base64').toString('hex') }
}

export function licenseChoice(license: string) {
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } }
}
