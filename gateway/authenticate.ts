// Who holds this key? The header's DID is a claim; the key's binding decides.
import { timingSafeEqual } from 'node:crypto'
import { parseApiKey } from '@svc/contract/api-key'
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock, Credential, KeyRecord, KeyRing } from '@svc/engine/ports'

const scheme = 'bearer '

/** A value rather than a promise where the key is cached: this runs before every call. */
export function authenticate(
  authorization: string | undefined,
  claimed_did: string | undefined,
  keys: KeyRing,
  clock: Clock,
): Credential | Promise<Credential> {
  const token = authorization === undefined ? undefined : bearerToken(authorization)
  const presented = token === undefined ? undefined : parseApiKey(token)
  if (!presented) {
    throw unauthenticated(
      authorization === undefined ? 'no credential' : 'malformed credential',
      'Send Authorization: Bearer <API key>; npm start prints one for development.',
    )
  }
  const found = keys.find(presented.key_id)
  if (found instanceof Promise)
    return found.then((record) => letIn(keys, check(record, presented.secret_hash, claimed_did, clock)))
  return letIn(keys, check(found, presented.secret_hash, claimed_did, clock))
}

function letIn(keys: KeyRing, credential: Credential): Credential {
  keys.used(credential.key_id)
  return credential
}

function bearerToken(authorization: string): string | undefined {
  const named = authorization.slice(0, scheme.length).toLowerCase() === scheme
  return named ? authorization.slice(scheme.length) : undefined
}

function check(
  record: KeyRecord | undefined,
  secret_hash: Buffer,
  claimed_did: string | undefined,
  clock: Clock,
): Credential {
  // An unknown id and a wrong secret read the same, so nobody learns which ids exist.
  if (!record || !timingSafeEqual(record.secret_hash, secret_hash)) {
    throw unauthenticated('unknown key', 'This API key is not known here; check it, or ask for a new one.')
  }
  if (record.revoked) throw unauthenticated('key revoked', 'This API key was revoked; ask for a new one.')
  if (record.expires_at_ms !== null && record.expires_at_ms <= clock.now_ms()) {
    throw unauthenticated('key expired', 'This API key has expired; ask for a new one.')
  }
  if (claimed_did === undefined) {
    throw unauthenticated('no agent did', 'Send X-Agent-Did with the DID this key is bound to.')
  }
  if (claimed_did !== record.did) {
    throw unauthenticated(
      'agent did mismatch',
      'X-Agent-Did is not the DID this key is bound to; send that one.',
    )
  }
  return record
}

function unauthenticated(reason: string, sentence: string): Refusal {
  return refuse('unauthenticated', sentence, { reason })
}
