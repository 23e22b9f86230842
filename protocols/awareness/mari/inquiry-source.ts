// Citable sources in their current state: memories, facts, claims and records, with text and validity.
import { replayRecord } from '@svc/audit/query/replay'
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { memory_kinds, type ReadCell, readCells } from '../../cognition/cells/api.ts'
import {
  isFunctionalWord,
  normaliseName,
  normalisePredicate,
  normaliseValue,
  predicateKey,
  readContents,
  type StoredContent,
  type Triple,
} from '../../cognition/content/api.ts'
import { followFacts, resolveEntity, type SlicedFact } from '../../cognition/knowledge/api.ts'
import { supersededAmong } from '../../execution/mage/api.ts'
import {
  type ClaimDocument,
  type ClaimRow,
  hashOf,
  hiddenFrom,
  readableOf,
  recordNamed,
  textOf,
} from '../../truth/claims/api.ts'
import { any_topic } from '../../truth/opinions/api.ts'
import { claimsAmong, type RefPair } from './cited-claims.ts'

// biome-ignore format: a list of words
export const source_statuses = [
  'valid', 'contested', 'rejected', 'superseded', 'retracted', 'revoked', 'redacted',
] as const
export type SourceStatus = (typeof source_statuses)[number]

/** A statement of an external tool, for which nobody is accountable. */
const testimony_weight = 0.3

/** Can still be cited as valid; all others only together with their status. */
export function doesStand(status: SourceStatus): boolean {
  return status === 'valid' || status === 'contested'
}

/** A fact, with its comparison keys. */
export interface Said extends Pick<Triple, 'subject' | 'predicate' | 'object'> {
  /** Equal for all statements about the same side of the same matter. */
  readonly matter: string
  readonly value: string
  /** Whether only one value can be correct. */
  readonly is_single: boolean
}

export interface InquirySource {
  readonly ref: string
  readonly kind: string
  readonly version: number
  readonly content_hash: string
  readonly issuer_did: string
  readonly topic: string
  /** The confidence stated by its author. */
  readonly stated: number
  readonly status: SourceStatus
  /** Null if it was redacted. */
  readonly text: string | null
  readonly occurred_at: string
  /** Set if it states a fact. */
  readonly said?: Said
  /** The record's position in its chain. */
  readonly seq?: number
  /** The namespace of a memory. */
  readonly namespace?: string
}

export interface Sources {
  readonly by_ref: ReadonlyMap<string, InquirySource>
  /** Pairs of claims that contradict each other. */
  readonly attacks: readonly RefPair[]
}

export interface Looking {
  /** When facts must hold: now if omitted. */
  readonly as_of?: string | undefined
  /** Facts whose status is already known. */
  readonly facts?: ReadonlyMap<string, SlicedFact>
}

/** Those of these that the caller and the whole tenant may see. */
export async function sourcesAt(
  context: OperationContext<'authority' | 'vault'>,
  refs: readonly string[],
  looking: Looking = {},
): Promise<Sources> {
  const distinct = [...new Set(refs)].sort()
  const hidden = await hiddenFrom(context, distinct)
  const contents = await readContents(
    context,
    distinct.filter((ref) => !hidden.has(ref) && !recordNamed(ref, context.tenant_id)),
  )
  const by_ref = new Map<string, InquirySource>()
  // Findings are of the whole tenant: what only some may read is no source of theirs, even if the caller may.
  const stored = [...contents.values()].filter(({ readers }) => readers === null)
  const cells = await readCells(
    context,
    refsOf(stored, (content) => isMemory(content)),
  )
  const { rows, attacks } = await claimsAmong(context, [...contents.keys()])
  const revoked = await revokedAmong(context, [...rows.values()])
  const superseded = await supersededAmong(context, [...contents.keys()])
  for (const content of stored) {
    const claim = rows.get(content.ref)
    const source = claim
      ? ofClaim(content, claim, revoked)
      : content.kind === 'fact'
        ? await ofFact(context, content, looking)
        : ofMemory(content, cells.get(content.ref), superseded)
    by_ref.set(content.ref, source)
  }
  for (const ref of distinct) {
    const named = recordNamed(ref, context.tenant_id)
    const replayed_record = named && (await replayRecord(context.db, named.owner, named.hash))
    if (replayed_record) by_ref.set(ref, sourceOfRecord(replayed_record.record, ref))
  }
  return { by_ref, attacks }
}

function isMemory({ kind }: StoredContent): boolean {
  return (memory_kinds as readonly string[]).includes(kind)
}

function refsOf(contents: readonly StoredContent[], is: (content: StoredContent) => boolean): string[] {
  return contents.filter(is).map(({ ref }) => ref)
}

