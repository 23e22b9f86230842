// Signs for one's own organization: a new treaty or an amendment.

import { isDeepStrictEqual } from 'node:util'
import { type TreatyBody, TreatyState } from '@svc/contract/authority/treaty'
import { meetsLevel } from '@svc/contract/identity/identity'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import {
  Closed,
  Did,
  described,
  Hash,
  ListOf,
  OneOf,
  PublicKey,
  Ref,
  Signature,
  TenantId,
  Timestamp,
} from '@svc/contract/schema'
import { type Static, Type } from 'typebox'
import { keyEventsOfAll } from '../../identity/keys/api.ts'
import { widens } from './amendment.ts'
import { isIntact, otherParty, type StoredSignature, type StoredTreaty, stepTo, tenantsOf } from './treaty.ts'
import { requireHoldings } from './treaty-grantors.ts'
import {
  openHead,
  openTreaty,
  requireHome,
  requireState,
  requireVoice,
  take,
  tell,
} from './treaty-progress.ts'
import { isWordFor, type Proof, requireWord } from './treaty-signature.ts'
import { pending_states } from './treaty-states.ts'
import { findPending, keepSignature } from './treaty-store.ts'

export const proof_fields = {
  signature: Type.Optional(
    described(Signature, 'Of the text to sign; absent: the engine signs if it keeps your key.'),
  ),
  timestamp: Type.Optional(described(Timestamp, 'The one in the text you signed; needed with signature.')),
  public_key: Type.Optional(
    described(PublicKey, 'Key that made the signature; needed unless the engine keeps it.'),
  ),
  authority: Type.Optional(described(Ref, 'Verdict of your charter; absent: a fitting unused one is taken.')),
}

export const SignOutput = Closed({
  treaty_id: described(Hash, 'Hash of the terms that were signed.'),
  state: TreatyState,
  signatures: described(
    ListOf(
      Closed({
        tenant: described(TenantId, 'Organization that is bound.'),
        signed_by: described(Did, 'DID that signed.'),
        timestamp: described(Timestamp, 'When it was signed; part of the signed text.'),
        public_key: described(PublicKey, 'Key that verifies the signature.'),
        signature: described(Signature, 'Signature over the treaty, base64url.'),
        method: described(
          OneOf('own', 'custodial'),
          "Own: signed by the signer's key. Custodial: by the engine, which keeps the key.",
        ),
      }),
      0,
      2,
    ),
    'Those given so far.',
  ),
  missing: described(ListOf(TenantId, 0, 2), 'Organizations that have yet to sign.'),
  active_from: Type.Optional(
    described(Timestamp, 'When calls are allowed from; absent until both have signed.'),
  ),
})
export type SignOutput = Static<typeof SignOutput>

interface Signing extends Proof {
  readonly authority?: string | undefined
}

/** A new treaty binds the whole organization, so it needs a verdict of its charter. */
export async function sign(
  input: Signing & { readonly treaty_id: string },
  context: OperationContext<'authority' | 'charter' | 'custody' | 'requireAuthority'>,
): Promise<SignOutput> {
  requireHome(context, 'sign')
  const treaty = await openTreaty(context, input.treaty_id)
  if (treaty.body.parent !== null) throw misnamed(treaty.id, 'an amendment', 'sign_amendment')
  if (hasSigned(treaty, context)) return answerOf(treaty)
  requireState(treaty, 'sign', pending_states)
  const word = await requireConsent(context, treaty, input)
  const authority = await context.requireAuthority('MOAT.sign', treaty.id, input.authority)
  return answerOf(await bind(context, treaty, { ...word, authority }))
}

/** Only a widening amendment needs a verdict; to narrow, one member is enough. */
export async function signAmendment(
  input: Signing & { readonly amendment_id: string },
  context: OperationContext<'authority' | 'charter' | 'custody' | 'requireAuthority'>,
): Promise<SignOutput> {
  requireHome(context, 'sign')
  const amendment = await openTreaty(context, input.amendment_id)
  const { id, body, root_id } = amendment
  if (body.parent === null) throw misnamed(id, 'not an amendment', 'sign')
  if (hasSigned(amendment, context)) return answerOf(amendment)
  const head = await openHead(context, root_id)
  if (head?.id !== body.parent) throw overtaken(id, head?.id)
  requireState(amendment, 'sign_amendment', pending_states)
  const is_wider = widens(head.body, body)
  if (is_wider) requireL2(context)
  const word = await requireConsent(context, amendment, input)
  const authority = is_wider
    ? await context.requireAuthority('MOAT.sign_amendment', id, input.authority)
    : null
  return answerOf(await bind(context, amendment, { ...word, authority }, head))
}

/** Signing once more is no new act: its record names the verdict of the signature that is there. */
function hasSigned({ signatures }: StoredTreaty, { tenant_id, metadata }: OperationContext): boolean {
  const own = signatures.find(({ tenant }) => tenant === tenant_id)
  if (own?.authority) metadata.verdict = own.authority
  return own !== undefined
}

/** All checks that can refuse before a verdict is consumed. */
async function requireConsent(
  context: OperationContext<'authority' | 'charter' | 'custody'>,
  treaty: StoredTreaty,
  proof: Proof,
) {
  if (!isIntact(treaty)) throw altered(context, treaty.id)
  await requireVoice(context, treaty, 'sign')
  await requireHoldings(context, treaty.body, 'signer')
  return requireWord(context, treaty, proof)
}

