// The contents of deploy/ as their users read them: the compose file with its settings filled in, and its
// secrets.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import type { Environment } from '@svc/service/settings/reader'
import { parse } from 'yaml'

export const root = join(import.meta.dirname, '../..')
export const deploy = join(root, 'deploy')

export interface ComposeService {
  readonly image: string
  readonly pull_policy?: string
  readonly command?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly secrets?: readonly string[]
  readonly volumes?: readonly string[]
  readonly networks: readonly string[]
  readonly ports?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly restart: string
  readonly read_only?: boolean
  readonly tmpfs?: readonly string[]
  readonly init?: boolean
  readonly cap_drop?: readonly string[]
  readonly security_opt: readonly string[]
  readonly stop_grace_period?: string
  readonly deploy: { readonly resources: { readonly limits: Readonly<Record<string, string>> } }
}

export interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly networks: Readonly<Record<string, { readonly internal?: boolean }>>
  readonly volumes: Readonly<Record<string, unknown>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

export interface Secrets {
  readonly folder: string
  /** The contents of the .env beside the secrets. */
  readonly settings: Readonly<Record<string, string>>
  read(name: string): string
  run(...more: string[]): { readonly made: readonly string[]; readonly SVC_PUBLIC_URL: string }
  remove(): void
}

/** The secrets as the documented command creates them, in a temporary folder. */
export function makeSecrets(): Secrets {
  const dir = mkdtempSync(join(tmpdir(), 'svc-deploy-'))
  const folder = join(dir, '.secrets')
  const run = (...more: string[]) => {
    const args = [join(deploy, 'make-secrets.mjs'), '--folder', folder, ...more]
    return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8', stdio: 'pipe' }))
  }
  run()
  return {
    folder,
    settings: parseEnv(readFileSync(join(dir, '.env'), 'utf8')) as Record<string, string>,
    read: (name) => readFileSync(join(folder, name), 'utf8').trim(),
    run,
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

export function readCompose(settings: Readonly<Record<string, string>>): Compose {
  const text = readFileSync(join(deploy, 'compose.yaml'), 'utf8')
  return fill(parse(text, { merge: true }), settings) as Compose
}

/** `${NAME:-otherwise}` and `${NAME:?why}` as compose fills them in, and `$$` for a literal one. */
function fill(value: unknown, settings: Readonly<Record<string, string>>): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\$|\$\{(\w+)(?::([-?])([^}]*))?\}/g, (match, name, how, words) => {
      if (match === '$$') return '$'
      const set = settings[name]
      if (set !== undefined) return set
      if (how === '-') return words
      throw new Error(`${name} is not set: ${words}`)
    })
  if (Array.isArray(value)) return value.map((each) => fill(each, settings))
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fill(each, settings)]))
}

/** Every variable that a reader asked for, directly or as a file. */
export function namesRead(env: Environment, read: (env: Environment) => unknown): ReadonlySet<string> {
  const names = new Set<string>()
  const watched = new Proxy(env, {
    get(target, name) {
      names.add(String(name))
      return target[String(name)]
    },
  })
  read(watched)
  return names
}

/** The same environment with container files at other paths. */
export function movedFiles(env: Environment, moves: Readonly<Record<string, string>>): Environment {
  const moved = (text: string | undefined) => (text === undefined ? text : (moves[text] ?? text))
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, moved(text)]))
}
