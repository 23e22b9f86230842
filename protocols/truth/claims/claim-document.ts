// A claim: the signed document, identified by its hash. Nothing in it depends on the time of arrival.

import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { Closed, Did, described, HexHash, ListOf, OneOf, Ref, Text, Timestamp } from '@svc/contract/schema'
import { canonicalJson, sha256Hex } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  isFunctionalWord,
  nameKey,
  normaliseName,
  normaliseValue,
  predicateKey,
  TripleValue,
} from '../../cognition/content/api.ts'
import { declaredFunctional } from '../../cognition/knowledge/api.ts'
import { any_topic, faulty } from '../opinions/api.ts'

export const evidence_max = 50

export const claim_stances = ['supports', 'refutes', 'context'] as const
export const ClaimRef = Type.String({ pattern: '^maven://claim/[0-9a-f]{64}$' })
export const Confidence = Type.Number({ minimum: 0, maximum: 1, default: 1 })
export const Topic = Type.String({
  pattern: '^[^\\u0000-\\u001f]{1,128}$',
  default: any_topic,
  description: 'Topic, as MATA weighs sources by it; * is everything.',
})
export const Method = OneOf('observation', 'measurement', 'inference', 'testimony', 'computation')

export const Said = Type.Union(
  [
    Text(4096, { description: 'A statement.' }),
    Closed({
      subject: Text(512, { description: 'What the claim is about.' }),
      predicate: Text(128, { description: 'The relation, such as ceo or located_in.' }),
      object: described(TripleValue, 'Value of the relation: a text, a number or a truth value.'),
      functional: Type.Optional(
        Type.Boolean({ description: 'Whether the subject has one value of the predicate at a time.' }),
      ),
    }),
  ],
  { description: 'The claim: a statement, or a subject, a predicate and an object.' },
)
export type Said = Static<typeof Said>

/** Evidence as named in the document; `ref` is set if its bytes were seen. */
export const CitedEvidence = Closed({
  hash: described(HexHash, 'sha256 of the evidence, in lower hex.'),
  stance: described(OneOf(...claim_stances), 'Whether it supports or refutes the claim, or is only context.'),
  ref: Type.Optional(
    described(Ref, 'Content that holds the evidence; absent where its bytes were not seen.'),
  ),
  version: Type.Optional(Type.Integer({ minimum: 1, description: 'Version of that content.' })),
  uri: Type.Optional(Type.String({ description: 'Its location outside; never fetched.' })),
  media_type: Type.Optional(Type.String({ description: 'What the bytes are.' })),
})
export type CitedEvidence = Static<typeof CitedEvidence>

export const ClaimDocument = Closed(
  {
    type: described(OneOf('MavenClaim'), 'Type of the document.'),
    issuer: described(Did, 'Who claims it.'),
    claim: Said,
    evidence: described(ListOf(CitedEvidence, 1, evidence_max), 'What the claim rests on, by hash.'),
    confidence: described(Confidence, 'How sure the issuer is.'),
    topic: Topic,
    valid_from: Type.Optional(described(Timestamp, 'From when it holds; absent: always.')),
    valid_to: Type.Optional(described(Timestamp, 'Until when it holds; absent: with no end.')),
    method: Type.Optional(described(Method, 'How the issuer came to know it.')),
    supersedes: Type.Optional(described(ClaimRef, 'Earlier claim of the issuer that this one replaces.')),
  },
  { description: 'The signed document; its sha256 in canonical JSON is the id of the claim.' },
)
export type ClaimDocument = Static<typeof ClaimDocument>

export interface ClaimTerms {
  readonly claim: Said
  readonly confidence?: number
  readonly topic?: string
  readonly valid_from?: string
  readonly valid_to?: string
  readonly method?: Static<typeof Method>
  readonly supersedes?: string
}

/** Refuses a date that does not exist and an empty period. */
export function documentOf(
  issuer: string,
  terms: ClaimTerms,
  evidence: readonly CitedEvidence[],
  pointer = '',
): ClaimDocument {
  const { claim, confidence = 1, topic = any_topic, valid_from, valid_to, method, supersedes } = terms
  requireSpan(valid_from, valid_to, pointer)
  return {
    type: 'MavenClaim',
    issuer,
    claim,
    evidence: [...evidence],
    confidence,
    topic,
    ...(valid_from !== undefined && { valid_from }),
    ...(valid_to !== undefined && { valid_to }),
    ...(method !== undefined && { method }),
    ...(supersedes !== undefined && { supersedes }),
  }
}

export function requireMoment(time: string | undefined, pointer: string): void {
  if (time !== undefined && !isMoment(time))
    throw faulty('bad_time', pointer, 'is not a day of the calendar; give a time that exists')
}

function requireSpan(from: string | undefined, to: string | undefined, pointer: string): void {
  requireMoment(from, `${pointer}/valid_from`)
  requireMoment(to, `${pointer}/valid_to`)
  if (from !== undefined && to !== undefined && Date.parse(from) >= Date.parse(to))
    throw faulty('empty_validity', `${pointer}/valid_to`, 'is not after valid_from, so the claim never holds')
}

export function claimIdOf(document: ClaimDocument): string {
  return sha256Hex(canonicalJson(document))
}

export function claimRef(claim_id: string): string {
  return `maven://claim/${claim_id}`
}

export function claimIdIn(ref: string): string | undefined {
  return /^maven:\/\/claim\/([0-9a-f]{64})$/.exec(ref)?.[1]
}

/** The plain text of a claim: used for search and billing. */
export function textOf(claim: Said): string {
  return typeof claim === 'string' ? claim : `${claim.subject} ${claim.predicate} ${claim.object}`
}

export interface ClaimKeys {
  /** Equal for equal statements. */
  readonly said_key: string
  /** Equal for all answers to a single-valued question. */
  readonly question_key: string | null
}

export async function keysOf(context: OperationContext<'vault'>, claim: Said): Promise<ClaimKeys> {
  const blind = (text: string) => context.vault.blind(text)
  if (typeof claim === 'string')
    return { said_key: blind(`claim statement ${normaliseName(claim)}`), question_key: null }
  const predicate = predicateKey(blind, claim.predicate)
  const question = `${nameKey(blind, claim.subject)} ${predicate}`
  const is_functional = claim.functional ?? (await hasOneValue(context, claim, predicate))
  return {
    said_key: blind(`claim triple ${question} ${normaliseValue(claim.object)}`),
    question_key: is_functional ? blind(`claim question ${question}`) : null,
  }
}

/** Numbers and booleans are exclusive; for text the predicate decides. */
async function hasOneValue(
  context: OperationContext,
  { predicate, object }: Exclude<Said, string>,
  key: string,
): Promise<boolean> {
  if (typeof object !== 'string' || isFunctionalWord(predicate)) return true
  return (await declaredFunctional(context, [key], [])).has(key)
}
