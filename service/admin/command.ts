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
  help: { type: 'boolean', short: 'h' },
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
  exact: { type: 'boolean' },
  login: { type: 'string' },
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
  with: { type: 'string', multiple: true },
  'back-out': { type: 'boolean' },
  clean: { type: 'boolean' },
} as const

export type OptionName = keyof typeof options

/** For the help page of a command; its summary says what is special there. */
export const option_meanings: Readonly<Record<OptionName, string>> = {
  'data-dir': 'the folder of svc-engine up, if SVC_DB_URL is not set (.svc)',
  json: 'JSON lines instead of tables',
  help: 'this page',
  name: 'a name for people',
  tier: 'the tier of the tenant',
  root: 'the DID of its human root, or new to create one',
  did: 'the identity, as a DID',
  kind: 'the kind of the identity; see the summary',
  parent: 'the DID of the parent',
  custody: 'who holds the private key: engine or client',
  capability: 'a capability such as svc.max.audit_query; may be repeated',
  role: 'a role; may be repeated',
  login: 'the login of the person',
  add: 'a role or capability to add; may be repeated',
  remove: 'a role or capability to remove; may be repeated',
  exact: 'earlier changes end',
  days: 'a number of days',
  label: 'what it is for',
  'expires-at': 'a time such as 2027-01-31T00:00:00Z',
  after: 'continue a list behind this entry',
  from: 'from this time on, such as 2026-11-15 or 2026-11-15T10:00:00Z',
  to: 'before this time',
  'older-than': 'older than this number of days',
  port: 'a port number',
  endpoint: 'the address of the service',
  timeout: 'the time limit of a call: 500ms, 30s or 2m',
  weight: 'its share among several endpoints',
  answers: 'signed or unsigned: whether the service signs its answers',
  treaty: 'the id of the treaty',
  operation: 'the name of an operation; may be repeated',
  tenant: 'the id of a tenant; may be repeated where the usage shows ...',
  dir: 'a folder',
  lang: 'the language of the plugin: typescript or rust',
  key: 'the file of the key',
  'new-key': 'the file for a new key',
  input: 'an input as JSON',
  calls: 'a file with the answers to calls that the plugin makes',
  'allow-downgrade': 'accept an older version than the installed one',
  issuer: 'the address of the issuer of tokens',
  audience: 'the audience of the tokens',
  claim: 'a claim as name=value; may be repeated',
  jwks: 'the file with the public keys of the issuer, if they are not fetched from it',
  with: 'another tenant that moves together with it; may be repeated',
  'back-out': 'takes back a move that was begun and has not arrived',
  clean: 'removes what is left here of a tenant that has moved',
}

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
