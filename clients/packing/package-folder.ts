// Common steps of packing: manifest, license, declarations, and the npm tarball.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')

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
  readonly tarball: string
  readonly folder: string
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

export function packFolder(folder: string, dist: string): Packed {
  run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', dist, folder])
  const { name, version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const tarball = join(dist, `${name.replace('@', '').replace('/', '-')}-${version}.tgz`)
  return { name, tarball, folder }
}

export function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, {
    cwd: root,
    encoding: 'utf8',
    timeout: command_ms_max,
    maxBuffer: output_bytes_max,
  })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${done.stdout}${done.stderr}`)
}
