// Scopes and end times of holds.

import { did_pattern } from '@svc/contract/identity/did'
import { isMoment } from '@svc/contract/moment'
import { refuse } from '@svc/contract/refusal'
import { Closed, described, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const hold_ms_max = 90 * 86_400_000
const uuid_form = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

export const HoldInput = Closed({
  reason: Text(1000, { description: 'Why; callers are told it.' }),
  scope: Type.String({
    pattern: `^(tenant|envelope:${uuid_form}|agent:${did_pattern.replace(/^\^|\$$/g, '')}|protocol:[A-Za-z][A-Za-z0-9_-]{0,31})$`,
    maxLength: 256,
    description: 'tenant, envelope:<id>, agent:<did> or protocol:<ID>.',
  }),
  until: described(Timestamp, 'When the hold ends, at most 90 days ahead; now or earlier releases.'),
  hold_id: Type.Optional(
    described(Uuid, 'For a release: only this hold; absent: all of the scope that you may release.'),
  ),
})
export type HoldInput = Static<typeof HoldInput>

export interface Scope {
  readonly kind: 'tenant' | 'envelope' | 'agent' | 'protocol'
  /** Absent for the tenant itself. */
  readonly id?: string
}

export function parseScope(scope: string): Scope {
  const colon = scope.indexOf(':')
  if (colon < 0) return { kind: 'tenant' }
  return { kind: scope.slice(0, colon) as Scope['kind'], id: scope.slice(colon + 1) }
}

/** Protocol ids are case-insensitive: normalized, so that one scope has one name. */
export function scopeText({ kind, id }: Scope): string {
  if (id === undefined) return kind
  return `${kind}:${kind === 'protocol' ? id.toUpperCase() : id}`
}

/** Undefined if the time has passed: then it is a release. */
export function endOf(until: string, now: string): Date | undefined {
  const [until_ms, now_ms] = [Date.parse(until), Date.parse(now)]
  const message = !isMoment(until)
    ? 'is no moment that exists'
    : until_ms > now_ms + hold_ms_max
      ? 'is more than 90 days away'
      : undefined
  if (message === undefined) return until_ms > now_ms ? new Date(until_ms) : undefined
  throw refuse('invalid_payload', `until is ${until}, which ${message}; name another moment.`, {
    reason: 'until',
    faults: [{ pointer: '/until', message }],
  })
}
