// MAVEN attest: signs a claim and its evidence.

import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, ListOf, Timestamp } from '@svc/contract/schema'
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
  evidence: described(ListOf(Evidence, 1, evidence_max), 'What the claim rests on.'),
  confidence: Type.Optional(described(Confidence, 'How sure you are.')),
  topic: Type.Optional(Topic),
  valid_from: Type.Optional(described(Timestamp, 'From when it holds; absent: always.')),
  valid_to: Type.Optional(described(Timestamp, 'Until when it holds; absent: with no end.')),
  method: Type.Optional(described(Method, 'How you came to know it.')),
  supersedes: Type.Optional(described(ClaimRef, 'Earlier claim of yours that this one replaces.')),
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
  description:
    'Different roots behind the issuers, other than the root of this one, each with some evidence that no older claim counted here has.',
})
export const AttestOutput = Closed({
  claim_ref: described(ClaimRef, 'Names the claim.'),
  content_hash: described(HexHash, 'sha256 of the document, in lower hex.'),
  document: ClaimDocument,
  proof: Proof,
  evidence: described(
    ListOf(
      Closed({
        hash: described(HexHash, 'sha256 of the evidence, in lower hex.'),
        verified: Type.Boolean({ description: 'Its bytes were seen and match the hash.' }),
      }),
      1,
      evidence_max,
    ),
    'What was checked, in the order given.',
  ),
  status: Type.Enum(['accepted', 'contested', 'undecided'], {
    description:
      'Contested: a claim that counts more speaks against it. Undecided: one that counts as much does.',
  }),
  corroboration: Closed(
    {
      supports: Independent,
      refutes: Independent,
      copies: Type.Integer({
        minimum: 0,
        description:
          'Roots that count as neither: their claims only repeat evidence, or rest on claims, that count already.',
      }),
      posterior: Type.Number({
        minimum: 0,
        maximum: 1,
        description: "Probability of the claim, from all issuers' confidence and reliability.",
      }),
    },
    { description: 'What other claims say about the same.' },
  ),
  contradictions: described(ListOf(ClaimRef, 0, 1_000), 'Claims that speak against it.'),
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