async function bind(
  context: OperationContext,
  treaty: StoredTreaty,
  signature: StoredSignature,
  parent?: StoredTreaty,
): Promise<StoredTreaty> {
  const { id: treaty_id, root_id } = treaty
  await keepSignature(context.db, treaty_id, otherParty(treaty, context.tenant_id).tenant, signature)
  const signatures = [...treaty.signatures, signature].sort((a, b) => (a.tenant < b.tenant ? -1 : 1))
  const { signed_by, method, authority } = signature
  const facts = { treaty_id, root_id, signed_by, method, authority: authority ?? undefined }
  if (signatures.length < 2) {
    const step = stepTo(treaty, 'TreatySigned', { state: 'PARTIALLY_SIGNED', signatures }, facts)
    return take(context, step)
  }
  const events = await keyEventsOfAll(
    context.db,
    signatures.map((one) => one.signed_by),
  )
  if (!signatures.every((one) => isWordFor(one, treaty_id, events.get(one.signed_by))))
    throw altered(context, treaty_id)
  if (parent) await supersede(context, treaty, parent)
  const agreed = await activate(context, { ...treaty, signatures }, facts)
  for (const grant of newGrants(treaty.body, parent?.body))
    tell(context, agreed, { type: 'CapabilityGrant', meta: grantMeta(agreed, grant) })
  return parent?.state === 'SUSPENDED' ? carrySuspension(context, agreed, parent) : agreed
}

async function activate(
  context: OperationContext,
  treaty: StoredTreaty,
  facts: object,
): Promise<StoredTreaty> {
  const activated_at = new Date(context.now)
  const is_later = new Date(treaty.body.effective_from) > activated_at
  const change = is_later
    ? { state: 'SIGNED' as const, activated_at }
    : { state: 'ACTIVE' as const, activated_at, in_force_at: activated_at }
  const agreed = await take(context, stepTo(treaty, 'TreatySigned', change, { ...facts }))
  const { id: treaty_id, root_id, body } = agreed
  if (is_later) return agreed
  if (body.parent === null) {
    tell(context, agreed, { type: 'TreatyActivated', meta: { treaty_id, root_id, state: 'ACTIVE' } })
    return agreed
  }
  const meta = { treaty_id, root_id, state: 'ACTIVE', parent: body.parent }
  tell(context, agreed, { type: 'TreatyAmended', meta })
  return agreed
}

/** The first amendment that both sign wins; others of the same parent lapse. */
async function supersede(
  context: OperationContext,
  amendment: StoredTreaty,
  parent: StoredTreaty,
): Promise<void> {
  const ended_at = new Date(context.now)
  const superseded_by = amendment.id
  await take(context, stepTo(parent, 'TreatyAmended', { state: 'SUPERSEDED', ended_at }, { superseded_by }))
  for (const other of await findPending(context.db, amendment.root_id, amendment.id))
    await take(context, stepTo(other, 'TreatyExpired', { state: 'LAPSED', ended_at }, { superseded_by }))
}

/** New terms do not lift a suspension of the old ones. */
async function carrySuspension(
  context: OperationContext,
  agreed: StoredTreaty,
  { suspended, open_cases }: StoredTreaty,
): Promise<StoredTreaty> {
  const carried = { state: 'SUSPENDED' as const, suspended, open_cases }
  return take(context, stepTo(agreed, 'TreatySuspended', carried, { by: suspended?.by, carried: true }))
}

function newGrants({ grants }: TreatyBody, before: TreatyBody | undefined) {
  return grants.filter((grant) => !before?.grants.some((old) => isDeepStrictEqual(old, grant)))
}

function grantMeta({ id: treaty_id, body }: StoredTreaty, grant: TreatyBody['grants'][number]) {
  const { to, capability, caveats = [] } = grant
  const { effective_from, expires_at } = body
  return { source: 'treaty', treaty_id, to_tenant: to, capability, caveats, effective_from, expires_at }
}

function answerOf(treaty: StoredTreaty): SignOutput {
  const { id: treaty_id, state, signatures, activated_at, body } = treaty
  const signed = signatures.map(({ authority: _, ...signature }) => signature)
  const missing = tenantsOf(treaty).filter((tenant) => !signatures.some((one) => one.tenant === tenant))
  if (!activated_at) return { treaty_id, state, signatures: signed, missing }
  const from_ms = Math.max(activated_at.getTime(), Date.parse(body.effective_from))
  return { treaty_id, state, signatures: signed, missing, active_from: new Date(from_ms).toISOString() }
}

function requireL2({ caller }: OperationContext): void {
  if (meetsLevel(caller, 'L2')) return
  throw refuse(
    'policy_denied',
    `This amendment widens the treaty, which needs conformance level L2; ${caller.did} has ${caller.conformance_level}.`,
    { reason: 'conformance L2 required', denying_policy: 'conformance L2' },
  )
}

function altered(context: OperationContext, treaty_id: string): Refusal {
  context.alarm('treaty altered', { treaty_id })
  return refuse(
    'policy_denied',
    'The stored treaty does not match its id and signatures; ask the operator to investigate.',
    { reason: 'treaty altered', denying_policy: 'MOAT integrity' },
  )
}

function overtaken(amendment_id: string, head: string | undefined): Refusal {
  return refuse(
    'policy_denied',
    `The amendment ${amendment_id} changes terms that are no longer in force; ${head ? `amend ${head} instead` : 'propose a new treaty'}.`,
    {
      reason: 'amendment parent is no longer the head',
      denying_policy: 'MOAT lineage',
      appeal_path: head ? 'MOAT propose_amendment' : 'MOAT propose',
    },
  )
}

function misnamed(id: string, what: string, instead: string): Refusal {
  return refuse('policy_denied', `${id} is ${what}; use ${instead} instead.`, {
    reason: `use ${instead}`,
    denying_policy: 'MOAT lineage',
  })
}
