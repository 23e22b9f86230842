// Evidence of a claim: refs are resolved and pinned, content is hashed, a URI stays unverified.
import { replayRecord } from '@svc/audit/query/replay'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, OneOf, Ref, Text } from '@svc/contract/schema'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { textOf } from '../../cognition/cells/api.ts'
import { keepContent, readContents, type StoredContent } from '../../cognition/content/api.ts'
import { faulty } from '../opinions/api.ts'
import { type CitedEvidence, claim_stances } from './claim-document.ts'
import { hiddenFrom } from './claim-store.ts'

const content_length_max = 256 * 1024
const media_type_default = 'text/plain'

export const Evidence = Closed(
  {
    ref: Type.Optional(described(Ref, 'Memory, artifact, record or claim; its newest version is pinned.')),
    content: Type.Optional(Text(content_length_max, { description: 'The evidence itself; stored sealed.' })),
    media_type: Type.Optional(
      Type.String({
        pattern: '^[a-z0-9][a-z0-9!#$&^_.+-]{0,63}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}(;[ -~]{1,128})?$',
        default: media_type_default,
        description: 'What content is.',
      }),
    ),
    uri: Type.Optional(
      Type.String({
        pattern: '^[a-z][a-z0-9+.-]{0,31}:[!-~]{1,2000}$',
        description: 'Its location. Never fetched: without content it is not verified.',
      }),
    ),
    sha256: Type.Optional(
      described(HexHash, 'sha256 of the evidence, in lower hex; needed without content.'),
    ),
    stance: Type.Optional(
      described(
        OneOf(...claim_stances),
        'Whether it supports (default) or refutes the claim, or is only context.',
      ),
    ),
  },
  { description: 'One of ref, content, or uri with sha256.' },
)
export type Evidence = Static<typeof Evidence>

/** Checked evidence, with its text if it was read. */
export interface SeenEvidence {
  readonly cited: CitedEvidence
  readonly text?: string
  /** To be stored if it is not yet. */
  readonly content?: string
}

const record_form = /^max:\/\/(?:([a-z0-9][a-z0-9-]{0,62})\/)?record\/(?:sha256:)?([0-9a-f]{64})$/

/** A record by its address: in this tenant's chain, or in another's that discloses it. */
export function recordNamed(ref: string, own_tenant: string): { owner: string; hash: string } | undefined {
  const [, owner = own_tenant, hash] = record_form.exec(ref) ?? []
  return hash === undefined ? undefined : { owner, hash }
}

/** Checks each in order; refuses if one is missing or does not match its hash. */
export async function seeEvidence(
  context: OperationContext<'audit_log' | 'vault'>,
  evidence: readonly Evidence[],
  pointer: string,
): Promise<SeenEvidence[]> {
  const refs = evidence.flatMap(({ ref, content }) =>
    ref !== undefined ? [ref] : content !== undefined ? [evidenceRef(sha256Hex(content))] : [],
  )
  if (refs.some((ref) => ref.startsWith('max://'))) await context.audit_log.settled()
  const contents = await readContents(context, refs)
  const hidden = await hiddenFrom(context, refs)
  const all_evidence: SeenEvidence[] = []
  const hashes = new Set<string>()
  for (const [place, item] of evidence.entries()) {
    const at = `${pointer}/evidence/${place}`
    requireOneKind(item, at)
    const checked =
      item.ref === undefined
        ? seeBytes(item, contents, at)
        : await seeRef(context, item.ref, contents, hidden, item, at)
    if (item.sha256 !== undefined && item.sha256 !== checked.cited.hash)
      throw faulty('hash_mismatch', `${at}/sha256`, `is not the hash of this evidence, ${checked.cited.hash}`)
    if (hashes.has(checked.cited.hash)) throw faulty('duplicate_evidence', at, 'was given already')
    hashes.add(checked.cited.hash)
    all_evidence.push(checked)
  }
  return all_evidence
}

