// A cited source now: its version, author, validity, and the record that stored it.
import { findRecords, newestCheckpoint } from '@svc/audit/query/records'
import { type ReplayedRecord, replayRecord } from '@svc/audit/query/replay'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound } from '@svc/contract/refusal'
import { readContent, type StoredContent } from '../../cognition/content/api.ts'
import {
  type ClaimDocument,
  type ClaimRow,
  claimIdIn,
  findClaim,
  hashOf,
  hiddenFrom,
  isProven,
  readableOf,
  recordNamed,
  releaseDue,
  textOf,
} from '../claims/api.ts'

export const citation_statuses = [
  'valid',
  'contested',
  'superseded',
  'redacted',
  'revoked',
  'retracted',
] as const
export type CitationStatus = (typeof citation_statuses)[number]

const records_of_call_max = 200

export interface Source {
  readonly ref: string
  /** `claim`, `episodic`, `record`, … */
  readonly kind: string
  readonly version: number
  readonly content_hash: string
  /** Undefined if it was redacted. */
  readonly body: unknown
  readonly text: string | null
  readonly issuer_did: string
  readonly attested_at: string
  readonly status: CitationStatus
  /** Null if it is not signed yet. */
  readonly signature_valid: boolean | null
  readonly chain: { readonly record_hash: string; readonly tree_size: number } | null
  readonly seq: number | null
}

/** As visible to this caller; hidden sources count as missing. */
export async function findSource(
  context: OperationContext<'audit_log' | 'authority' | 'compute' | 'embedder' | 'vault'>,
  ref: string,
  version?: number,
): Promise<Source> {
  await context.audit_log.settled()
  const record = recordNamed(ref, context.tenant_id)
  if (record) {
    const replayed_record = await replayRecord(context.db, record.owner, record.hash)
    if (!replayed_record || (version ?? 1) !== 1) throw notFound('source', ref)
    return await sourceOfRecord(context, ref, replayed_record)
  }
  if (claimIdIn(ref) !== undefined) await releaseDue(context)
  const content = await readContent(context, ref, version === undefined ? {} : { version })
  const hidden = await hiddenFrom(context, [ref])
  if (!content || hidden.has(ref)) throw notFound('source', ref)
  return await sourceOfContent(context, content)
}

async function sourceOfRecord(
  context: OperationContext,
  ref: string,
  replayed_record: ReplayedRecord,
): Promise<Source> {
  const { record } = replayed_record
  const { event_type, protocol, operation, outcome, caller_did, timestamp, seq, record_hash } = record
  const call_name = protocol === undefined ? '' : ` ${protocol}.${operation}`
  return {
    ref,
    kind: 'record',
    version: 1,
    content_hash: record_hash,
    body: record,
    text: `${event_type}${call_name} ${outcome} at ${timestamp}`,
    issuer_did: caller_did,
    attested_at: timestamp,
    status: 'valid',
    signature_valid: replayed_record.hash_ok && replayed_record.signature_ok,
    chain: await placeOf(context, record.tenant_id, replayed_record),
    seq,
  }
}

async function sourceOfContent(
  context: OperationContext<'authority'>,
  content: StoredContent,
): Promise<Source> {
  const { ref, kind, version, body, author_did, recorded_at } = content
  const claim_id = claimIdIn(ref)
  const claim = claim_id === undefined ? undefined : await findClaim(context, claim_id)
  const brought = await recordOf(context, content)
  return {
    ref,
    kind,
    version,
    content_hash: hashOf(content),
    body,
    text: body === undefined ? null : claim ? textOf((body as ClaimDocument).claim) : readableOf(content),
    issuer_did: claim?.issuer_did ?? author_did,
    attested_at: (claim?.attested_at ?? recorded_at).toISOString(),
    status: await statusOf(context, content, claim),
    signature_valid: await isSigned(context, content, claim, brought),
    chain: brought ? await placeOf(context, context.tenant_id, brought) : null,
    seq: brought?.record.seq ?? null,
  }
}

async function statusOf(
  context: OperationContext<'authority'>,
  content: StoredContent,
  claim: ClaimRow | undefined,
): Promise<CitationStatus> {
  if (content.status === 'redacted') return 'redacted'
  if (!claim) return content.superseded_at === null ? 'valid' : 'superseded'
  if (claim.retracted) return 'retracted'
  if ((await context.authority.of(claim.issuer_did)).identity.revoked) return 'revoked'
  if (claim.status === 'superseded') return 'superseded'
  return claim.status === 'rejected' || claim.status === 'undecided' ? 'contested' : 'valid'
}

/** A claim by its proof; everything else by the audit record of the call that stored it. */
async function isSigned(
  context: OperationContext,
  { body }: StoredContent,
  claim: ClaimRow | undefined,
  brought: ReplayedRecord | undefined,
): Promise<boolean | null> {
  if (claim && body !== undefined) return await isProven(context, body as ClaimDocument, claim.proof)
  return brought ? brought.hash_ok && brought.signature_ok : null
}

/** Undefined until the call that stored it is in the audit log. */
async function recordOf(
  { db, tenant_id }: OperationContext,
  { correlation_id, record_id }: StoredContent,
): Promise<ReplayedRecord | undefined> {
  const records = await findRecords(db, tenant_id, {
    correlation_ids: [correlation_id],
    event_types: ['ProtocolInvocation'],
    limit: records_of_call_max,
  })
  const record = records.find(({ id }) => id === record_id)
  return record && (await replayRecord(db, tenant_id, record.record_hash))
}

/** Its position in the signed tree; null until a signed tree includes it. */
async function placeOf(
  { db }: OperationContext,
  owner: string,
  { record }: ReplayedRecord,
): Promise<Source['chain']> {
  const newest = await newestCheckpoint(db, owner)
  if (!newest || newest.size < record.seq) return null
  return { record_hash: record.record_hash, tree_size: newest.size }
}
