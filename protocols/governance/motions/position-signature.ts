// A vote's signature: by the seat itself, or with a key in engine custody.

import { isEverKeyOf, type KeyEvent } from '@svc/contract/identity/key-events'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { isCurrentKey } from '../../identity/keys/api.ts'
import type { Motion } from './motion.ts'
import type { Position } from './motion-tally.ts'
import type { TakenPosition, VoteSignature } from './position-store.ts'

interface Vote {
  readonly motion_hash: string
  readonly did: string
  readonly position: Position
  readonly reasoning: string
}

function voteText({ motion_hash, did, position, reasoning }: Vote): string {
  return signingInput('svc-vote-v1', { motion_hash, did, position, reasoning_hash: sha256Hex(reasoning) })
}

export interface Proof {
  readonly signature?: string | undefined
  /** Required with a signature unless the key is in custody; a DID certifies its own key. */
  readonly public_key?: string | undefined
}

/** Null only if the vote needs no signature; charter-level votes do. */
export async function requireVote(
  context: OperationContext<'custody'>,
  { motion_hash, body }: Motion,
  vote: Pick<Vote, 'position' | 'reasoning'>,
  { signature, public_key }: Proof,
): Promise<VoteSignature | null> {
  const { did } = context.caller
  const text = voteText({ motion_hash, did, ...vote })
  if (signature === undefined) {
    const custodial = await context.custody.sign(did, text)
    if (custodial) return { ...custodial, method: 'custodial' }
    if (body.charter_level) throw unsigned(did, text)
    return null
  }
  const key = public_key ?? (await context.custody.publicKeyOf(did))
  if (key === undefined) throw keyless()
  if ((await isCurrentKey(context.db, did, key)) && isSignedBy(key, text, signature))
    return { signature, public_key: key, method: 'own' }
  context.alarm('signature invalid', { signed_by: did, domain: 'svc-vote-v1' })
  throw refuse(
    'policy_denied',
    `The signature is not a valid signature of ${did} over this vote; sign the text in the fault exactly, with its key.`,
    { reason: 'signature invalid', faults: [{ pointer: '/signature', message: text }] },
  )
}

/** Checked again whenever a decision relies on it, with the keys that its seat has had. */
export function isVoteOf(
  { motion_hash }: Pick<Motion, 'motion_hash'>,
  taken: TakenPosition,
  key_events: readonly KeyEvent[] = [],
): boolean {
  const { did, signed } = taken
  return (
    signed !== null &&
    isEverKeyOf(did, signed.public_key, key_events) &&
    isSignedBy(signed.public_key, voteText({ motion_hash, ...taken }), signed.signature)
  )
}

function unsigned(did: string, text: string): Refusal {
  return refuse(
    'invalid_payload',
    `The engine has no key of ${did}, so a charter-level vote needs a signature; sign the text in the fault ` +
      'exactly, Ed25519, base64url, and send it with public_key.',
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
