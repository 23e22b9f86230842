// Packs svc-engine: all code in this repository's folders, with the files it reads.
import { cpSync, globSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { type Part, partsOf } from './bill-of-materials.ts'
import { type Compiled, compile } from './compile.ts'
import { type Manifest, type Packed, packFolder, readManifest, run, writeManifest } from './package-folder.ts'
import { root } from './root.ts'
import { optionalPeers, writeSourcePackage } from './sources.ts'

export const engine_name = 'svc-engine'
const node_needed = '>=24.12'
const kit = 'clients/plugin-typescript'
const console_folder = 'clients/console'
const docs_site = 'gateway/docs/site'

/** Files read by a path built at run time, which no import names. */
const read_at_run_time = [
  'adapters/embeddings/table/{README.md,vectors.bin,vocabulary.txt}',
  'gateway/**/*.{html,css,js,svg}',
  // The pages below /docs.
  '*.md',
  'docs/**/*.{md,svg}',
  'clients/*/README.md',
]

export async function packEngine(dist: string): Promise<Packed> {
  const out = join(dist, 'engine')
  await writeSourcePackage('@svc/plugin', join(out, kit))
  const compiled = await compile(['service/main.ts'], '.', out)
  copyAssets(compiled, out)
  copyConsole(out)
  buildDocs(out)
  const workspaces = workspacesOf(compiled)
  for (const folder of workspaces) if (folder !== kit) writePlaceManifest(folder, out)
  writeManifest(out, '.', describe(), {
    engines: { node: node_needed },
    bin: { [engine_name]: './service/main.js' },
    ...dependenciesOf(workspaces.map(readManifest), compiled),
  })
  return packFolder(out, dist, partsOfEngine())
}

function describe(): Manifest {
  return { ...readManifest('.'), name: engine_name }
}

function copyAssets({ assets }: Compiled, out: string): void {
  const listed = read_at_run_time.flatMap((pattern) => globSync(pattern, { cwd: root }))
  for (const path of new Set([...assets, ...listed])) {
    if (path.endsWith('/package.json') || path.includes('node_modules/')) continue
    if (path.startsWith(`${docs_site}/`)) continue
    mkdirSync(dirname(join(out, path)), { recursive: true })
    cpSync(join(root, path), join(out, path))
  }
}

/** Of the present sources: setup.mjs builds it again if one has changed. */
function copyConsole(out: string): void {
  const built = join(root, console_folder, 'dist')
  run(process.execPath, [join(root, 'setup.mjs'), '--console'])
  const isPage = (path: string) => !basename(path).startsWith('.')
  cpSync(built, join(out, console_folder, 'dist'), { recursive: true, filter: isPage })
}

/** Packages that it needs, and those in its console and pages. */
export const partsOfEngine = (): Part[] => [...partsOf(['service']), ...builtInParts()]

/** In the built files of console and pages, and not needed besides. */
export function builtInParts(): Part[] {
  const needed = new Set(partsOf(['service']).map(({ place }) => place))
  const libraries = ['node_modules/@scalar/api-reference', 'node_modules/minisearch']
  const frames = 'node_modules/@astrojs/starlight'
  return [
    ...partsOf([...partsOfConsole(), ...libraries]).filter(({ place }) => !needed.has(place)),
    // What it needs itself builds the pages and is not in them.
    ...partsOf([frames]).filter(({ place }) => place === frames),
  ]
}

/** Its packages are for development, since they are in the built files: all but the builder and types. */
function partsOfConsole(): string[] {
  const names = Object.keys(readManifest(console_folder).devDependencies ?? {})
  return names.filter((name) => !/^(vite$|@types\/)/.test(name)).map((name) => `node_modules/${name}`)
}

/** In another process: the site's generator changes the one it runs in. */
function buildDocs(out: string): void {
  run(process.execPath, [join(root, docs_site, 'build.ts'), join(out, docs_site, 'dist')])
}

function workspacesOf({ sources }: Compiled): string[] {
  const { workspaces } = readManifest('.') as Manifest & { workspaces: readonly string[] }
  return workspaces.filter((folder) => [...sources].some((path) => path.startsWith(`${folder}/`)))
}

/** Holds the version, and marks the folder as ES modules for a sandbox that cannot read above it. */
function writePlaceManifest(folder: string, out: string): void {
  const { name, version, license } = readManifest(folder)
  const text = JSON.stringify({ name, version, private: true, license, type: 'module' }, null, 2)
  writeFileSync(join(out, folder, 'package.json'), `${text}\n`)
}

/** The npm dependencies of the workspaces, with exact versions; the optional ones are needed only to build and run plugins. */
function dependenciesOf(manifests: readonly Manifest[], { packages }: Compiled) {
  const dependencies: Record<string, string> = {}
  const optional: Record<string, string> = {}
  for (const manifest of manifests) {
    merge(dependencies, manifest.dependencies ?? {})
    merge(optional, manifest.devDependencies ?? {})
  }
  const missing = [...packages].filter((name) => !(name in dependencies) && !(name in optional))
  if (missing.length > 0)
    throw new Error(`${missing.join(', ')} are imported, but no workspace lists them as dependencies`)
  return { dependencies: sorted(dependencies), ...optionalPeers(sorted(optional)) }
}

function merge(into: Record<string, string>, more: Readonly<Record<string, string>>): void {
  for (const [name, version] of Object.entries(more)) {
    if (name.startsWith('@svc/')) continue
    if (!/^\d/.test(version)) throw new Error(`${name} is required as ${version}; use an exact version`)
    if (into[name] && into[name] !== version)
      throw new Error(`${name} is required as ${into[name]} and as ${version}; use one version`)
    into[name] = version
  }
}

function sorted(record: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
}
