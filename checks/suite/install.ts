// A program the tests need from the system: looked for where systems have it, and installed once where we may.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

/** Where the system has it; elsewhere the sentence below says what to do. */
const installer = 'apt-get'
const install_ms_max = 300_000

export interface Program {
  readonly name: string
  readonly places: readonly string[]
  /** What the system calls the package that brings it. */
  readonly package: string
  /** The variable in which a user may name it. */
  readonly variable: string
}

export function findOrInstall(program: Program): string {
  const path = find(program)
  if (path) return path
  if (process.getuid?.() === 0) {
    // The second time with fresh lists: those of an image may name files that are no longer there.
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
  // Another test may be installing something just now: its lock is waited for.
  const waiting = ['-o', 'DPkg::Lock::Timeout=120', ...args]
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  spawnSync(installer, waiting, { timeout: install_ms_max, stdio: 'ignore', env })
}
