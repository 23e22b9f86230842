// svc-engine plugin build: from the author's source to the folder that is signed and installed.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs' // biome-ignore format: one import
import { dirname, join, resolve } from 'node:path'
import type { PluginManifest } from '@svc/contract/plugin-manifest'
import { operationsFault } from '@svc/contract/plugin-operations'
import { manifest_file, operations_file } from '@svc/contract/plugin-signature'
import type { Command } from '../admin/command.ts'
import { ConfigError } from '../config-error.ts'
import { distFolder, readManifest } from './source-folder.ts'

interface Built {
  readonly component: Uint8Array
  readonly operations: string | undefined
}

export const building: Command = {
  usage: 'build [folder]',
  summary: 'makes the component, and with its manifest and operations.json puts it below dist',
  takes: [],
  async runAlone({ names, values, terminal }) {
    const folder = resolve(names[0] ?? '.')
    const manifest = readManifest(folder)
    const step = (what: string) => {
      if (!values.json) void terminal.write(`${what}\n`)
    }
    const built = existsSync(join(folder, 'Cargo.toml'))
      ? buildRust(folder, manifest, step)
      : await buildTypescript(folder, manifest, step)
    const dist = write(folder, manifest, built)
    const { name, version } = manifest.plugin
    return {
      rows: [{ plugin: name, version, bytes: built.component.length, folder: dist }],
      note: 'Next: svc-engine plugin test, sign and install that folder.',
    }
  },
}

async function buildTypescript(
  folder: string,
  manifest: PluginManifest,
  step: (what: string) => void,
): Promise<Built> {
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
  refuseUnusable(manifest, operations_json)
  step('making a component of it, which takes some seconds')
  const component = await buildComponent(source, wasiOf(manifest)).catch(notBuilt)
  return { component, operations: operations_json }
}

function notBuilt(error: Error & { code?: string }): never {
  if (error.code === 'ERR_MODULE_NOT_FOUND' && /componentize-js|esbuild/.test(error.message))
    throw new ConfigError(
      'Building needs two packages that running does not: npm install @bytecodealliance/componentize-js esbuild',
    )
  throw new ConfigError(`plugin.ts could not be built: ${error.message}`)
}

export function wasiOf({ plugin: { integrations = {} } }: PluginManifest): ('clocks' | 'random')[] {
  const asked = Object.values(integrations).filter(({ kind }) => kind === 'wasi')
  return (['clocks', 'random'] as const).filter((name) => asked.some(({ endpoint }) => endpoint === name))
}

const cargo_target = 'wasm32-wasip2'
const cargo_bytes_max = 64 * 1024 * 1024

function buildRust(folder: string, manifest: PluginManifest, step: (what: string) => void): Built {
  const file = join(folder, operations_file)
  const operations = existsSync(file) ? readFileSync(file, 'utf8') : undefined
  if (operations !== undefined) refuseUnusable(manifest, operations)
  step(`cargo build --release --target ${cargo_target}`)
  const args = ['build', '--release', '--target', cargo_target, '--message-format=json-render-diagnostics']
  const done = spawnSync('cargo', args, { cwd: folder, encoding: 'utf8', maxBuffer: cargo_bytes_max })
  if (done.error) throw new ConfigError('There is no cargo on the PATH; install Rust from rustup.rs.')
  if (done.status !== 0) throw new ConfigError(cargoAdvice(done.stderr))
  const component = done.stdout
    .split('\n')
    .filter((line) => line.includes('"compiler-artifact"'))
    .flatMap((line): string[] => JSON.parse(line).filenames)
    .findLast((name) => name.endsWith('.wasm'))
  if (!component) throw new ConfigError('cargo made no .wasm file; the crate type must be cdylib.')
  return { component: readFileSync(component), operations }
}

function cargoAdvice(said: string): string {
  if (/target may not be installed|can't find crate for `(core|std)`/.test(said))
    return `Rust has no ${cargo_target} here; add it with: rustup target add ${cargo_target} (docs/plugins-rust.md knows another way).`
  return `cargo could not build it:\n${said.trim().split('\n').slice(-20).join('\n')}`
}

function refuseUnusable({ plugin }: PluginManifest, operations: string): void {
  const fault = operationsFault(JSON.parse(operations), plugin.operations.operations)
  if (fault) throw new ConfigError(`The operations cannot be served: ${fault}.`)
}

/** Whole or not at all: beside it first, then in its place. */
function write(folder: string, manifest: PluginManifest, { component, operations }: Built): string {
  const dist = distFolder(folder, manifest)
  const making = join(dirname(dist), `.tmp-${process.pid}`)
  rmSync(making, { recursive: true, force: true })
  const binary = join(making, manifest.plugin.binary.path)
  mkdirSync(dirname(binary), { recursive: true })
  writeFileSync(binary, component)
  if (operations !== undefined) writeFileSync(join(making, operations_file), operations)
  cpSync(join(folder, manifest_file), join(making, manifest_file))
  rmSync(dist, { recursive: true, force: true })
  renameSync(making, dist)
  return dist
}
