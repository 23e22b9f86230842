// Another Node version from npm: installed once below node_modules/.cache and reused.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { lockDirectory } from '@svc/audit/journal/journal-directory'

const run = promisify(execFile)
const install_ms_max = 300_000
const cache = join(import.meta.dirname, '../../node_modules/.cache/svc-node')
const quietly = ['--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error']

/** The folder of its `node`; `version` is a version or its prefix. */
export async function otherNode(version: string): Promise<string> {
  const folder = join(cache, version)
  const bin = join(folder, 'node_modules/node/bin')
  mkdirSync(folder, { recursive: true })
  const unlock = await lockDirectory(folder, install_ms_max)
  try {
    if (existsSync(join(bin, 'node'))) return bin
    // npm requires approval for install scripts; that of `node` downloads the binary.
    writeFileSync(
      join(folder, 'package.json'),
      JSON.stringify({ private: true, allowScripts: { node: true } }),
    )
    await run('npm', ['install', ...quietly, `node@${version}`], { cwd: folder, timeout: install_ms_max })
    return bin
  } finally {
    unlock()
  }
}
