// Agents that show by DPoP, on each request, that they hold the key their session is bound to.
import type { HandleRequestInput } from '@svc/contract/dispatch'
import { parseDid } from '@svc/contract/identity/did'
import {
  type DpopProof,
  faultOfProof,
  proof_life_s,
  proofUntilMs,
  readDpopProof,
} from '@svc/contract/identity/dpop'
import { type Refusal, refuse, unavailable } from '@svc/contract/refusal'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import type { Credential } from '@svc/engine/call'
import type { Clock } from '@svc/engine/ports'
import type { Presented } from './presented.ts'
import { concerning } from './refused-holder.ts'
import { usedIds } from './use-once.ts'

const generation_ms = 2 * proof_life_s * 1000
const advice: Readonly<Record<string, string>> = {
  'no proof': 'Send a DPoP header signed by the key that proved your identity.',
  'proof invalid': 'The DPoP header is not a proof signed with the Ed25519 key in it; make a new one.',
  'proof for another address':
    'The DPoP proof names another method or address than this request; make one for it.',
  'proof for another token': 'The DPoP proof is for another token than the one sent; make one for it.',
  'proof for another body': 'The DPoP proof was made for another body than the one sent; make one for it.',
  'proof of another key': 'The DPoP proof is signed by another key than the one this session is bound to.',
  'proof out of time': `A DPoP proof is good for ${proof_life_s} seconds; set your clock, and make a new one.`,
  'proof replayed': 'This DPoP proof has been used before; each is good for one request.',
  'unknown identity':
    'No identity with this DID and key is registered here; its parent derives it with MACS derive.',
  'former key': 'The key of this identity was changed; sign with its current one.',
  'identity suspended': 'This identity is suspended; ask its parent or a charter member to resume it.',
  'identity revoked': 'This identity was revoked for good; use another one.',
  'session required':
    'Without a session only MACS can be called, to prove your identity; then send the session token.',
}

export interface ProofSettings {
  /** This surface as callers reach it. */
  publicUrl(): string
  isWrite(protocol: string, operation: string): boolean
  /** Whether it is needed to prove an identity, and so open to whoever has none yet. */
  isOpen(protocol: string, operation: string): boolean
  /** False where any replica has seen this id. */
  claim(id: string, until_ms: number): Promise<boolean>
  /** Undefined where no such identity has or had this key. */
  signerOf(did: string, public_key: string): Promise<Signer | undefined>
}

/** Whoever signed a request without a session. */
export interface Signer {
  /** Without capabilities of its own. */
  readonly credential: Credential
  /** Why it is refused all the same. */
  readonly fault?: 'former key' | 'identity suspended' | 'identity revoked'
}

type Named = Pick<HandleRequestInput, 'protocol' | 'operation'>

export interface Proofs {
  /** Refuses unless this request is signed by this key, for this token, now, and for the first time. */
  requireSigned(presented: Presented, public_key: string, token: string): void
  /** The key that signed a request without a token; used up with it. */
  signerOf(presented: Presented): string
  /** An agent without a session, on its way to one. */
  newcomer(presented: Presented): Promise<Credential>
  /** The same, admitted by a gateway; undefined where it is not known here. */
  credentialOf(did: string, public_key: string): Promise<Credential | undefined>
  /**
   * With the request at hand: a newcomer calls what proves an identity and nothing else, and one proof never causes a change twice.
   * Without one, as in MCP, it may be any change.
   */
  redeem(headers: Presented['headers'], request?: Named, body_sha256?: string): Promise<void>
  requireOpen(request: Named | undefined): void
  /** For another surface. */
  at(publicUrl: () => string): Proofs
  /** What a gateway tells the engine of a proof it has verified. */
  verified(
    headers: Presented['headers'],
    body_sha256: string,
  ): { readonly id: string; readonly public_key: string }
}

/** Signed, but without a token. */
export function isNewcomer({ dpop, authorization, cookie }: Presented['headers']): boolean {
  return dpop !== undefined && authorization === undefined && cookie === undefined
}

/** Whether its DPoP header was verified: other callers may send anything there. */
export function isProven(headers: Presented['headers'], { proof_key }: Credential): boolean {
  return proof_key !== undefined || isNewcomer(headers)
}

export function openProofs(settings: ProofSettings, clock: Clock): Proofs {
  const useOnce = usedIds(generation_ms, clock)
  const read = (presented: Presented, token?: string): DpopProof => {
    const text = presented.headers.dpop
    const proof = text === undefined ? undefined : readDpopProof(text)
    if (!proof) throw refused(text === undefined ? 'no proof' : 'proof invalid')
    const url = settings.publicUrl() + pathOf(presented.path)
    const fault = faultOfProof(proof, { method: presented.method, url, token, now_ms: clock.now_ms() })
    if (fault) throw refused(fault, clock.now_ms())
    return proof
  }
  const spend = (proof: DpopProof) => {
    if (!useOnce(idOf(proof))) throw refused('proof replayed')
  }
  const signerOf = (presented: Presented) => {
    const proof = read(presented)
    spend(proof)
    return proof.public_key
  }
  const requireOpen = (request: Named | undefined) => {
    if (!request || !settings.isOpen(request.protocol, request.operation)) throw refused('session required')
  }
  const credentialOf = async (did: string, public_key: string) => {
    const signer = await settings.signerOf(did, public_key)
    if (signer?.fault) throw concerning(signer.credential, refused(signer.fault))
    return signer?.credential
  }
  return {
    credentialOf,
    requireOpen,
    at: (publicUrl) => openProofs({ ...settings, publicUrl }, clock),
    requireSigned(presented, public_key, token) {
      const proof = read(presented, token)
      if (proof.public_key !== public_key) throw refused('proof of another key')
      spend(proof)
    },
    signerOf,
    async newcomer(presented) {
      const did = presented.headers['x-agent-did']
      const public_key = signerOf(presented)
      const credential = did !== undefined && parseDid(did) ? await credentialOf(did, public_key) : undefined
      if (!credential) throw refused('unknown identity')
      return credential
    },
    verified({ dpop }, body_sha256) {
      const proof = bound(dpop!, body_sha256)
      return { id: idOf(proof), public_key: proof.public_key }
    },
    async redeem(headers, request, body_sha256) {
      const proof = bound(headers.dpop!, body_sha256)
      if (isNewcomer(headers)) requireOpen(request)
      if (request && !settings.isWrite(request.protocol, request.operation)) return
      const is_first = await settings.claim(idOf(proof), proofUntilMs(proof)).catch((error) => {
        throw unavailable('database', error)
      })
      if (!is_first) throw refused('proof replayed')
    },
  }
}

/** A proof that was verified before its body was read. */
function bound(text: string, body_sha256: string | undefined): DpopProof {
  const proof = readDpopProof(text)!
  if (body_sha256 !== undefined && proof.body_sha256 !== undefined && proof.body_sha256 !== body_sha256)
    throw refused('proof for another body')
  return proof
}

/** As a UUID, which is what used ids are stored as. */
function idOf({ public_key, id }: DpopProof): string {
  const hex = sha256Hex(`${public_key}.${id}`)
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join(
    '-',
  )
}

function pathOf(path: string): string {
  const query = path.indexOf('?')
  return query < 0 ? path : path.slice(0, query)
}

/** With our time, by which a caller can set its own. */
function refused(reason: string, now_ms?: number): Refusal {
  const now = now_ms === undefined ? undefined : new Date(now_ms).toISOString()
  return refuse('unauthenticated', advice[reason]!, { reason, now })
}
