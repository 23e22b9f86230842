// MAVEN contradict: one claim attacks another, and the dispute is decided again. Nothing is removed.

import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, refuse } from '@svc/contract/refusal'
import { Closed, described, HexHash, ListOf, OneOf, Ref, Text } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import { dependentsOf, keepContent, linkContent, readContent } from '../../cognition/content/api.ts'
import {
  type ClaimDocument,
  ClaimRef,
  type ClaimRow,
  claimIdIn,
  claimRef,
  component_claims_max,
  findClaim,
  findComponent,
  insertAttacks,
  isRetraction,
  type Label,
  lockClaims,
  type RaisedAttack,
  releaseClaims,
  type Settled,
  setRetracted,
  settleClaims,
} from '../claims/api.ts'
import { faulty } from '../opinions/api.ts'
import { AttestInput, attestClaim } from './attest.ts'

export const ContradictInput = Closed({
  claim_ref: described(ClaimRef, 'Claim that is wrong.'),
  by: Type.Union([ClaimRef, AttestInput], {
    description: 'The claim that speaks against it, or one that is attested first.',
  }),
  kind: Type.Optional(
    Type.Enum(['rebut', 'undercut', 'undermine'], {
      default: 'rebut',
      description:
        'Rebut states the opposite, undercut denies the inference, undermine attacks a piece of evidence.',
    }),
  ),
  evidence_hash: Type.Optional(
    Type.String({ ...HexHash, description: 'Of the evidence that is undermined.' }),
  ),
  rationale: Type.Optional(Text(2000, { description: 'Why it is wrong; stored with the contradiction.' })),
  resolve: Type.Optional(
    Type.Boolean({
      default: true,
      description: 'False records the contradiction without changing statuses.',
    }),
  ),
})
type ContradictInput = Static<typeof ContradictInput>

const ClaimStatusWord = Type.Enum(['accepted', 'rejected', 'undecided', 'superseded', 'embargoed'])
export const ContradictOutput = Closed({
  contradiction_ref: described(Ref, 'Names the contradiction.'),
  by: described(ClaimRef, 'Claim that speaks against it.'),
  statuses: Type.Record(ClaimRef, OneOf('accepted', 'rejected', 'undecided'), {
    additionalProperties: false,
    description: 'Status of every claim that is part of the dispute.',
  }),
  changed: described(
    ListOf(
      Closed({
        claim_ref: described(ClaimRef, 'Claim that changed.'),
        from: described(ClaimStatusWord, 'Status before.'),
        to: described(ClaimStatusWord, 'Status now.'),
      }),
      0,
      component_claims_max,
    ),
    'Claims whose status changed.',
  ),
  dependents: described(
    ListOf(
      Closed({
        ref: described(Ref, 'What cites it.'),
        kind: Text(64, { description: 'How it depends on the claim.' }),
      }),
      0,
      1_000,
    ),
    'What cites a changed claim and may have to be revised.',
  ),
  extension: described(
    OneOf('grounded'),
    'How the dispute is decided: only what can be defended against every attack counts.',
  ),
  appeal: Closed(
    { path: described(OneOf('MOOT file'), 'Operation that files a case.') },
    { description: 'How to contest the result.' },
  ),
})

