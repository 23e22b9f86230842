// MAVEN attest: signs a claim and its evidence.

import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, HexHash, ListOf, Timestamp } from '@svc/contract/schema'
import { Proof } from '@svc/contract/signing/data-integrity'
import { type Static, Type } from 'typebox'
import { keepContent, linkContent, readContent } from '../../cognition/content/api.ts'
import {
  admitClaim,
  type CitedEvidence,
  ClaimDocument,
  ClaimRef,
  type ClaimRow,
  Confidence,
  claimIdIn,
  claimIdOf,
  claimRef,
  corroborate,
  documentOf,
  Evidence,
  evidence_max,
  findClaim,
  indexingOf,
  insertClaim,
  isVerified,
  keepEvidence,
  keysOf,
  lockClaims,
  Method,
  releaseClaims,
  requireMoment,
  requireProof,
  Said,
  seeEvidence,
  Topic,
  textOf,
} from '../claims/api.ts'

export const AttestInput = Closed({
  claim: Said,
  evidence: ListOf(Evidence, 1, evidence_max),
  confidence: Type.Optional(Confidence),
  topic: Type.Optional(Topic),
  valid_from: Type.Optional(Timestamp),
  valid_to: Type.Optional(Timestamp),
  method: Type.Optional(Method),
  supersedes: Type.Optional(ClaimRef),
  embargo_until: Type.Optional(
    Type.String({
      ...Timestamp,
      description: 'Until then nobody but its issuer sees it, and it argues with nobody.',
    }),
  ),
  proof: Type.Optional(Proof),
})
export type AttestInput = Static<typeof AttestInput>

const Independent = Type.Integer({
  minimum: 0,
  description: 'Different roots behind the issuers, other than the root of this one.',
})
export const AttestOutput = Closed({
  claim_ref: ClaimRef,
  content_hash: HexHash,
  document: ClaimDocument,
  proof: Proof,
  evidence: ListOf(Closed({ hash: HexHash, verified: Type.Boolean() }), 1, evidence_max),
  status: Type.Enum(['accepted', 'contested', 'undecided'], {
    description:
      'Contested: a claim that counts more speaks against it. Undecided: one that counts as much does.',
  }),
  corroboration: Closed({
    supports: Independent,
    refutes: Independent,
    posterior: Type.Number({ minimum: 0, maximum: 1 }),
  }),
  contradictions: ListOf(ClaimRef, 0, 1_000),
})

export async function attest(
  input: AttestInput,
  context: OperationContext<
    'audit_log' | 'compute' | 'custody' | 'embedder' | 'lineages' | 'tokens' | 'vault'
  >,
): Promise<Static<typeof AttestOutput>> {
  const { row, document } = await attestClaim(context, input, '')
  const { against, ...corroboration } = await corroborate(context, row)
  return {
    claim_ref: claimRef(row.claim_id),
    content_hash: row.claim_id,
    document,
    proof: row.proof,
    evidence: document.evidence.map((cited: CitedEvidence) => ({
      hash: cited.hash,
      verified: isVerified(cited),
    })),
    status: row.status === 'accepted' ? 'accepted' : row.status === 'rejected' ? 'contested' : 'undecided',
    corroboration,
    contradictions: against.map(claimRef),
  }
}

export interface Attested {
  readonly row: ClaimRow
  readonly document: ClaimDocument
}

/** The claim in its current state; equal content by the same identity is one claim. Keeps the lock. */
export async function attestClaim(
  context: OperationContext<'audit_log' | 'compute' | 'custody' | 'embedder' | 'tokens' | 'vault'>,
  input: AttestInput,
  pointer: string,
): Promise<Attested> {
  requireMoment(input.embargo_until, `${pointer}/embargo_until`)
  const checked_evidence = await seeEvidence(context, input.evidence, pointer)
  const cited = checked_evidence.map((item) => item.cited)
  const document = documentOf(context.caller.did, input, cited, pointer)
  const read = [textOf(document.claim), ...checked_evidence.flatMap(({ text }) => text ?? [])]
  context.tokens.use(await context.tokens.count(read), 0)
  const proof = await requireProof(context, document, input.proof, pointer)
  const keys = await keysOf(context, document.claim)
  const claim_id = claimIdOf(document)
  const is_public =
    input.embargo_until === undefined || Date.parse(input.embargo_until) <= Date.parse(context.now)
  // Content first, in a fixed order, then the lock: a slow embedder must not block others.
  await keepEvidence(context, checked_evidence)
  const { commitment } = await keepContent(context, {
    ref: claimRef(claim_id),
    kind: 'claim',
    body: document,
    ...(is_public && { index: indexingOf(document) }),
  })
  await lockClaims(context)
  await releaseClaims(context)
  if (await isKnown(context, claim_id)) return { row: (await findClaim(context, claim_id))!, document }
  await requireOwn(context, document.supersedes)
  const embargo_until = is_public ? null : input.embargo_until!
  await insertClaim(context, { claim_id, document, proof, ...keys, embargo_until })
  const targets = cited.flatMap(({ ref, version }) => (ref === undefined ? [] : [{ ref, version }]))
  await linkContent(context, claimRef(claim_id), targets, 'evidence')
  const supersedes = document.supersedes === undefined ? null : claimIdIn(document.supersedes)!
  if (is_public) await admitClaim(context, { claim_id, supersedes, question_key: keys.question_key })
  const row = (await findClaim(context, claim_id))!
  context.audit('ClaimAttested', {
    claim_ref: claimRef(claim_id),
    commitment,
    evidence: cited.length,
    verified: cited.filter(isVerified).length,
    signed_with: proof.verificationMethod,
    own_proof: input.proof !== undefined,
    status: row.status,
  })
  return { row, document }
}

/** Refuses a redacted claim: redacted content must not return by its hash. */
async function isKnown(context: OperationContext<'vault'>, claim_id: string): Promise<boolean> {
  if (!(await findClaim(context, claim_id))) return false
  const content = await readContent(context, claimRef(claim_id))
  if (content?.status !== 'redacted') return true
  throw refuse(
    'invalid_payload',
    `${claimRef(claim_id)} was redacted and cannot be attested again; make another claim.`,
    {
      reason: 'redacted',
    },
  )
}

async function requireOwn(context: OperationContext, supersedes: string | undefined): Promise<void> {
  if (supersedes === undefined) return
  const { did } = context.caller
  const replaced = await findClaim(context, claimIdIn(supersedes)!)
  if (!replaced || (replaced.status === 'embargoed' && replaced.issuer_did !== did))
    throw notFound('claim', supersedes)
  if (replaced.issuer_did !== did)
    throw refuse(
      'policy_denied',
      `${supersedes} is not a claim of ${did}, who cannot supersede it; contradict it instead.`,
      {
        reason: 'not the issuer of the claim',
      },
    )
  if (replaced.status === 'superseded')
    throw refuse(
      'policy_denied',
      `${supersedes} was superseded by ${claimRef(replaced.superseded_by!)} already; supersede that one.`,
      { reason: 'claim is superseded' },
    )
}
