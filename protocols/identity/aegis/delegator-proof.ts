// Proves that a delegation comes from the delegator: by its signature, or the engine's if it has custody.
import {
  type ChallengeAnswer,
  type ChallengeUse,
  challengeFault,
} from '@svc/contract/authority/delegation-challenge'
import {
  type DelegationToken,
  tokenInput,
  type UnsignedToken,
} from '@svc/contract/authority/delegation-token'
import type { KeyEvent } from '@svc/contract/identity/key-events'
import type { OperationContext } from '@svc/contract/operation-context'
import { Refusal, refuse } from '@svc/contract/refusal'
import { isSignedBy } from '@svc/contract/signing/signature'
import { isCurrentKey, keyEventsOf } from '../keys/api.ts'
import { askNode } from './aegis-answers.ts'

export interface SignedToken {
  readonly token: DelegationToken
  readonly public_key: string
  readonly method: 'custodial' | 'client'
}

export async function signToken(
  context: OperationContext<'custody'>,
  draft: UnsignedToken,
  proof: { readonly signature?: string; readonly public_key?: string },
): Promise<SignedToken> {
  const input = tokenInput(draft)
  if (proof.signature === undefined) {
    const signed = await context.custody.sign(draft.from_did, input)
    if (!signed) throw needsSignature(draft, input)
    return {
      token: { ...draft, signature: signed.signature },
      public_key: signed.public_key,
      method: 'custodial',
    }
  }
  const public_key = await keyOf(context, draft.from_did, proof.public_key)
  if (!isSignedBy(public_key, input, proof.signature)) {
    context.alarm('signature invalid', { from_did: draft.from_did, to_did: draft.to_did })
    throw refuse(
      'policy_denied',
      'The signature does not match this delegation token; sign exactly details.signing_input.',
      { reason: 'signature invalid', signing_input: input, token: draft },
    )
  }
  return { token: { ...draft, signature: proof.signature }, public_key, method: 'client' }
}

function needsSignature(draft: UnsignedToken, signing_input: string): Refusal {
  return refuse(
    'invalid_payload',
    `The engine has no key of ${draft.from_did}; sign exactly details.signing_input and send it as signature.`,
    {
      reason: 'signature required',
      faults: [{ pointer: '/signature', message: 'is required: the key is not in custody' }],
      signing_input,
      token: draft,
    },
  )
}

/** What proves to the node that a key which is not the first is one of the DID. */
export async function eventsFor({ db }: OperationContext, did: string): Promise<{ key_events?: KeyEvent[] }> {
  const key_events = await keyEventsOf(db, did)
  return key_events.length > 0 ? { key_events } : {}
}

/** The key of a DID: sent with the call, in custody, or from its document. */
async function keyOf(
  context: OperationContext<'custody'>,
  did: string,
  public_key?: string,
): Promise<string> {
  const key = public_key ?? (await context.custody.publicKeyOf(did)) ?? (await documentedKey(context, did))
  if (key === undefined) {
    throw refuse('invalid_payload', `The public key of ${did} is not known here; send it as public_key.`, {
      reason: 'public key required',
      faults: [{ pointer: '/public_key', message: 'is required: no document of this identity was found' }],
    })
  }
  if (!(await isCurrentKey(context.db, did, key))) {
    context.alarm('public key does not match DID', { did })
    throw refuse('policy_denied', `The public key is not the one ${did} certifies; send the right one.`, {
      reason: 'public key does not match DID',
    })
  }
  return key
}

async function documentedKey(context: OperationContext, did: string): Promise<string | undefined> {
  try {
    const answer = (await context.call('OAS', 'resolve', { did })) as { document?: { public_key?: string } }
    return answer.document?.public_key
  } catch (error) {
    // Without an identity node the caller can still send its key.
    if (error instanceof Refusal) return undefined
    throw error
  }
}

/** Checks the answer to a challenge locally; the node checks it again when it consumes the challenge. */
export async function readProof(
  context: OperationContext<'custody' | 'remote'>,
  proof: {
    readonly challenge_id?: string
    readonly challenge_signature?: string
    readonly public_key?: string
  },
  uses: readonly Omit<ChallengeUse, 'now'>[],
): Promise<{ answer: ChallengeAnswer; purpose: ChallengeUse['purpose'] } | undefined> {
  const { challenge_id, challenge_signature: signature } = proof
  if (challenge_id === undefined && signature === undefined) return undefined
  if (challenge_id === undefined || signature === undefined) {
    throw refuse(
      'invalid_payload',
      'Answering a challenge requires both challenge_id and challenge_signature.',
      {
        reason: 'challenge incomplete',
      },
    )
  }
  const stored = await askNode(context, 'find_challenge', { challenge_id })
  const use = uses.find(({ purpose }) => purpose === stored.challenge.purpose) ?? uses[0]!
  const own_key = use.subject_did === context.caller.did ? proof.public_key : undefined
  const public_key = await keyOf(context, use.subject_did, own_key)
  const answer = { challenge_id, signature, public_key, ...(await eventsFor(context, use.subject_did)) }
  const reason = challengeFault(stored, answer, { ...use, now: context.now })
  if (reason) {
    context.alarm(reason, { challenge_id, subject_did: use.subject_did })
    throw refuse('policy_denied', `The challenge failed: ${reason}; request a new one.`, { reason })
  }
  return { answer, purpose: use.purpose }
}
