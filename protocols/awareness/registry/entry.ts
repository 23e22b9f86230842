// Registry entries without storage: content-addressed bodies, each naming its predecessor.

import { namesThatGrant } from '@svc/contract/authority/capability'
import { Closed, described, OneOf, PublicKey, Signature } from '@svc/contract/schema'
import { canonicalJson, contentHash } from '@svc/contract/signing/canonical-json'
import { signingInput } from '@svc/contract/signing/signature'
import { type Static, Type } from 'typebox'

export const entry_kinds = [
  'agent',
  'treaty',
  'policy',
  'asset',
  'plugin',
  'report',
  'verdict',
  'chain_seal',
  'schema',
  'model',
  'artifact',
] as const
export type EntryKind = (typeof entry_kinds)[number]

export const visibilities = ['tenant', 'treaty', 'public'] as const
export type Visibility = (typeof visibilities)[number]

export const EntryState = OneOf('LIVE', 'STALE', 'SUPERSEDED', 'WITHDRAWN')
export type EntryState = Static<typeof EntryState>

export const EntrySignature = Closed({
  signed_by: Type.String({ description: 'A DID, or book:<key id> for the audit key of the tenant.' }),
  public_key: described(PublicKey, 'Key that verifies the signature.'),
  signature: described(Signature, 'Signature over the body, base64url.'),
  method: described(
    OneOf('own', 'custodial', 'book'),
    "own key of the signer, custodial key of the engine, or book: the tenant's audit key.",
  ),
})
export type EntrySignature = Static<typeof EntrySignature>

/** The content, before it has a version. */
export interface Statement {
  readonly kind: EntryKind
  readonly subject: string
  readonly tenant_id: string
  readonly visibility: Visibility
  /** Null if it does not expire. */
  readonly ttl_seconds: number | null
  readonly content: Readonly<Record<string, unknown>>
}

/** Version and predecessor are hashed and signed, so a history cannot be rearranged later. */
export interface EntryBody extends Statement {
  readonly v: 1
  readonly version: number
  readonly previous: string | null
}

interface Place {
  readonly version: number
  readonly previous: string | null
}

export function bodyAt(statement: Statement, { version, previous }: Place): EntryBody {
  return { v: 1, ...statement, version, previous }
}

/** The version after the newest; the first if there is none. */
export function placeAfter(newest: { readonly version: number; readonly hash: string } | undefined): Place {
  return newest ? { version: newest.version + 1, previous: newest.hash } : { version: 1, previous: null }
}

export function bodyText(body: EntryBody): string {
  return canonicalJson(body)
}

/** The stored body, or undefined if it does not match its address. */
export function intactBody(hash: string, text: string): EntryBody | undefined {
  try {
    const body = JSON.parse(text) as EntryBody
    return contentHash(body) === hash ? body : undefined
  } catch {
    return undefined
  }
}

/** The exact text that a registration signs. */
export function registrationInput(body: EntryBody): string {
  return signingInput('svc-registry-v1', body)
}

/** The exact text that a withdrawal signs. */
export function withdrawalInput(hash: string): string {
  return signingInput('svc-registry-v1', { withdraw: hash })
}

export interface Life {
  readonly state: 'LIVE' | 'SUPERSEDED' | 'WITHDRAWN'
  readonly ended_at: Date | null
  readonly expires_at: Date | null
}

/** Computed from a timestamp, so the answer does not depend on when a sweep runs. */
export function stateAt({ state, ended_at, expires_at }: Life, at: Date): EntryState {
  if (ended_at && ended_at <= at) return state
  return expires_at && expires_at <= at ? 'STALE' : 'LIVE'
}

/** An ended entry counts as ended, even if another replica's clock set a slightly later time. */
export function stateNow(life: Life, now: Date): EntryState {
  return life.ended_at ? life.state : stateAt(life, now)
}

/** Normalizes names for comparison: case and Unicode form. */
export function nameKey(name: string): string {
  return name.normalize('NFC').toLowerCase()
}

export interface Findable {
  readonly name: string
  readonly summary: string
  /** `tag:<tag>` and `cap:<capability>`, for exact matches. */
  readonly terms: readonly string[]
  /** The terms as words, for free-text search. */
  readonly words: string
}

export function findableBy(content: Readonly<Record<string, unknown>>): Findable {
  const tags = textsOf(content.tags)
  const capabilities = textsOf(content.capabilities)
  return {
    name: textOf(content.name),
    summary: textOf(content.summary),
    terms: [...new Set([...tags.map(tagTerm), ...capabilities.map((name) => `cap:${name}`)])],
    words: [...tags, ...capabilities].join(' ').replace(/[._:*-]+/g, ' '),
  }
}

export function tagTerm(tag: string): string {
  return `tag:${tag}`
}

/** An entry with any of these covers the capability. */
export function termsCovering(capability: string): readonly string[] {
  return [...new Set(namesThatGrant(capability))].map((name) => `cap:${name}`)
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : []
}

/** Where a page ended, from an entry the reader has seen: reveals nothing about hidden entries. */
export interface Position {
  /** RFC 3339 UTC. */
  readonly registered_at: string
  readonly hash: string
}

const cursor_form = /^(\d{1,15})\.([0-9a-f]{64})$/
/** Later years have a sign and six digits, which the database does not read. */
const moment_ms_max = Date.parse('9999-12-31T23:59:59.999Z')

export function writeCursor({ registered_at, hash }: Position): string {
  return Buffer.from(`${Date.parse(registered_at)}.${hash.slice('sha256:'.length)}`).toString('base64url')
}

export function readCursor(cursor: string): Position | undefined {
  const parts = cursor_form.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (!parts || Number(parts[1]) > moment_ms_max) return undefined
  return { registered_at: new Date(Number(parts[1])).toISOString(), hash: `sha256:${parts[2]}` }
}