function basicsOf(content: StoredContent) {
  const { ref, kind, version, author_did, valid_from } = content
  return {
    ref,
    kind,
    version,
    content_hash: hashOf(content),
    issuer_did: author_did,
    topic: any_topic,
    stated: 1,
    occurred_at: valid_from.toISOString(),
  }
}

/** Also artifacts: only these can be superseded as a whole. */
function ofMemory(
  content: StoredContent,
  cell: ReadCell | undefined,
  superseded: ReadonlySet<string>,
): InquirySource {
  if (content.body === undefined) return { ...basicsOf(content), status: 'redacted', text: null }
  return {
    ...basicsOf(content),
    status: superseded.has(content.ref) ? 'superseded' : 'valid',
    text: readableOf(content),
    ...(content.kind === 'testimony' && { stated: testimony_weight }),
    ...(cell && { stated: cell.confidence, occurred_at: cell.occurred_at.toISOString() }),
    ...(content.index && { namespace: content.index.namespace }),
  }
}

function ofClaim(content: StoredContent, claim: ClaimRow, revoked: ReadonlySet<string>): InquirySource {
  const { issuer_did, topic, confidence: stated, attested_at } = claim
  const facts = { ...basicsOf(content), issuer_did, topic, stated, occurred_at: attested_at.toISOString() }
  if (content.body === undefined) return { ...facts, status: 'redacted', text: null }
  const { claim: statement } = content.body as ClaimDocument
  return {
    ...facts,
    status: statusOf(claim, revoked),
    text: textOf(statement),
    ...(typeof statement !== 'string' && { said: asSaid(statement) }),
  }
}

function statusOf({ retracted, issuer_did, status }: ClaimRow, revoked: ReadonlySet<string>): SourceStatus {
  if (retracted) return 'retracted'
  if (revoked.has(issuer_did)) return 'revoked'
  if (status === 'rejected' || status === 'superseded') return status
  return status === 'undecided' ? 'contested' : 'valid'
}

async function revokedAmong(
  context: OperationContext<'authority'>,
  claims: readonly ClaimRow[],
): Promise<Set<string>> {
  const revoked = new Set<string>()
  for (const did of new Set(claims.map(({ issuer_did }) => issuer_did)))
    if ((await context.authority.of(did)).identity.revoked) revoked.add(did)
  return revoked
}

/** Compares with the current facts of its subject: a fact not among them was superseded. */
async function ofFact(
  context: OperationContext<'vault'>,
  content: StoredContent,
  { as_of = context.now, facts: given_facts }: Looking,
): Promise<InquirySource> {
  const words = content.body as Triple | undefined
  if (!words) return { ...basicsOf(content), status: 'redacted', text: null }
  const sliced_fact = given_facts?.get(content.ref) ?? (await findFact(context, content.ref, words, as_of))
  const status = !sliced_fact ? 'superseded' : sliced_fact.status === 'contested' ? 'contested' : 'valid'
  return {
    ...basicsOf(content),
    stated: sliced_fact?.confidence ?? words.confidence ?? 1,
    status,
    ...saidBy(words),
  }
}

async function findFact(
  context: OperationContext<'vault'>,
  ref: string,
  words: Triple,
  as_of: string,
): Promise<SlicedFact | undefined> {
  const resolved = await resolveEntity(context, words.subject)
  if (!resolved || !('entity_key' in resolved)) return undefined
  const predicate = predicateKey(context.vault.blind, words.predicate)
  const slice = { as_of, include_superseded: false, min_confidence: 0, predicate }
  const { facts } = await followFacts(context, resolved.entity_key, 1, slice)
  return facts.find(({ fact_ref }) => fact_ref === ref)
}

function saidBy(words: Triple) {
  const { subject, predicate, object } = words
  return { text: `${subject} ${predicate.replaceAll('_', ' ')} ${object}`, said: asSaid(words) }
}

function asSaid({
  subject,
  predicate,
  object,
  functional,
}: Pick<Triple, 'subject' | 'predicate' | 'object' | 'functional'>): Said {
  return {
    subject,
    predicate,
    object,
    matter: `${normaliseName(subject)} ${normalisePredicate(predicate)}`,
    value: normaliseValue(object),
    is_single: functional ?? (isFunctionalWord(predicate) || typeof object !== 'string'),
  }
}

export function sourceOfRecord(
  record: AuditRecord,
  ref = `max://record/${record.record_hash}`,
): InquirySource {
  const { event_type, protocol, operation, outcome, caller_did, timestamp, seq, record_hash } = record
  const call_name = protocol === undefined ? '' : ` ${protocol}.${operation}`
  return {
    ref,
    kind: 'record',
    version: 1,
    content_hash: record_hash,
    issuer_did: caller_did,
    topic: any_topic,
    stated: 1,
    status: 'valid',
    // The text of its citation.
    text: `${event_type}${call_name} ${outcome} at ${timestamp}`,
    occurred_at: timestamp,
    seq,
  }
}
