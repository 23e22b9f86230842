// A credential for a passed evaluation: what is signed, and how anybody verifies it offline.

import { parseDid } from '@svc/contract/identity/did'
import { isEverKeyOf, type KeyEvent } from '@svc/contract/identity/key-events'
import { Closed, Did, described, ListOf, OneOf, Ref, Timestamp } from '@svc/contract/schema'
import {
  type DataIntegrityProof,
  keyOfMethod,
  Proof,
  verifyProof,
} from '@svc/contract/signing/data-integrity'
import { type Static, Type } from 'typebox'
import { condition_kinds } from './ethics.ts'
import {
  decodeBits,
  purposes,
  readBit,
  type StatusListName,
  status_bits,
  statusListRef,
  vc_context,
} from './status-list.ts'

const valid_ms = 365 * 86_400_000
const types = ['VerifiableCredential', 'MeritCredential'] as const

const StatusEntry = Closed({
  id: Type.String({ description: 'The list and the place in it.' }),
  type: described(OneOf('BitstringStatusListEntry'), 'Kind of status, as W3C names it.'),
  statusPurpose: described(OneOf(...purposes), 'What the list is about.'),
  statusListIndex: Type.String({
    pattern: '^(0|[1-9]\\d{0,5})$',
    description: 'Place of this credential in the list.',
  }),
  statusListCredential: described(Ref, 'The public list to check.'),
})

export const CredentialRef = Type.String({
  pattern: '^merit://credential/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
  description: 'Names a credential: merit://credential/<id>.',
})

const unsigned = {
  '@context': described(ListOf(OneOf(vc_context), 1, 1), 'Vocabulary of the fields, as W3C requires it.'),
  id: CredentialRef,
  type: described(ListOf(OneOf(...types), 2, 2), 'What it is, as W3C names it.'),
  issuer: described(Did, 'Who certifies.'),
  validFrom: described(Timestamp, 'It is valid from then on.'),
  validUntil: described(Timestamp, 'It is valid until then.'),
  credentialSubject: Closed(
    {
      id: described(Did, 'Who is certified.'),
      evaluation: described(Ref, 'Evaluation it rests on.'),
      action: Closed(
        {
          kind: Type.String({ description: 'Its kind.' }),
          description: Type.String({ description: 'What was to be done, in the words that were judged.' }),
          target_ref: Type.Optional(described(Ref, 'What it was to be done to.')),
        },
        { description: 'The action that was evaluated: nothing else is certified.' },
      ),
      verdict: described(OneOf('permit', 'permit_with_conditions'), 'Result of the evaluation.'),
      conditions: described(
        ListOf(OneOf(...condition_kinds), 0, condition_kinds.length),
        'What the permission depends on; the evaluation says it in words.',
      ),
    },
    { description: 'Who and what is certified.' },
  ),
  credentialStatus: described(ListOf(StatusEntry, 2, 2), 'Where to check that it was not withdrawn.'),
}
const UnsignedCredential = Closed(unsigned)
export type UnsignedCredential = Static<typeof UnsignedCredential>

export const Credential = Closed(
  {
    ...unsigned,
    proof: Closed(
      {
        ...Proof.properties,
        '@context': described(ListOf(Type.String(), 1, 1), 'Vocabulary of the signed document.'),
      },
      { description: 'Signature; checked offline.' },
    ),
  },
  { description: 'W3C Verifiable Credential 2.0 with an eddsa-jcs-2022 proof: checked offline.' },
)
export type Credential = Static<typeof Credential>

export interface CredentialTerms {
  readonly credential_id: string
  readonly issuer: string
  readonly now: string
  readonly subject: UnsignedCredential['credentialSubject']
  readonly list: Omit<StatusListName, 'purpose'>
  readonly index: number
}

export function credentialRef(credential_id: string): string {
  return `merit://credential/${credential_id}`
}

export function credentialDocument(terms: CredentialTerms): UnsignedCredential {
  const { credential_id, issuer, now, subject, list, index } = terms
  return {
    '@context': [vc_context],
    id: credentialRef(credential_id),
    type: [...types],
    issuer,
    validFrom: now,
    validUntil: new Date(Date.parse(now) + valid_ms).toISOString(),
    credentialSubject: subject,
    credentialStatus: purposes.map((purpose) => {
      const ref = statusListRef({ ...list, purpose })
      return {
        id: `${ref}#${index}`,
        type: 'BitstringStatusListEntry',
        statusPurpose: purpose,
        statusListIndex: String(index),
        statusListCredential: ref,
      }
    }),
  }
}

export type CredentialStanding =
  | 'valid'
  | 'revoked'
  | 'suspended'
  | 'expired'
  | 'not_yet_valid'
  /** No authorized party signed exactly this. */
  | 'unproven'
  /** A list it names is missing, or is not signed by the organization. */
  | 'status_unknown'

