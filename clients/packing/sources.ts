// Packages in which every file may be imported: the contract and the plugin kit. Compiled file by file, with declarations.
import { cpSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { partsOf } from './bill-of-materials.ts'
import { compile } from './compile.ts'
import { type Packed, packFolder, readManifest, writeManifest, writeTypes } from './package-folder.ts'
import { root } from './root.ts'

interface SourcePackage {
  readonly folder: string
  readonly exports: Readonly<Record<string, unknown>>
  /** Files copied unchanged. */
  readonly assets: readonly string[]
}

const every_file = { types: './*.d.ts', default: './*.js' }

const packages: Readonly<Record<string, SourcePackage>> = {
  '@svc/contract': {
    folder: 'contract',
    exports: { './wit/*': './wit/*', './*': every_file },
    assets: ['wit'],
  },
  '@svc/plugin': {
    folder: 'clients/plugin-typescript',
    exports: { '.': { types: './plugin.d.ts', default: './plugin.js' }, './*': every_file },
    assets: ['wit', 'template'],
  },
}

export async function packSources(name: string, dist: string): Promise<Packed> {
  const out = join(dist, name.replace('@svc/', ''))
  await writeSourcePackage(name, out)
  return packFolder(out, dist, partsOf([packages[name]!.folder]))
}

/** Only the folder, as packed and as bundled in the engine. */
export async function writeSourcePackage(name: string, out: string): Promise<void> {
  const source_package = packages[name]
  if (!source_package)
    throw new Error(`${name} is not packed file by file; ${Object.keys(packages).join(', ')} are`)
  const { folder, exports, assets } = source_package
  const source = readManifest(folder)
  const isOurs = (path: string) => !/\.(test|fuzz)\.ts$|(^|\/)(template|node_modules)\//.test(path)
  const files = globSync('**/*.ts', { cwd: join(root, folder) }).filter(isOurs)
  const entries = files.map((file) => join(folder, file)).sort()
  mkdirSync(out, { recursive: true })
  await compile(entries, folder, out)
  writeTypes(entries, folder, out)
  for (const asset of assets) cpSync(join(root, folder, asset), join(out, asset), { recursive: true })
  const { dependencies = {}, devDependencies } = source
  writeManifest(out, folder, source, {
    engines: { node: '>=22.12' },
    exports,
    dependencies,
    ...optionalPeers(devDependencies),
  })
}

/** Development dependencies become optional ones: only building plugins needs them. */
export function optionalPeers(peerDependencies: Readonly<Record<string, string>> = {}) {
  const meta = Object.keys(peerDependencies).map((name) => [name, { optional: true }])
  return meta.length > 0 ? { peerDependencies, peerDependenciesMeta: Object.fromEntries(meta) } : {}
}
