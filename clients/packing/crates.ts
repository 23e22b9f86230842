// Packs the Rust crates as cargo publishes them. Their tests compile them; packing does not.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readManifest, run } from './package-folder.ts'

const crates = ['svc-sdk', 'svc-plugin']

export const hasCargo = () => spawnSync('cargo', ['--version']).status === 0

/** Paths of the packed files. Asks the registry for the crates they need. */
export function packCrates(dist: string): string[] {
  const { version } = readManifest('.')
  const target = mkdtempSync(join(tmpdir(), 'svc-crates-'))
  try {
    return crates.map((name) => {
      run('cargo', ['package', '-p', name, '--no-verify', '--allow-dirty', '--quiet', '--target-dir', target])
      const file = `${name}-${version}.crate`
      cpSync(join(target, 'package', file), join(dist, file))
      return join(dist, file)
    })
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}
