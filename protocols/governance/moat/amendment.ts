// What an amendment changes, and whether it only narrows: that decides who may sign it. Pure.

import { isDeepStrictEqual } from 'node:util'
import { covers } from '@svc/contract/authority/capability'
import type { TreatyBody } from '@svc/contract/authority/treaty'
import { weeklyLimit } from '@svc/contract/authority/treaty-grants'

type Grant = TreatyBody['grants'][number]

/** True if the new terms allow anything the old ones did not; then the charter must decide. */
export function widens(before: TreatyBody, after: TreatyBody): boolean {
  if (Date.parse(after.expires_at) > Date.parse(before.expires_at)) return true
  if (Date.parse(after.effective_from) < Date.parse(before.effective_from)) return true
  if (!isDeepStrictEqual(after.settlement, before.settlement)) return true
  if (!isDeepStrictEqual(after.dispute_resolution, before.dispute_resolution)) return true
  const { per_hour, per_day } = before.rate_limits
  if (!isAtMost(after.rate_limits.per_hour, per_hour) || !isAtMost(after.rate_limits.per_day, per_day))
    return true
  return after.grants.some((grant) => !before.grants.some((old) => isWithin(grant, old)))
}

/** An absent bound means unlimited, so it is above every other. */
function isAtMost(bound: number | bigint | undefined, old: number | bigint | undefined): boolean {
  return old === undefined || (bound !== undefined && bound <= old)
}

function isWithin(grant: Grant, old: Grant): boolean {
  if (grant.to !== old.to || !covers(old.capability, grant.capability)) return false
  const [week, old_week] = [weekOf(grant), weekOf(old)]
  const counts = old_week !== undefined || old.limits?.max_per_hour !== undefined
  // Usage is counted per capability name, so a new name starts at zero.
  if (counts && grant.capability !== old.capability) return false
  const caveats = grant.caveats ?? []
  return (
    isAtMost(week, old_week) &&
    (['max_per_call_bps', 'max_per_hour', 'max_tokens'] as const).every((name) =>
      isAtMost(grant.limits?.[name], old.limits?.[name]),
    ) &&
    (old.caveats ?? []).every((caveat) => isBudget(caveat) || caveats.includes(caveat))
  )
}

/** The weekly budget, whether written as a limit or as a caveat. */
export function weekOf({ caveats = [], limits }: Grant): bigint | undefined {
  const budget = limits?.weekly_budget_usd
  return weeklyLimit(budget === undefined ? caveats : [...caveats, `weekly_budget:${budget}`])
}

function isBudget(caveat: string): boolean {
  return caveat.startsWith('weekly_budget:')
}

/** One RFC 6902 operation. */
export interface Change {
  readonly op: 'add' | 'remove' | 'replace'
  readonly path: string
  readonly value?: unknown
}

/** The differing terms, without parent and nonce. */
export function diffOf(before: TreatyBody, after: TreatyBody): Change[] {
  return changesAt('', termsOf(before), termsOf(after))
}

function termsOf({ parent: _parent, nonce: _nonce, ...terms }: TreatyBody): object {
  return terms
}

function changesAt(path: string, before: unknown, after: unknown): Change[] {
  if (isDeepStrictEqual(before, after)) return []
  if (Array.isArray(before) && Array.isArray(after)) return changesOfList(path, before, after)
  if (isObject(before) && isObject(after)) return changesOfObject(path, before, after)
  return [{ op: 'replace', path, value: after }]
}

function changesOfObject(
  path: string,
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): Change[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  return names.flatMap((name): Change[] => {
    const at = `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (!Object.hasOwn(after, name)) return [{ op: 'remove', path: at }]
    if (!Object.hasOwn(before, name)) return [{ op: 'add', path: at, value: after[name] }]
    return changesAt(at, before[name], after[name])
  })
}

/** Index by index; surplus items are removed from the end, so that no path shifts. */
function changesOfList(path: string, before: readonly unknown[], after: readonly unknown[]): Change[] {
  const shared = Math.min(before.length, after.length)
  const changed = after
    .slice(0, shared)
    .flatMap((item, place) => changesAt(`${path}/${place}`, before[place], item))
  const removed = before
    .slice(shared)
    .map((_, place): Change => ({ op: 'remove', path: `${path}/${shared + place}` }))
  const added = after.slice(shared).map((value): Change => ({ op: 'add', path: `${path}/-`, value }))
  return [...changed, ...removed.toReversed(), ...added]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
