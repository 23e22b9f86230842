// Replays decisions: rules by the texts of their time, rate limits by preceding calls, votes by the verdict.
import { type AuditRecord, isNote } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { findPage } from '../../awareness/registry/api.ts'
import {
  type Bucket,
  callsBefore,
  judgeAgain,
  levelAt,
  recordedScene,
  setNamed,
} from '../../awareness/replay/api.ts'
import type { Crowd } from './trace-node.ts'

/** Each is parsed for itself. */
const rules_asked_max = 64
const verdict_prefix = 'mace://verdict/'

/** References of all rules that forbade a call; undefined if none did or the record contradicts them. */
export async function forbiddingOf(
  record: AuditRecord,
  context: OperationContext<'policies'>,
): Promise<string[] | undefined> {
  const { denying_policy } = record.meta
  if (isNote(record) || typeof denying_policy !== 'string' || !denying_policy.startsWith('maxim://'))
    return undefined
  const digest = setNamed(record, context.tenant_id)
  if (digest === undefined) return undefined
  const set = await context.policies.named(digest)
  const judged = judgeAgain(record, context.tenant_id, set, context.policies.cedar)
  const against = judged.policies.filter(({ effect }) => effect === 'forbid')
  if (!judged.consistent || against.length === 0) return undefined
  return [...new Set(against.map(({ id, version }) => `maxim://${id}@${version}`))]
}

/** The other rules of the time that may have forbidden a call too: each is asked alone, with the input left open. */
export async function possibleOf(
  record: AuditRecord,
  { policies: { named, cedar }, tenant_id }: OperationContext<'policies'>,
): Promise<string[]> {
  const { denying_policy } = record.meta
  const digest = setNamed(record, tenant_id)
  if (isNote(record) || digest === undefined || !String(denying_policy).startsWith('maxim://')) return []
  const set = await named(digest)
  const recorded = recordedScene(record)
  if (!set || !recorded) return []
  const others = set.policies.filter((policy) => refOf(policy) !== denying_policy).slice(0, rules_asked_max)
  return others
    .filter((policy) => {
      const alone = { ...set, set_digest: `${set.set_digest}#${refOf(policy)}`, policies: [policy] }
      return (
        cedar.unknownsOf(alone, recorded.scene, ['input']).length > 0 ||
        cedar.decide(alone, recorded.scene).decision === 'deny'
      )
    })
    .map(refOf)
}

function refOf({ policy_id, version }: { readonly policy_id: string; readonly version: string }): string {
  return `maxim://${policy_id}@${version}`
}

export interface BucketCall {
  readonly at_ms: number
  readonly record_hash: string
}

/** How many of the preceding calls it took to exhaust the limit; undefined if it was not exhausted. */
export function crowdFor(calls: readonly BucketCall[], at_ms: number, bucket: Bucket): Crowd | undefined {
  const called_ms = calls.map((call) => call.at_ms)
  const level = levelAt(called_ms, at_ms, bucket)
  if (level >= 1 || calls.length === 0) return undefined
  const spare = Math.ceil(1 - level)
  const least = calls.length - spare + 1
  return least < 1 ? undefined : { of: calls.map(({ record_hash }) => record_hash), least }
}

/** The calls that exhausted the limit of a refused call. */
export async function crowdOf(
  record: AuditRecord,
  context: OperationContext<'served'>,
): Promise<{ needed: Crowd; calls: readonly AuditRecord[] } | undefined> {
  const before = await callsBefore(record, context)
  if (!before) return undefined
  const { calls, bucket } = before
  const needed = crowdFor(
    calls.map(({ timestamp, record_hash }) => ({ at_ms: Date.parse(timestamp), record_hash })),
    Date.parse(record.timestamp),
    bucket,
  )
  return needed && { needed, calls }
}

/** Whose agreement was required, by the verdict in the registry. */
export async function ballotOf(
  record: AuditRecord,
  context: OperationContext<'telemetry'>,
): Promise<Crowd | undefined> {
  const { verdict, outcome } = record.meta
  if (record.event_type !== 'MotionTallied' || outcome !== 'PASSED' || isNote(record)) return undefined
  if (typeof verdict !== 'string' || !verdict.startsWith(verdict_prefix)) return undefined
  const filter = {
    kind: 'verdict',
    subject: verdict.slice(verdict_prefix.length),
    tenant_id: context.tenant_id,
    versions: 'current',
  } as const
  const { entries } = await findPage(context, filter, 1)
  const { positions, counts, charter_level } = entries[0]?.body.content ?? {}
  if (!Array.isArray(positions) || typeof counts !== 'object' || counts === null) return undefined
  const seats = Object.values(counts as Record<string, number>).reduce((sum, count) => sum + count, 0)
  const against = Number((counts as Record<string, number>).against)
  const of = positions
    .filter(({ position }: { position?: unknown }) => position === 'for')
    .map(({ position_id }: { position_id?: unknown }) => String(position_id))
  const least = charter_level === true ? Math.floor(seats / 2) + 1 : against + 1
  return of.length >= least ? { of, least } : undefined
}
