// Common steps of packing: manifest, license, declarations, and the npm tarball.
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { licenseTexts, type Part } from './bill-of-materials.ts'
import { root } from './root.ts'

/** Long enough to build the console on a busy machine. */
const command_ms_max = 300_000
const output_bytes_max = 16 * 1024 * 1024

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
}

/** A packed package: its tarball and source folder. */
export interface Packed {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly tarball: string
  readonly folder: string
  /** Packages of others in it, and those it needs. */
  readonly parts: readonly Part[]
}

export function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
}

/** Writes manifest, license and README. `source` is the folder of the README. */
export function writeManifest(
  out: string,
  source: string,
  { name, version, description, license }: Manifest,
  more: Readonly<Record<string, unknown>>,
): void {
  const written = { name, version, description, license, type: 'module', ...more }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(written, null, 2)}\n`)
  cpSync(join(root, 'LICENSE'), join(out, 'LICENSE'))
  const readme = join(root, source, 'README.md')
  if (existsSync(readme)) cpSync(readme, join(out, 'README.md'))
}

/** Declarations of `files`, with their folders below `base`. */
export function writeTypes(files: readonly string[], base: string, out: string): void {
  const flags = '--declaration --emitDeclarationOnly --noEmit false --rewriteRelativeImportExtensions'
  const places = ['--rootDir', base, '--outDir', out]
  const settings = '--target esnext --module nodenext --lib esnext --types node --strict --skipLibCheck'
  const more = '--allowImportingTsExtensions --verbatimModuleSyntax --resolveJsonModule --ignoreConfig'
  const args = [...flags.split(' '), ...settings.split(' '), ...more.split(' '), ...places, ...files]
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args])
}

/** `parts` are the packages of others that it contains or needs. */
export function packFolder(folder: string, dist: string, parts: readonly Part[]): Packed {
  if (parts.length > 0) writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), licenseTexts(parts))
  setModes(folder)
  // npm compresses with the zlib of the Node it runs on: ours.
  const PATH = [dirname(process.execPath), process.env.PATH].join(delimiter)
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', dist, folder], { PATH })
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const tarball = join(dist, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  return { name, version, license, tarball, folder, parts }
}

/** Those of files in a checkout and of new ones depend on the umask. npm makes programs executable when it installs them. */
function setModes(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) chmodSync(join(entry.parentPath, entry.name), 0o644)
}

/** Its stdout. */
export function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): string {
  const done = spawnSync(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    encoding: 'utf8',
    timeout: command_ms_max,
    maxBuffer: output_bytes_max,
  })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${done.stdout}${done.stderr}`)
  return done.stdout
}