/** Stores supplied bytes, sealed; always in the same order, to avoid deadlocks. */
export async function keepEvidence(
  context: OperationContext<'embedder' | 'vault'>,
  all_evidence: readonly SeenEvidence[],
): Promise<void> {
  for (const { cited, content } of all_evidence.toSorted((a, b) => (a.cited.hash < b.cited.hash ? -1 : 1))) {
    if (content === undefined) continue
    const { media_type } = cited
    await keepContent(context, { ref: cited.ref!, kind: 'evidence', body: { content, media_type } })
  }
}

export function isVerified({ ref }: CitedEvidence): boolean {
  return ref !== undefined
}

function evidenceRef(hash: string): string {
  return `maven://evidence/${hash}`
}

function requireOneKind({ ref, content, uri, sha256, media_type }: Evidence, at: string): void {
  const is_ref = ref !== undefined
  if (is_ref ? content !== undefined || uri !== undefined : content === undefined && uri === undefined)
    throw faulty('one_kind_each', at, 'must be one of ref, content, or uri with sha256')
  if (content === undefined && uri !== undefined && sha256 === undefined)
    throw faulty('hash_missing', `${at}/sha256`, 'is needed where a uri comes without its content')
  if (media_type !== undefined && is_ref)
    throw faulty('one_kind_each', `${at}/media_type`, 'is that of content or of a uri; a ref has its own')
}

function seeBytes(item: Evidence, contents: ReadonlyMap<string, StoredContent>, at: string): SeenEvidence {
  const { content, uri, media_type = media_type_default, stance = 'supports' } = item
  const named = { stance, media_type, ...(uri !== undefined && { uri }) }
  if (content === undefined) return { cited: { hash: item.sha256!, ...named } }
  const hash = sha256Hex(content)
  const ref = evidenceRef(hash)
  if (contents.get(ref)?.status === 'redacted') throw redacted(ref, at)
  return { cited: { hash, ref, version: 1, ...named }, text: content, content }
}

/** Pinned to the current version by its stored commitment. */
async function seeRef(
  context: OperationContext,
  ref: string,
  contents: ReadonlyMap<string, StoredContent>,
  hidden: ReadonlySet<string>,
  { stance = 'supports' }: Evidence,
  at: string,
): Promise<SeenEvidence> {
  const record = recordNamed(ref, context.tenant_id)
  if (record) {
    const replayed_record = await replayRecord(context.db, record.owner, record.hash)
    if (!replayed_record) throw missing(ref, at)
    return { cited: { hash: record.hash, ref, stance } }
  }
  const content = contents.get(ref)
  if (!content || hidden.has(ref)) throw missing(ref, at)
  if (content.status === 'redacted') throw redacted(ref, at)
  const { version } = content
  return { cited: { hash: hashOf(content), ref, version, stance }, text: readableOf(content) }
}

/** Its own hash if content-addressed, otherwise the salted one, which reveals nothing after redaction. */
export function hashOf({ ref, commitment }: Pick<StoredContent, 'ref' | 'commitment'>): string {
  return /\/([0-9a-f]{64})$/.exec(ref)?.[1] ?? commitment
}

/** The readable text of content: its index text, or all of its strings. */
export function readableOf({ kind, body, index }: Pick<StoredContent, 'kind' | 'body' | 'index'>): string {
  if (kind === 'evidence') return (body as { content: string }).content
  return index?.text ?? textOf(body)
}

function missing(ref: string, at: string): Refusal {
  return refuse(
    'invalid_payload',
    `There is nothing at ${ref} that you may see; check the evidence at ${at}.`,
    {
      reason: 'not_found',
      path: `${at}/ref`,
      faults: [{ pointer: `${at}/ref`, message: 'leads nowhere' }],
    },
  )
}

function redacted(ref: string, at: string): Refusal {
  return refuse(
    'invalid_payload',
    `${ref} was redacted and cannot be used as evidence; remove the evidence at ${at}.`,
    {
      reason: 'redacted',
      path: at,
      faults: [{ pointer: at, message: 'was redacted' }],
    },
  )
}
