// A system program that tests need: searched in the usual places, and installed once if permitted.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** On systems that have it; elsewhere the sentence below says what to do. */
const installer = 'apt-get'
const install_ms_max = 300_000

export interface Program {
  readonly name: string
  readonly places: readonly string[]
  /** The system's package that contains it. */
  readonly package: string
  /** The variable in which a user may name it. */
  readonly variable: string
}

export function findOrInstall(program: Program): string {
  const path = find(program)
  if (path) return path
  if (process.getuid?.() === 0) {
    // The second time with fresh lists: those of an image may name files that no longer exist.
    for (const lists of ['known', 'fresh']) {
      if (lists === 'fresh') run('update')
      run('install', '-y', '--no-install-recommends', program.package)
      const installed = find(program)
      if (installed) return installed
    }
  }
  throw new Error(
    `No ${program.name} was found; install one (${installer} install ${program.package}), or name it in ${program.variable}.`,
  )
}

function find({ variable, places }: Program): string | undefined {
  return [process.env[variable] ?? '', ...places].find((path) => path !== '' && existsSync(path))
}

function run(...args: string[]): void {
  // Waits for the lock of another test's installation.
  const waiting = ['-o', 'DPkg::Lock::Timeout=120', ...args]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(installer, waiting, { timeout: install_ms_max, stdio: 'ignore', env })
}
