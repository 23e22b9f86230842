// The source of other releases beside this one: of an earlier commit, or of a later release, which is this one with a migration more.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs' // biome-ignore format: one statement
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const root = join(import.meta.dirname, '../..')
const bytes_max = 512 * 1024 * 1024

export interface Release {
  readonly folder: string
  /** What `svc-engine` runs. */
  readonly program: string
}

/** As it was committed. Its packages are those of this checkout. */
export function releaseOf(t: TestContext, commit: string): Release {
  try {
    git('cat-file', '-e', `${commit}^{commit}`)
  } catch {
    throw new Error(`The earlier release ${commit} is not in this clone; fetch its whole history.`)
  }
  return unpack(t, git('archive', commit))
}

/** This release as it is here, with another migration at the end. */
export function laterRelease(
  t: TestContext,
  migration: { readonly name: string; readonly sql: string },
): Release {
  const files = git('ls-files', '--cached', '--others', '--exclude-standard', '-z')
  const pack = ['--create', '--ignore-failed-read', '--null', '--files-from=-']
  const release = unpack(t, execFileSync('tar', pack, { cwd: root, input: files, maxBuffer: bytes_max }))
  const list = join(release.folder, 'service/assembly/migrations.ts')
  const text = readFileSync(list, 'utf8')
  const end = text.lastIndexOf('\n]')
  writeFileSync(list, `${text.slice(0, end)}\n  ${JSON.stringify(migration)},${text.slice(end)}`)
  return release
}

function git(...args: string[]): Buffer {
  return execFileSync('git', args, { cwd: root, maxBuffer: bytes_max, stdio: ['ignore', 'pipe', 'pipe'] })
}

function unpack(t: TestContext, archive: Buffer): Release {
  const folder = mkdtempSync(join(tmpdir(), 'svc-release-'))
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  execFileSync('tar', ['--extract', '--directory', folder], { input: archive })
  const [packages, own] = [join(root, 'node_modules'), join(folder, 'node_modules')]
  mkdirSync(join(own, '@svc'), { recursive: true })
  for (const name of readdirSync(packages))
    if (name !== '@svc' && name !== '.cache') symlinkSync(join(packages, name), join(own, name))
  // Relative links: they lead to the folders of the release.
  for (const name of readdirSync(join(packages, '@svc')))
    symlinkSync(readlinkSync(join(packages, '@svc', name)), join(own, '@svc', name))
  return { folder, program: join(folder, 'service/main.ts') }
}
