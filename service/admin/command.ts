// The shape of a command of svc-engine admin or plugin: usage, options and output.
import { findTenant } from '@svc/adapters/access/tenant-directory'
import type { PostgresStore } from '@svc/adapters/store/postgres'
import type { Database } from '@svc/contract/database'
import { parseDid } from '@svc/contract/identity/did'
import { ConfigError } from '../settings/config-error.ts'
import type { Operator } from './record.ts'
import type { Said } from './say.ts'
import type { Target } from './target.ts'
import type { Terminal } from './terminal.ts'

/** The options of all commands; each command lists those it takes. */
export const options = {
  'data-dir': { type: 'string' },
  json: { type: 'boolean' },
  help: { type: 'boolean' },
  name: { type: 'string' },
  tier: { type: 'string' },
  root: { type: 'string' },
  did: { type: 'string' },
  kind: { type: 'string' },
  parent: { type: 'string' },
  custody: { type: 'string' },
  capability: { type: 'string', multiple: true },
  role: { type: 'string', multiple: true },
  add: { type: 'string', multiple: true },
  remove: { type: 'string', multiple: true },
  days: { type: 'string' },
  label: { type: 'string' },
  'expires-at': { type: 'string' },
  after: { type: 'string' },
  from: { type: 'string' },
  to: { type: 'string' },
  'older-than': { type: 'string' },
  port: { type: 'string' },
  endpoint: { type: 'string' },
  timeout: { type: 'string' },
  weight: { type: 'string' },
  answers: { type: 'string' },
  treaty: { type: 'string' },
  operation: { type: 'string', multiple: true },
  tenant: { type: 'string', multiple: true },
  dir: { type: 'string' },
  lang: { type: 'string' },
  key: { type: 'string' },
  'new-key': { type: 'string' },
  input: { type: 'string' },
  calls: { type: 'string' },
  'allow-downgrade': { type: 'boolean' },
  issuer: { type: 'string' },
  audience: { type: 'string' },
  claim: { type: 'string', multiple: true },
  jwks: { type: 'string' },
} as const

export type OptionName = keyof typeof options

export type Values = {
  readonly [Name in OptionName]?: (typeof options)[Name] extends { multiple: true }
    ? string[]
    : (typeof options)[Name] extends { type: 'boolean' }
      ? boolean
      : string
}

/** The parsed command line and where it runs. */
export interface Asked {
  readonly target: Target
  readonly operator: Operator
  readonly terminal: Terminal
  readonly values: Values
  readonly names: readonly string[]
}

export interface Work extends Asked {
  readonly store: PostgresStore
}

interface CommandWords {
  /** The command line after the program's name. */
  readonly usage: string
  readonly summary: string
  readonly takes: readonly OptionName[]
}

/** `runAlone` opens no database: the command needs none, or diagnoses one that may be broken. */
export type Command = CommandWords &
  ({ run(work: Work): Promise<Said> } | { runAlone(request: Asked): Promise<Said> })

/** Commands by verb; '' is what the noun does without one. */
export type Noun = Readonly<Record<string, Command>>

/** Names in angle brackets are required; a bare word in square brackets is optional. */
export function namesFit(usage: string, count: number): boolean {
  const least = usage.match(/<[^<>]+>/g)?.length ?? 0
  const more = usage.match(/\[[a-z]+\]/g)?.length ?? 0
  return count >= least && count <= least + more
}

export async function requireTenant(db: Database, tenant_id: string): Promise<void> {
  if (await findTenant(db, tenant_id)) return
  throw new ConfigError(
    `There is no tenant ${tenant_id}; create it with: svc-engine admin tenant create ${tenant_id}`,
  )
}

export function requireDidOf(tenant_id: string, did: string, what: string): void {
  if (parseDid(did)?.namespace === tenant_id) return
  throw new ConfigError(`${what} must be a DID of ${tenant_id}: did:oas:${tenant_id}:<kind>:<64 hex>.`)
}
