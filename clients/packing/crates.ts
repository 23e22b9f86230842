// Packs the Rust crates as cargo publishes them. Their tests compile them; packing does not.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { documentOf, licenseChoice } from './bill-of-materials.ts'
import { readManifest, run } from './package-folder.ts'

const crates = ['svc-sdk', 'svc-plugin']

export const hasCargo = () => spawnSync('cargo', ['--version']).status === 0

/** Paths of the packed files. Asks the registry for the crates they need. */
export function packCrates(dist: string): string[] {
  const { version } = readManifest('.')
  const target = mkdtempSync(join(tmpdir(), 'svc-crates-'))
  try {
    return crates.map((name) => {
      // A lock in it would be that of today's registry, which no two days share.
      const options = [
        '--no-verify',
        '--allow-dirty',
        '--exclude-lockfile',
        '--quiet',
        '--target-dir',
        target,
      ]
      run('cargo', ['package', '-p', name, ...options])
      const file = `${name}-${version}.crate`
      cpSync(join(target, 'package', file), join(dist, file))
      return join(dist, file)
    })
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
}

interface Metadata {
  readonly packages: readonly {
    readonly id: string
    readonly name: string
    readonly version: string
    readonly license: string | null
    /** Null for ours. */
    readonly source: string | null
  }[]
  readonly resolve: {
    readonly nodes: readonly {
      readonly id: string
      readonly deps: readonly {
        readonly pkg: string
        readonly dep_kinds: readonly { kind: string | null }[]
      }[]
    }[]
  }
}

const readMetadata = (): Metadata =>
  JSON.parse(run('cargo', ['metadata', '--format-version', '1', '--quiet']))

/** Crates of others that cargo builds and tests ours with today. */
export const cratesInUse = () => readMetadata().packages.filter(({ source }) => source !== null)

/** What cargo builds with it today, on any platform: a crate carries no lock, and only its direct needs have exact versions. */
export function billOfCrate(file: string) {
  const { packages, resolve } = readMetadata()
  const own = packages.find(({ name, version }) => `${name}-${version}.crate` === basename(file))!
  const needs = new Map(
    resolve.nodes.map(({ id, deps }) => [
      id,
      deps.filter(({ dep_kinds }) => dep_kinds.some(({ kind }) => kind !== 'dev')).map(({ pkg }) => pkg),
    ]),
  )
  const reached = new Set<string>()
  const follow = (id: string) => {
    if (reached.has(id)) return
    reached.add(id)
    for (const need of needs.get(id) ?? []) follow(need)
  }
  follow(own.id)
  reached.delete(own.id)
  const refs = new Map(packages.map(({ id, name, version }) => [id, `pkg:cargo/${name}@${version}`]))
  const components = packages
    .filter(({ id }) => reached.has(id))
    .map(({ id, name, version, license }) => {
      if (license === null) throw new Error(`${name} ${version} names no license; use another crate`)
      const ref = refs.get(id)!
      const licenses = [licenseChoice(license.replaceAll('/', ' OR '))]
      return { type: 'library', 'bom-ref': ref, name, version, purl: ref, licenses }
    })
    .sort((a, b) => (a.purl < b.purl ? -1 : 1))
  const edges = [...reached].map((id) => ({
    ref: refs.get(id)!,
    dependsOn: (needs.get(id) ?? []).map((need) => refs.get(need)!),
  }))
  const { name, version, license } = own
  return documentOf({ name, version, license: license!, purl: refs.get(own.id)!, file }, components, edges)
}
