// The only place that runs cargo: one target directory, so that tests share compiled output.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = join(import.meta.dirname, '../..')
const said_bytes_max = 64 * 1024 * 1024
const said_chars_shown = 8_000

/** Cargo's build output: `debug/examples/<name>` and the like. */
export const target_dir = join(root, 'target')

/** Cargo's stdout. Throws with both outputs on failure. */
export async function cargo(args: readonly string[], more: Record<string, string> = {}): Promise<string> {
  // One target directory for all, whatever the shell's environment names.
  const env = { ...process.env, CARGO_TARGET_DIR: target_dir, CARGO_TERM_COLOR: 'never', ...more }
  try {
    return (await run('nice', ['cargo', ...args], { cwd: root, env, maxBuffer: said_bytes_max })).stdout
  } catch (error) {
    const { stdout = '', stderr = '', message } = error as Error & { stdout?: string; stderr?: string }
    const output = `${stderr}\n${stdout}`.trim() || message
    throw new Error(`cargo ${args.join(' ')} failed:\n${output.slice(-said_chars_shown)}`)
  }
}

/** In the background: the tests that use it report its failure. */
export async function compileRust(): Promise<void> {
  if (!(await rustIsHere())) return
  await cargo(['test', '--workspace', '--quiet', '--no-run', '--all-targets']).catch(() => undefined)
}

let is_installed: Promise<boolean> | undefined

/** Whether cargo and every needed crate are available. Prints why not, once. */
export function rustIsHere(): Promise<boolean> {
  is_installed ??= look()
  return is_installed
}

async function look(): Promise<boolean> {
  const host = await hostOf().catch(() => undefined)
  if (host === undefined) return say('cargo is not here')
  // An unreadable manifest of ours is our fault, not the machine's.
  await cargo(['metadata', '--no-deps', '--format-version', '1'])
  try {
    await cargo(['fetch', '--target', host])
    return true
  } catch (error) {
    const why = (error as Error).message.split('\n').find((line) => line.startsWith('error'))
    return say(`the crates cannot be had here (${why ?? 'cargo fetch failed'})`)
  }
}

async function hostOf(): Promise<string | undefined> {
  await run('cargo', ['--version'])
  return /^host: (\S+)$/m.exec((await run('rustc', ['-vV'])).stdout)?.[1]
}

function say(why: string): false {
  console.log(`Rust is not checked: ${why}.`)
  return false
}
