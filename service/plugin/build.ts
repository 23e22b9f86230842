// svc-engine plugin build: turns the author's source into the folder that is signed and installed.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs' // biome-ignore format: one import
import { dirname, join, resolve } from 'node:path'
import { readPluginFolder } from '@svc/adapters/plugins/plugin-folder'
import type { PluginManifest } from '@svc/contract/foreign/plugin-manifest'
import { manifest_file, operations_file } from '@svc/contract/foreign/plugin-signature'
import type { Command } from '../admin/command.ts'
import { ConfigError } from '../settings/config-error.ts'
import { distFolder, inOneSentence, readManifest } from './source-folder.ts'

interface Source {
  readonly operations: string | undefined
  compile(): Promise<Uint8Array> | Uint8Array
}

type Step = (what: string) => void

export const building: Command = {
  usage: 'build [folder]',
  summary: 'builds the component and writes it below dist, with manifest and operations.json',
  takes: [],
  async runAlone({ names, values, terminal }) {
    const folder = resolve(names[0] ?? '.')
    const manifest = readManifest(folder)
    refuseOtherPath(manifest)
    const step: Step = (what) => {
      if (!values.json) void terminal.write(`${what}\n`)
    }
    const source = existsSync(join(folder, 'Cargo.toml'))
      ? readRust(folder, step)
      : await readTypescript(folder, manifest, step)
    const dist = distFolder(folder, manifest)
    const bytes = await write(folder, manifest, source, dist)
    const { name, version } = manifest.plugin
    return {
      rows: [{ plugin: name, version, bytes, folder: dist }],
      note: 'Next: svc-engine plugin test, sign and install that folder.',
    }
  },
}

function refuseOtherPath({ plugin }: PluginManifest): void {
  const { path } = plugin.binary
  if (path === manifest_file || path === operations_file)
    throw new ConfigError(`plugin.binary.path is ${path}; it must be plugin.wasm.`)
}

async function readTypescript(folder: string, manifest: PluginManifest, step: Step): Promise<Source> {
  const source = join(folder, 'plugin.ts')
  if (!existsSync(source))
    throw new ConfigError(`There is neither a plugin.ts nor a Cargo.toml in ${folder}.`)
  const { readPlugin, buildComponent } = await import('@svc/plugin/build')
  step('reading plugin.ts')
  const { names, operations_json } = await readPlugin(source).catch(notBuilt)
  const declared = manifest.plugin.operations.operations
  if (names.toSorted().join() !== declared.toSorted().join())
    throw new ConfigError(
      `plugin.ts serves ${names.join(', ')}, but ${manifest_file} lists ${declared.join(', ')}; they must be the same.`,
    )
  return {
    operations: operations_json,
    compile() {
      step('building the component, which takes some seconds')
      return buildComponent(source, wasiOf(manifest)).catch(notBuilt)
    },
  }
}

function notBuilt(error: Error & { code?: string }): never {
  if (error.code === 'ERR_MODULE_NOT_FOUND' && /componentize-js|esbuild/.test(error.message))
    throw new ConfigError(`Building needs packages that running does not: npm install ${buildersWanted()}`)
  throw new ConfigError(`plugin.ts could not be built: ${error.message}`)
}

/** The versions the kit was tested with: peer dependencies of an installed kit, development dependencies in the repository. */
function buildersWanted(): string {
  const manifest = new URL('../../clients/plugin-typescript/package.json', import.meta.url)
  const { peerDependencies, devDependencies } = JSON.parse(readFileSync(manifest, 'utf8'))
  return Object.entries(peerDependencies ?? devDependencies)
    .map(([name, version]) => `${name}@${version}`)
    .join(' ')
}

export function wasiOf({ plugin: { integrations = {} } }: PluginManifest): ('clocks' | 'random')[] {
  const wasi_imports = Object.values(integrations).filter(({ kind }) => kind === 'wasi')
  return (['clocks', 'random'] as const).filter((name) =>
    wasi_imports.some(({ endpoint }) => endpoint === name),
  )
}

const cargo_target = 'wasm32-wasip2'
const cargo_bytes_max = 64 * 1024 * 1024

function readRust(folder: string, step: Step): Source {
  const file = join(folder, operations_file)
  const operations = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  return { operations, compile: () => compileRust(folder, step) }
}

function compileRust(folder: string, step: Step): Uint8Array {
  requireTarget(folder)
  step(`cargo build --release --target ${cargo_target}`)
  const args = ['build', '--release', '--target', cargo_target, '--message-format=json-render-diagnostics']
  const done = spawnSync('cargo', args, { cwd: folder, encoding: 'utf8', maxBuffer: cargo_bytes_max })
  if (done.error) throw new ConfigError('cargo is not on the PATH; install Rust from rustup.rs.')
  if (done.status !== 0) throw new ConfigError(cargoAdvice(done.stderr))
  const component = done.stdout
    .split('\n')
    .filter((line) => line.includes('"compiler-artifact"'))
    .flatMap((line): string[] => JSON.parse(line).filenames)
    .findLast((name) => name.endsWith('.wasm'))
  if (!component) throw new ConfigError('cargo produced no .wasm file; the crate type must be cdylib.')
  return readFileSync(component)
}

const no_target = `Rust has no ${cargo_target} here; add it with: rustup target add ${cargo_target} (docs/plugins-rust.md describes another way).`

/** The compiler that cargo would use. */
const print_libdir = `"\${RUSTC:-rustc}" --print target-libdir --target ${cargo_target}`

/** Said before minutes are spent on what does not need the target. Who configures cargo may have it build the library too. */
function requireTarget(folder: string): void {
  if (existsSync(join(folder, '.cargo'))) return
  const { status, stdout } = spawnSync('sh', ['-c', print_libdir], { cwd: folder, encoding: 'utf8' })
  if (status === 0 && !existsSync(stdout.trim())) throw new ConfigError(no_target)
}

function cargoAdvice(output: string): string {
  if (/target may not be installed|can't find crate for `(core|std)`/.test(output)) return no_target
  return `cargo could not build it:\n${output.trim().split('\n').slice(-20).join('\n')}`
}

/** Atomic: writes to a temporary folder, validates it as an engine does before the slow steps, then moves it into place. */
async function write(
  folder: string,
  manifest: PluginManifest,
  { operations, compile }: Source,
  dist: string,
): Promise<number> {
  const making = join(dirname(dist), `.tmp-${process.pid}`)
  const binary = join(making, manifest.plugin.binary.path)
  try {
    rmSync(making, { recursive: true, force: true })
    mkdirSync(dirname(binary), { recursive: true })
    cpSync(join(folder, manifest_file), join(making, manifest_file))
    if (operations !== undefined) writeFileSync(join(making, operations_file), operations)
    writeFileSync(binary, '')
    await judge(folder, making)
    const component = await compile()
    writeFileSync(binary, component)
    await judge(folder, making)
    rmSync(dist, { recursive: true, force: true })
    renameSync(making, dist)
    return component.length
  } finally {
    rmSync(making, { recursive: true, force: true })
  }
}

async function judge(folder: string, making: string): Promise<void> {
  try {
    await readPluginFolder(making)
  } catch (error) {
    throw inOneSentence(folder, error)
  }
}
