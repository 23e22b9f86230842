// Where packages come from: an in-toto statement with a SLSA provenance. SHA256SUMS covers it, so it is signed with the rest.
import { spawnSync } from 'node:child_process'
import { basename, join } from 'node:path'
import { digestOf } from './bill-of-materials.ts'
import { run } from './package-folder.ts'
import { root } from './root.ts'

export interface Commit {
  readonly id: string
  readonly at: string
  /** Files differ from it. */
  readonly is_changed: boolean
}

/** Undefined outside a git checkout. */
export function newestCommit(): Commit | undefined {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: root, encoding: 'utf8' })
  const { status, stdout } = git('log', '-1', '--format=%H %cI')
  if (status !== 0) return undefined
  const [id = '', at = ''] = stdout.trim().split(' ')
  return { id, at, is_changed: git('status', '--porcelain', '--untracked-files=no').stdout !== '' }
}

export function provenanceOf(files: readonly string[], { id, at, is_changed }: Commit) {
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map((file) => ({ name: basename(file), digest: { sha256: digestOf(file) } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://svc.dev/pack/v1',
        externalParameters: { command: 'npm run pack', has_local_changes: is_changed },
        internalParameters: {
          node: process.version,
          npm: npmVersion(),
          platform: process.platform,
          arch: process.arch,
        },
        resolvedDependencies: [
          { name: 'source', digest: { gitCommit: id } },
          { name: 'package-lock.json', digest: { sha256: digestOf(join(root, 'package-lock.json')) } },
        ],
      },
      runDetails: { builder: { id: 'https://svc.dev/pack/local' }, metadata: { startedOn: at } },
    },
  }
}

/** It writes the tarballs. */
const npmVersion = () => run('npm', ['--version']).trim()