export interface Trust {
  /** RFC 3339. */
  readonly now: string
  /** Keys of the issuer's audit log, base64url: they sign lists, and for issuers without a key in custody. */
  readonly organization_keys: readonly string[]
  /** Trusted issuers; any if omitted. A DID proves its key, not its tenant: then check who the issuer is. */
  readonly issuers?: readonly string[]
  /** Of the issuer's identity document, where it has changed its key. */
  readonly key_events?: readonly KeyEvent[]
}

type Fields = Readonly<Record<string, unknown>>

/** Whether a credential is valid, by itself and the newest lists it names. Pure, offline, never throws. */
export function verifyCredential(
  credential: unknown,
  status_lists: readonly unknown[],
  trust: Trust,
): CredentialStanding {
  if (!isFields(credential) || !isProven(credential, trust)) return 'unproven'
  const { issuer, validFrom, validUntil, credentialStatus } = credential
  const [from, until, now] = [validFrom, validUntil, trust.now].map((time) => Date.parse(String(time)))
  if (!(from! <= until!) || Number.isNaN(now)) return 'unproven'
  // The lists must belong to the issuer's claimed organization.
  const home = `merit://status_list/${parseDid(String(issuer))?.namespace}.`
  const credential_standings = listOf(credentialStatus).map((entry) =>
    standingOf(entry, home, status_lists, trust),
  )
  // Worst first: revocation overrides everything else.
  if (credential_standings.includes('revoked')) return 'revoked'
  if (now! < from!) return 'not_yet_valid'
  if (now! >= until!) return 'expired'
  const covers = purposes.every((purpose) =>
    listOf(credentialStatus).some((entry) => isFields(entry) && entry.statusPurpose === purpose),
  )
  if (!covers || credential_standings.includes('status_unknown')) return 'status_unknown'
  return credential_standings.includes('suspended') ? 'suspended' : 'valid'
}

/** By the issuer's own key, certified by its DID, or by the organization on its behalf. */
function isProven(credential: Fields, { organization_keys, issuers, key_events }: Trust): boolean {
  const { issuer, type, proof } = credential
  if (typeof issuer !== 'string' || !types.every((name) => listOf(type).includes(name))) return false
  if (issuers && !issuers.includes(issuer)) return false
  const key = verifyProof(credential, proof)
  if (key === undefined || (proof as DataIntegrityProof).controller !== issuer) return false
  return isEverKeyOf(issuer, key, key_events) || organization_keys.includes(key)
}

function standingOf(
  entry: unknown,
  home: string,
  status_lists: readonly unknown[],
  trust: Trust,
): CredentialStanding {
  if (!isFields(entry)) return 'status_unknown'
  const { statusListCredential, statusListIndex, statusPurpose } = entry
  if (!String(statusListCredential).startsWith(home)) return 'status_unknown'
  const list = newestOf(status_lists, statusListCredential, trust)
  const subject = list?.credentialSubject
  if (!isFields(subject) || subject.statusPurpose !== statusPurpose) return 'status_unknown'
  const index = Number(statusListIndex)
  const bits = decodeBits(subject.encodedList)
  if (!bits || !Number.isInteger(index) || index < 0 || index >= status_bits) return 'status_unknown'
  if (!readBit(bits, index)) return 'valid'
  if (statusPurpose === 'revocation') return 'revoked'
  const ends = isFields(subject.suspendedUntil)
    ? Date.parse(String(subject.suspendedUntil[index]))
    : Number.NaN
  return ends <= Date.parse(trust.now) ? 'valid' : 'suspended'
}

/** Of several lists with one name, the last signed counts. */
function newestOf(status_lists: readonly unknown[], id: unknown, trust: Trust): Fields | undefined {
  const signedAt = ({ validFrom }: Fields) => Date.parse(String(validFrom)) || 0
  return status_lists
    .filter((list): list is Fields => isFields(list) && list.id === id && isOrganizationList(list, trust))
    .sort((a, b) => signedAt(b) - signedAt(a))[0]
}

/** Signed by the key it names as issuer, which must be one of the organization's. */
function isOrganizationList(list: Fields, { organization_keys }: Trust): boolean {
  const key = verifyProof(list, list.proof)
  if (key === undefined || !organization_keys.includes(key)) return false
  if (typeof list.issuer !== 'string' || keyOfMethod(methodOf(list.issuer)) !== key) return false
  return listOf(list.type).includes('BitstringStatusListCredential')
}

/** `did:key:z…#z…` of `did:key:z…`. */
function methodOf(did_key: string): string {
  return `${did_key}#${did_key.slice('did:key:'.length)}`
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
