// Who signs an entry: the agent, its parent, or a key the engine holds. There are no unsigned entries.
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { isSignedBy } from '@svc/contract/signing/signature'
import { isCurrentKey } from '../../identity/keys/api.ts'
import type { EntryKind, EntrySignature } from './entry.ts'

export interface Proof {
  readonly signature?: string
  /** Required if the engine does not hold the signer's key; the DID certifies it. */
  readonly public_key?: string
  /** Accepted signers, most likely first. */
  readonly signers: readonly string[]
}

interface Asked {
  readonly kind: EntryKind
  /** The address of the content to be signed. */
  readonly names: string
  /** The text to sign before somebody registered a newer version. */
  readonly outdated?: string
}

/** The supplied signature, or one by a key the engine holds for the caller. */
export async function requireSignature(
  context: OperationContext<'audit_log' | 'custody'>,
  text: string,
  proof: Proof,
  request: Asked,
): Promise<EntrySignature> {
  if (proof.signature !== undefined) return verifySignature(context, text, proof, request.outdated)
  const { did } = context.caller
  const custodial = proof.signers.includes(did) ? await context.custody.sign(did, text) : undefined
  if (custodial) return { signed_by: did, ...custodial, method: 'custodial' }
  // An agent signs for itself; a tenant's actions are in its audit log, so that log's key may sign them.
  if (request.kind === 'agent') throw unsigned(did, text, request.names)
  const { key_id, public_key, signature } = await context.audit_log.sign(Buffer.from(text))
  return { signed_by: `book:${key_id}`, public_key, signature, method: 'book' }
}

export async function verifySignature(
  context: OperationContext<'custody'>,
  text: string,
  proof: Proof,
  outdated?: string,
): Promise<EntrySignature> {
  const { signed_by, public_key } = await signerOf(context, proof)
  const signature = proof.signature!
  if (isSignedBy(public_key, text, signature)) return { signed_by, public_key, signature, method: 'own' }
  if (outdated !== undefined && isSignedBy(public_key, outdated, signature)) throw overtaken(text)
  context.alarm('signature invalid', { signed_by, domain: 'svc-registry-v1' })
  throw refuse(
    'policy_denied',
    "The signature does not fit this entry and its signer's key; sign the text in faults exactly as it is, with the current key.",
    { reason: 'signature invalid', signed_by, faults: [{ pointer: '/signature', message: text }] },
  )
}

async function signerOf(context: OperationContext<'custody'>, { public_key, signers }: Proof) {
  for (const did of signers) {
    const signer_key = public_key ?? (await context.custody.publicKeyOf(did))
    if (signer_key !== undefined && (await isCurrentKey(context.db, did, signer_key)))
      return { signed_by: did, public_key: signer_key }
  }
  if (public_key === undefined) {
    throw refuse(
      'invalid_payload',
      'A signature was sent without the public key that verifies it; send public_key as well.',
      {
        reason: 'public_key missing',
        faults: [{ pointer: '/public_key', message: 'is needed beside signature' }],
      },
    )
  }
  context.alarm('public key does not match DID', { signers, domain: 'svc-registry-v1' })
  throw refuse(
    'policy_denied',
    'The public key is neither that of the agent nor that of its parent; sign with one of theirs.',
    { reason: 'public key does not match DID' },
  )
}

/** The text is put among the faults, which are returned but never recorded. */
function unsigned(did: string, text: string, names: string): Refusal {
  return refuse(
    'invalid_payload',
    'The engine keeps no key of the signer, so the entry needs a signature: sign the text in faults exactly as it is (Ed25519, base64url).',
    {
      reason: 'signature required',
      signer: did,
      entry: names,
      faults: [{ pointer: '/signature', message: text }],
    },
  )
}

function overtaken(text: string): Refusal {
  return refuse(
    'invalid_payload',
    'A newer version was registered after this was signed; sign the text in faults, which follows that version.',
    { reason: 'version_conflict', faults: [{ pointer: '/signature', message: text }] },
  )
}
