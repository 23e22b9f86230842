// Builds a Rust plugin's component with rustup's WebAssembly target, or with Debian's rustc and the sources
// of the standard library. Run directly, it rebuilds the committed component.
import { execFile } from 'node:child_process'
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { componentNew } from '@bytecodealliance/jco-transpile/wasm-tools'

/** The first is documented for authors; the second needs no C library, and becomes a component here. */
type RustTarget = 'wasm32-wasip2' | 'wasm32-unknown-unknown'

interface Toolchain {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly rustflags: readonly string[]
}

const root = join(import.meta.dirname, '../..')
/** The example's component, committed so that it runs without such a toolchain. */
export const kept_component = join(import.meta.dirname, 'units-rust.wasm')

const run = promisify(execFile)
const build_ms_max = 20 * 60_000
const output_bytes_max = 64 * 1024 * 1024

const debian_rustc = '/usr/bin/rustc'
const debian_std = '/usr/lib/rustlib/src/rust'
const debian_libc = '/usr/lib/wasm32-wasi'
const debian_packages = ['rustc-web', 'rust-web-src', 'wasi-libc']

/** The component's bytes, or one line that says what is missing. */
export async function buildRustPlugin(folder: string, target: RustTarget): Promise<Uint8Array> {
  const { args, env, rustflags } = (await ownToolchain(target)) ?? (await debianToolchain(target))
  const command = ['build', '--release', '--target', target, '--message-format=json-render-diagnostics']
  const flags = [...rustflags, ...namelessPaths()]
  const { stdout } = await run('cargo', [...command, ...args], {
    cwd: folder,
    env: { ...process.env, ...env, ...targetDirectory(), CARGO_ENCODED_RUSTFLAGS: flags.join('\x1f') },
    timeout: build_ms_max,
    maxBuffer: output_bytes_max,
  })
  const bytes = readFileSync(componentFile(stdout))
  return target === 'wasm32-wasip2' ? bytes : componentNew(bytes)
}

/** The plugin's own tests, on this machine; returns cargo's output. */
export async function testRustPlugin(folder: string): Promise<string> {
  const env = { ...process.env, ...targetDirectory() }
  const { stdout } = await run('cargo', ['test'], { cwd: folder, env, timeout: build_ms_max })
  return stdout
}

function targetDirectory(): { CARGO_TARGET_DIR: string } {
  return { CARGO_TARGET_DIR: process.env.CARGO_TARGET_DIR ?? join(root, 'target/plugins') }
}

/** Removes build paths, so that the same source gives the same bytes anywhere. */
function namelessPaths(): string[] {
  const cargo = process.env.CARGO_HOME ?? join(homedir(), '.cargo')
  const crates = globSync('registry/src/*', { cwd: cargo }).map((path) => join(cargo, path))
  // If several match, the last counts.
  const names = [
    [root, '.'],
    [cargo, 'cargo'],
    [debian_std, 'rust'],
    ...crates.map((path) => [path, 'crates']),
  ]
  return names.map(([path, name]) => `--remap-path-prefix=${path}=${name}`)
}

function componentFile(output: string): string {
  const file = output
    .split('\n')
    .filter((line) => line.includes('"compiler-artifact"'))
    .flatMap((line): string[] => JSON.parse(line).filenames)
    .findLast((name) => name.endsWith('.wasm'))
  if (!file) throw new Error('cargo produced no .wasm file; the crate type must be cdylib')
  return file
}

/** Undefined without rustup, or if it cannot get the target. */
async function ownToolchain(target: RustTarget): Promise<Toolchain | undefined> {
  const { stdout } = await run('rustc', ['--print', 'target-libdir', '--target', target])
  const isThere = () => existsSync(stdout.trim())
  if (!isThere()) await run('rustup', ['target', 'add', target], { timeout: build_ms_max }).catch(() => {})
  return isThere() ? { args: [], env: {}, rustflags: [] } : undefined
}

/** Debian's compiler builds for the targets from its own sources; only the linkers come from rustup. */
async function debianToolchain(target: RustTarget): Promise<Toolchain> {
  await installDebian()
  const linkers = await linkersOfRustup()
  const env = { RUSTC: debian_rustc, RUSTC_BOOTSTRAP: '1', PATH: `${process.env.PATH}:${linkers}/gcc-ld` }
  const args = ['-Z', 'build-std=std,panic_abort']
  if (target === 'wasm32-unknown-unknown')
    return { args, env: { ...env, ...linker(target, join(linkers, 'rust-lld')) }, rustflags: [] }
  const rustflags = ['-Clink-self-contained=no', `-Lnative=${debian_libc}`]
  return { args, env: { ...env, ...linker(target, join(linkers, 'wasm-component-ld')) }, rustflags }
}

function linker(target: RustTarget, path: string): Record<string, string> {
  return { [`CARGO_TARGET_${target.toUpperCase().replaceAll('-', '_')}_LINKER`]: path }
}

async function linkersOfRustup(): Promise<string> {
  const { stdout } = await run('rustc', ['--print', 'sysroot'])
  const { stdout: version } = await run('rustc', ['-vV'])
  const host = /^host: (.+)$/m.exec(version)?.[1] ?? ''
  const linkers = join(stdout.trim(), 'lib/rustlib', host, 'bin')
  if (existsSync(join(linkers, 'wasm-component-ld'))) return linkers
  throw new Error(`There is no wasm-component-ld in ${linkers}; a rustc of rustup brings it.`)
}

async function installDebian(): Promise<void> {
  const isThere = [debian_rustc, join(debian_std, 'library/std'), debian_libc].every((path) =>
    existsSync(path),
  )
  if (isThere) return
  const packages = debian_packages.join(' ')
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get'))
    throw new Error(`Rust has no target of WebAssembly here: rustup target add wasm32-wasip2, or apt-get install ${packages}.`) // biome-ignore format: one sentence
  await run('apt-get', ['update'], { timeout: build_ms_max, maxBuffer: output_bytes_max })
  const install = ['install', '-y', '--no-install-recommends', ...debian_packages]
  await run('apt-get', install, { timeout: build_ms_max, maxBuffer: output_bytes_max })
}

if (import.meta.main) {
  const component = await buildRustPlugin(join(root, 'examples/plugins/units-rust'), 'wasm32-wasip2')
  writeFileSync(kept_component, component)
  console.log(`${kept_component}: ${component.length} bytes`)
}
