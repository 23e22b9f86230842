// MAVEN cite: a stable citation that reports if its source is no longer valid.

import type { OperationContext } from '@svc/contract/operation-context'
import { AnyObject, Closed, described, HexHash, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { dependentsOf, linkContent } from '../../cognition/content/api.ts'
import { citation_styles, excerpt_length_max, excerptOf, formatCitation, titleOf } from './citation-format.ts'
import { citation_statuses, findSource } from './citation-source.ts'

const cycle_steps_max = 16
const cycle_refs_max = 1_000

export const CiteInput = Closed({
  source_ref: Type.String({
    pattern: '^(maven|mind|mage|max|mari|marc)://[A-Za-z0-9:._/@-]{1,240}$',
    maxLength: 256,
    description: 'Claim, memory, artifact, record, finding or model to cite.',
  }),
  version: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 2_147_483_647, description: 'Default: the newest.' }),
  ),
  in_ref: Type.Optional(described(Ref, 'What cites it; recorded as depending on the source.')),
  locator: Type.Optional(
    Closed(
      {
        json_pointer: Type.Optional(
          Type.String({
            pattern: '^(/([^~/]|~[01])*)*$',
            maxLength: 512,
            description: 'Part of a JSON document (RFC 6901).',
          }),
        ),
        char_range: Type.Optional(
          Closed(
            {
              start: Type.Integer({ minimum: 0, description: 'First character, from 0.' }),
              end: Type.Integer({ minimum: 1, description: 'Character after the last one.' }),
            },
            { description: 'Part of a text, counted in characters.' },
          ),
        ),
        record_seq: Type.Optional(
          Type.Integer({ minimum: 1, description: 'Place of the record in the audit log.' }),
        ),
      },
      { description: 'Which part of the source: one of the three.' },
    ),
  ),
  style: Type.Optional(
    Type.Enum([...citation_styles], { default: 'short', description: 'Form of formatted.' }),
  ),
})
export type CiteInput = Static<typeof CiteInput>

export const CiteOutput = Closed({
  citation_id: described(HexHash, 'Names the citation.'),
  source_ref: described(Ref, 'Source that is cited.'),
  version: Type.Integer({ minimum: 1, description: 'Version of the source that is pinned.' }),
  content_hash: described(HexHash, 'Hash of the cited content.'),
  excerpt: Type.Union([Type.String({ maxLength: excerpt_length_max }), Type.Null()], {
    description: 'Null if redacted.',
  }),
  issuer_did: Type.String({ description: 'Who is answerable for the source.' }),
  attested_at: described(Timestamp, 'When the source was stated.'),
  status: described(
    OneOf(...citation_statuses),
    'State of the source now; only valid and contested ones can still be relied on.',
  ),
  signature_valid: Type.Union([Type.Boolean(), Type.Null()], {
    description:
      'Checked now: the proof of a claim, otherwise the signed audit log. Null while neither exists.',
  }),
  chain: Type.Union(
    [
      Closed({
        record_hash: described(HexHash, 'Hash of the record of the claim.'),
        tree_size: Type.Integer({
          minimum: 1,
          description: 'Records in the signed tree that holds the record.',
        }),
      }),
      Type.Null(),
    ],
    { description: 'The audit record of the call that stored it; null until it is written.' },
  ),
  cycle: Type.Boolean({ description: 'Whether the source depends, directly or not, on what cites it.' }),
  formatted: Type.Union([Text(2_000), AnyObject], {
    description: 'The citation as text, or as an object with csl-json.',
  }),
})
export type Citation = Static<typeof CiteOutput>

export async function cite(
  input: CiteInput,
  context: OperationContext<'audit_log' | 'authority' | 'compute' | 'embedder' | 'tokens' | 'vault'>,
): Promise<Citation> {
  const citation = await citeSource(context, input)
  const { excerpt, formatted } = citation
  const written = typeof formatted === 'string' ? formatted : canonicalJson(formatted)
  context.tokens.use(await context.tokens.count([excerpt ?? '']), await context.tokens.count([written]))
  return citation
}

/** For other operations: nothing is billed. The same citation is stored once; its status is recomputed. */
export async function citeSource(
  context: OperationContext<'audit_log' | 'authority' | 'compute' | 'embedder' | 'vault'>,
  input: CiteInput,
): Promise<Citation> {
  const { source_ref, in_ref, locator, style = 'short' } = input
  const source = await findSource(context, source_ref, input.version)
  const { version, content_hash, issuer_did, attested_at, status, kind } = source
  const excerpt = excerptOf(source, locator)
  const cited_by = context.caller.did
  const citation_id = sha256Hex(
    canonicalJson({
      source_ref,
      version,
      content_hash,
      cited_by,
      in_ref: in_ref ?? null,
      locator: locator ?? null,
    }),
  )
  await keepCitation(context, { citation_id, source_ref, version, in_ref: in_ref ?? null })
  const title = titleOf(source.text)
  const written = { citation_id, source_ref, kind, version, issuer_did, attested_at, status, title }
  return {
    citation_id,
    source_ref,
    version,
    content_hash,
    excerpt,
    issuer_did,
    attested_at,
    status,
    signature_valid: source.signature_valid,
    chain: source.chain,
    cycle: in_ref !== undefined && (await restsOn(context, source_ref, in_ref)),
    formatted: formatCitation({ ...written, accessed_at: context.now }, style),
  }
}

interface StoredCitation {
  readonly citation_id: string
  readonly source_ref: string
  readonly version: number
  readonly in_ref: string | null
}

async function keepCitation(
  context: OperationContext,
  { citation_id, source_ref, version, in_ref }: StoredCitation,
): Promise<void> {
  const { db, tenant_id, caller, now } = context
  const rows = await sql`
    INSERT INTO maven_citations (tenant_id, citation_id, source_ref, version, in_ref, cited_by, cited_at)
    VALUES (${tenant_id}, ${citation_id}, ${source_ref}, ${version}, ${in_ref}, ${caller.did}, ${now})
    ON CONFLICT DO NOTHING RETURNING citation_id`.all(db)
  if (rows.length === 0) return
  if (in_ref !== null) await linkContent(context, in_ref, [{ ref: source_ref, version }], 'cites')
  context.audit('SourceCited', { citation_id, source_ref, version, ...(in_ref !== null && { in_ref }) })
}

/** Whether one thing depends on another through citations, uses or derivations, up to a limit. */
async function restsOn(context: OperationContext, ref: string, on: string): Promise<boolean> {
  const reached = new Set([on])
  let edge: readonly string[] = [on]
  for (let step = 0; step < cycle_steps_max && edge.length > 0; step++) {
    const next = (await dependentsOf(context, edge)).map((dependent) => dependent.ref)
    if (next.includes(ref)) return true
    edge = [...new Set(next)]
      .filter((reached_ref) => !reached.has(reached_ref))
      .slice(0, cycle_refs_max - reached.size)
    for (const reached_ref of edge) reached.add(reached_ref)
  }
  return ref === on
}
