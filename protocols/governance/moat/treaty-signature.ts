// A party's signature over the treaty id: its own, or made with a key in engine custody.

import { isEverKeyOf, type KeyEvent } from '@svc/contract/identity/key-events'
import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { isSignedBy, signingInput } from '@svc/contract/signing/signature'
import { isCurrentKey } from '../../identity/keys/api.ts'
import type { StoredSignature, StoredTreaty } from './treaty.ts'

/** How far a signer's clock may run ahead of ours. */
const skew_ms = 300_000

export interface Proof {
  readonly signature?: string | undefined
  /** The time in the signed text; required with a signature. */
  readonly timestamp?: string | undefined
  /** Required with a signature unless the key is in custody; a DID certifies its own key. */
  readonly public_key?: string | undefined
}

type Word = Omit<StoredSignature, 'authority'>

/** The exact text a party signs. */
export function treatyText(treaty_id: string, tenant: string, timestamp: string): string {
  return signingInput('svc-treaty-v1', { treaty_id, tenant, timestamp })
}

export async function requireWord(
  context: OperationContext<'custody'>,
  treaty: StoredTreaty,
  { signature, timestamp, public_key }: Proof,
): Promise<Word> {
  const { caller, tenant_id: tenant, now } = context
  const { did: signed_by } = caller
  if (signature === undefined) {
    const text = treatyText(treaty.id, tenant, now)
    const custodial = await context.custody.sign(signed_by, text)
    if (custodial) return { tenant, signed_by, timestamp: now, ...custodial, method: 'custodial' }
    throw unsigned(signed_by, text, now)
  }
  if (timestamp === undefined)
    throw misfit('timestamp', 'is required with signature: the timestamp in the signed text')
  requireMoment(timestamp, treaty, now)
  const key = public_key ?? (await context.custody.publicKeyOf(signed_by))
  if (key === undefined) throw misfit('public_key', 'is required with signature')
  const word: Word = { tenant, signed_by, timestamp, public_key: key, signature, method: 'own' }
  const is_own = await isCurrentKey(context.db, signed_by, key)
  const text = treatyText(treaty.id, tenant, timestamp)
  if (is_own && isSignedBy(key, text, signature)) return word
  context.alarm('signature invalid', { signed_by, domain: 'svc-treaty-v1', treaty_id: treaty.id })
  throw refuse(
    'policy_denied',
    `The signature is not a valid signature of ${signed_by}; sign the text in the fault exactly, with its key.`,
    { reason: 'signature invalid', faults: [{ pointer: '/signature', message: text }] },
  )
}

/** Checked again at the second signature: a treaty needs two valid signatures, not two rows. */
export function isWordFor(
  { tenant, signed_by, timestamp, public_key, signature }: Word,
  id: string,
  key_events: readonly KeyEvent[] = [],
): boolean {
  return (
    isEverKeyOf(signed_by, public_key, key_events) &&
    isSignedBy(public_key, treatyText(id, tenant, timestamp), signature)
  )
}

function requireMoment(timestamp: string, { proposed_at }: StoredTreaty, now: string): void {
  if (!isMoment(timestamp)) throw misfit('timestamp', 'is not a valid time')
  const [at_ms, now_ms] = [Date.parse(timestamp), Date.parse(now)]
  if (at_ms > now_ms + skew_ms) throw misfit('timestamp', `is in the future; the current time is ${now}`)
  if (at_ms < proposed_at.getTime() - skew_ms) throw misfit('timestamp', 'is before the treaty was proposed')
}

function unsigned(did: string, text: string, timestamp: string): Refusal {
  return refuse(
    'invalid_payload',
    `The engine has no key of ${did}, so a signature is required; sign the text in the fault exactly, ` +
      'Ed25519, base64url, and send it with this timestamp and public_key.',
    { reason: 'signature required', timestamp, faults: [{ pointer: '/signature', message: text }] },
  )
}

function misfit(field: string, why: string): Refusal {
  return refuse('invalid_payload', `${field} ${why}; correct it and sign again.`, {
    reason: 'fields do not fit together',
    faults: [{ pointer: `/${field}`, message: why }],
  })
}