export async function contradict(
  input: ContradictInput,
  context: OperationContext<'audit_log' | 'compute' | 'custody' | 'embedder' | 'tokens' | 'vault'>,
): Promise<Static<typeof ContradictOutput>> {
  const { claim_ref, kind = 'rebut', rationale, resolve = true } = input
  const by =
    typeof input.by === 'string'
      ? claimIdIn(input.by)!
      : (await attestClaim(context, input.by, '/by')).row.claim_id
  if (rationale !== undefined) context.tokens.use(await context.tokens.count([rationale]), 0)
  if (claimRef(by) === claim_ref)
    throw faulty('self_attack', '/by', 'is the claim itself, which cannot speak against itself')
  await lockClaims(context)
  await releaseClaims(context)
  const target = await requireStanding(context, claimIdIn(claim_ref)!)
  const attacker = await requireStanding(context, by)
  await requireEvidence(context, input)
  const attack = { from: by, to: target.claim_id, kind, raised_by: context.caller.did }
  const contradiction_ref = await keepContradiction(context, attack, input)
  await insertAttacks(context, [attack])
  if (isRetraction(attack, attacker, target)) await setRetracted(context, target.claim_id)
  const { statuses, changed } = resolve
    ? await settleClaims(context, [target.claim_id, by])
    : await asTheyAre(context, [target.claim_id, by])
  const dependents = await dependentsOf(
    context,
    changed.map(({ claim_id }) => claimRef(claim_id)),
  )
  return {
    contradiction_ref,
    by: claimRef(by),
    statuses: Object.fromEntries([...statuses].map(([claim_id, label]) => [claimRef(claim_id), label])),
    changed: changed.map(({ claim_id, from, to }) => ({ claim_ref: claimRef(claim_id), from, to })),
    dependents: dependents.filter(({ kind }) => kind !== 'contradicts'),
    extension: 'grounded',
    appeal: { path: 'MOOT file' },
  }
}

/** Hidden claims count as missing; superseded or embargoed ones cannot be disputed. */
async function requireStanding(context: OperationContext, claim_id: string): Promise<ClaimRow> {
  const ref = claimRef(claim_id)
  const claim = await findClaim(context, claim_id)
  if (!claim || (claim.status === 'embargoed' && claim.issuer_did !== context.caller.did))
    throw notFound('claim', ref)
  if (claim.status === 'embargoed')
    throw refuse(
      'policy_denied',
      `${ref} is under embargo and cannot contradict a claim yet; wait until the embargo ends.`,
      {
        reason: 'claim is under embargo',
      },
    )
  if (claim.status === 'superseded')
    throw refuse(
      'policy_denied',
      `${ref} was superseded by ${claimRef(claim.superseded_by!)}; use that one.`,
      {
        reason: 'claim is superseded',
      },
    )
  return claim
}

async function requireEvidence(
  context: OperationContext<'vault'>,
  { kind, claim_ref, evidence_hash }: ContradictInput,
): Promise<void> {
  if ((kind === 'undermine') !== (evidence_hash !== undefined))
    throw faulty(
      'evidence_hash',
      '/evidence_hash',
      'names the evidence that is undermined, and is for that alone',
    )
  if (evidence_hash === undefined) return
  const document = (await readContent(context, claim_ref))?.body as ClaimDocument | undefined
  if (document?.evidence.some(({ hash }) => hash === evidence_hash)) return
  throw faulty('not_found', '/evidence_hash', `is no evidence of ${claim_ref}`)
}

/** The rationale is text, so it is sealed, too; the same contradiction is stored once. */
async function keepContradiction(
  context: OperationContext<'embedder' | 'vault'>,
  { from, to, kind, raised_by }: RaisedAttack,
  { evidence_hash, rationale }: ContradictInput,
): Promise<string> {
  const body = {
    claim_ref: claimRef(to),
    by: claimRef(from),
    kind,
    raised_by,
    ...(evidence_hash !== undefined && { evidence_hash }),
    ...(rationale !== undefined && { rationale }),
  }
  const ref = `maven://contradiction/${sha256Hex(canonicalJson(body))}`
  const { created, commitment } = await keepContent(context, { ref, kind: 'contradiction', body })
  if (!created) return ref
  await linkContent(context, ref, [{ ref: body.claim_ref }, { ref: body.by }], 'contradicts')
  context.audit('ClaimContradicted', {
    contradiction_ref: ref,
    claim_ref: body.claim_ref,
    by: body.by,
    kind,
    commitment,
  })
  return ref
}

async function asTheyAre(context: OperationContext, seeds: readonly string[]): Promise<Settled> {
  const { claims } = await findComponent(context, seeds)
  const labelled = [...claims.values()].map(({ claim_id, status }) => [claim_id, status as Label] as const)
  return { statuses: new Map(labelled), changed: [] }
}
