// An arbiter's vote: signed by itself, or with a key in engine custody.

import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { isCurrentKey } from '../../identity/keys/api.ts'
import { storedRemedy, type Vote } from '../cases/api.ts'
import type { VoteWord } from './case-papers.ts'

/** The exact text an arbiter signs. */
function voteText(
  case_id: string,
  { arbiter_did, finding, remedy, frivolous }: Vote,
  reasoning: string,
): string {
  const ordered = remedy && storedRemedy(remedy)
  const reasoning_hash = sha256Hex(reasoning)
  const vote = { case_id, did: arbiter_did, finding, remedy: ordered, reasoning_hash }
  return signingInput('svc-vote-v1', { ...vote, ...(frivolous && { frivolous }) })
}

export interface Proof {
  readonly signature?: string | undefined
  /** Required with a signature unless the key is in custody; a DID certifies its own key. */
  readonly public_key?: string | undefined
}

export async function requireSignedVote(
  context: OperationContext<'custody'>,
  case_id: string,
  vote: Vote,
  reasoning: string,
  { signature, public_key }: Proof,
): Promise<VoteWord> {
  const { did } = context.caller
  const text = voteText(case_id, vote, reasoning)
  if (signature === undefined) {
    const custodial = await context.custody.sign(did, text)
    if (custodial) return { ...custodial, method: 'custodial' }
    throw unsigned(did, text)
  }
  const key = public_key ?? (await context.custody.publicKeyOf(did))
  if (key === undefined) throw keyless()
  if ((await isCurrentKey(context.db, did, key)) && isSignedBy(key, text, signature))
    return { public_key: key, signature, method: 'own' }
  context.alarm('signature invalid', { signed_by: did, domain: 'svc-vote-v1', case_id })
  throw refuse(
    'policy_denied',
    `The signature is not a valid signature of ${did} over this vote; sign the text in the fault exactly, with its key.`,
    { reason: 'signature invalid', faults: [{ pointer: '/signature', message: text }] },
  )
}

function unsigned(did: string, text: string): Refusal {
  return refuse(
    'invalid_payload',
    `The engine has no key of ${did}, so its vote needs a signature; sign the text in the fault exactly, ` +
      'Ed25519, base64url, and send it with public_key.',
    { reason: 'signature required', faults: [{ pointer: '/signature', message: text }] },
  )
}

function keyless(): Refusal {
  return refuse(
    'invalid_payload',
    'The signature was sent without its public key; send public_key as well.',
    {
      reason: 'public_key missing',
      faults: [{ pointer: '/public_key', message: 'is required with signature' }],
    },
  )
}
