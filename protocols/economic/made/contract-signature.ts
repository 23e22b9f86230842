// Signatures: the party's own, or one by a key the engine holds for it.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { isCurrentKey } from '../../identity/keys/api.ts'
import type { ContractSignature } from '../contracts/api.ts'

export interface Proof {
  readonly signature?: string | undefined
  /** Required with a signature if the engine does not hold the key; the DID certifies it. */
  readonly public_key?: string | undefined
}

type Word = Omit<ContractSignature, 'purpose'>

/** The caller's signature over these fields. `resend`: fields that give a repeated offer the same id. */
export async function requireWord(
  context: OperationContext<'custody'>,
  text_fields: object,
  { signature, public_key }: Proof,
  resend: object = {},
): Promise<Word> {
  const { did } = context.caller
  const text = signingInput('svc-contract-v1', text_fields)
  if (signature === undefined) {
    const custodial = await context.custody.sign(did, text)
    if (custodial) return { signed_by: did, ...custodial, method: 'custodial', signed_at: context.now }
    throw unsigned(text, resend)
  }
  const key = public_key ?? (await context.custody.publicKeyOf(did))
  if (key === undefined) throw keyless()
  if ((await isCurrentKey(context.db, did, key)) && isSignedBy(key, text, signature))
    return { signed_by: did, public_key: key, signature, method: 'own', signed_at: context.now }
  context.alarm('signature invalid', { signed_by: did, domain: 'svc-contract-v1' })
  throw refuse(
    'policy_denied',
    'The signature does not fit this text and your key; sign the text in faults exactly as it is, with your current key.',
    { reason: 'signature invalid', ...resend, faults: [{ pointer: '/signature', message: text }] },
  )
}

function unsigned(text: string, resend: object): Refusal {
  return refuse(
    'invalid_payload',
    'The engine keeps no key of yours, so this needs your signature: sign the text in faults exactly as it is ' +
      '(Ed25519, base64url), and send it with public_key.',
    { reason: 'signature required', ...resend, faults: [{ pointer: '/signature', message: text }] },
  )
}

function keyless(): Refusal {
  return refuse(
    'invalid_payload',
    'A signature was sent without the public key that verifies it; send public_key as well.',
    {
      reason: 'public_key missing',
      faults: [{ pointer: '/public_key', message: 'is needed beside signature' }],
    },
  )
}
