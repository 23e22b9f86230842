// Patterns: cases with equal features and outcome, and recurring sequences of steps.
import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { Closed, ConformanceLevel, described, ListOf, OneOf, Outcome } from '@svc/contract/schema'
import { contentHash } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'

/** A record reduced to what mining needs. */
export interface Seen {
  readonly seq: number
  readonly record_hash: string
  readonly at_ms: number
  readonly correlation_id: string
  readonly caller_did: string
  readonly step: Step
  /** Only if it ended a request. */
  readonly features?: Features
  /** Index of its scene; absent if it has none. */
  readonly scene?: number | undefined
  /** True if one of the organization's own policies refused it. */
  readonly is_by_rule?: boolean
  /** True if it was refused because somebody decided so, not for a missing grant, a limit or a fault of the input. */
  readonly is_decided?: boolean
}

const text_length_max = 240
const hours_in_a_bucket = 6
export const sequence_length_max = 6

const Word = Type.String({ maxLength: text_length_max })

export const Features = Closed({
  protocol: Type.Optional(described(Word, 'Protocol that was called.')),
  operation: Type.Optional(described(Word, 'Operation that was called.')),
  caller_kind: Type.Optional(described(Word, 'Kind of identity that called.')),
  level: Type.Optional(described(ConformanceLevel, 'Conformance level of the caller.')),
  origin: Type.Optional(described(Word, 'Where the calls came from, such as http or mcp.')),
  hour_bucket: Type.Optional(
    described(OneOf('00-06', '06-12', '12-18', '18-24'), 'Hours of the day in UTC.'),
  ),
  cross_org: Type.Optional(
    Type.Boolean({ description: 'Whether caller and target were of different organizations.' }),
  ),
  reason: Type.Optional(described(Word, 'Why it was refused or failed.')),
})
export type Features = Static<typeof Features>
type FeatureName = keyof Features

export const Step = Closed({
  event_type: described(Word, 'What was recorded.'),
  protocol: Type.Optional(described(Word, 'Protocol that was called.')),
  operation: Type.Optional(described(Word, 'Operation that was called.')),
  outcome: described(Outcome, 'How the step ended.'),
})
export type Step = Static<typeof Step>

export const Sequence = ListOf(Step, 2, sequence_length_max)

export type Pattern =
  | { readonly kind: 'decision'; readonly features: Features; readonly outcome: AuditRecord['outcome'] }
  | {
      readonly kind: 'sequence'
      /** Whether events are grouped by request or by caller. */
      readonly per: 'correlation' | 'caller'
      readonly sequence: readonly Step[]
      /** Outcome of the last step. */
      readonly outcome: AuditRecord['outcome']
    }

/** Depends only on the pattern: a later search finds it under the same id. */
export function patternId(pattern: Pattern): string {
  return contentHash(pattern)
}

/** Features of a request. The reason belongs to the decision, so only failures have it. */
export function featuresOf({ protocol, operation, outcome, timestamp, meta }: AuditRecord): Features {
  const level = wordOf(meta.caller_level)
  return {
    protocol: wordOf(protocol),
    operation: wordOf(operation),
    caller_kind: wordOf(meta.caller_kind),
    level: level === 'L0' || level === 'L1' || level === 'L2' ? level : undefined,
    origin: wordOf(meta.origin),
    hour_bucket: hourBucket(new Date(timestamp).getUTCHours()),
    cross_org: meta.target_tenant !== undefined || meta.caller_tenant !== undefined,
    reason: outcome === 'success' ? undefined : wordOf(meta.reason),
  }
}

export function stepOf({ event_type, protocol, operation, outcome }: AuditRecord): Step {
  return {
    event_type: event_type.slice(0, text_length_max),
    protocol: wordOf(protocol),
    operation: wordOf(operation),
    outcome,
  }
}

/** A missing grant may be given tomorrow, and a limit passes: neither says that the organization forbids it. */
export function isDecidedRefusal({ outcome, meta }: AuditRecord): boolean {
  return outcome === 'refused' && meta.code === 'policy_denied'
}

/** Whether a case has a pattern's features, whatever the decision. */
export function looksLike(features: Features, pattern: Features): boolean {
  return featureNames(pattern).every((name) => name === 'reason' || features[name] === pattern[name])
}

export function featureNames(features: Features): FeatureName[] {
  return (Object.keys(features) as FeatureName[]).filter((name) => features[name] !== undefined)
}

function hourBucket(hour: number): NonNullable<Features['hour_bucket']> {
  const from = hour - (hour % hours_in_a_bucket)
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(from)}-${two(from + hours_in_a_bucket)}` as NonNullable<Features['hour_bucket']>
}

function wordOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, text_length_max).toWellFormed() : undefined
}

export function recordRef(tenant_id: string, { record_hash }: { readonly record_hash: string }): string {
  return `max://${tenant_id}/record/${record_hash}`
}
