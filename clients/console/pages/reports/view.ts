// A saved view as people read it.
import type { OutputOf } from '@svc/sdk'
import { hashOf } from '../../shell/address.ts'
import { words } from '../../words/en.ts'
import { storedIn } from '../audit-log/search.ts'

export type View = OutputOf<'MAX', 'list_views'>['items'][number]
export type Schedule = NonNullable<View['schedule']>

const text = words.reports

/** One's own and the organization's may have the same name. */
export function keyOf({ name, shared }: View): string {
  return `${shared ? 'all' : 'own'}:${name}`
}

export function whoseText({ shared }: View): string {
  return shared ? text.of_all : text.own
}

/** `Weekly, Monday 07:30 Europe/Berlin` */
export function scheduleText({ schedule }: View): string {
  if (!schedule) return text.manual
  const { every, at, day = 1, time_zone = 'UTC' } = schedule
  const on = { daily: '', weekly: `${text.weekdays[day - 1]} `, monthly: `${day}. ` }[every]
  return `${text.cadences[every]}, ${on}${at} ${time_zone}`
}

export function stateOf({ schedule, last_failure, last_run_at }: View): string {
  if (!schedule) return text.manual
  if (last_failure !== undefined) return text.run_failed
  return last_run_at === undefined ? text.run_waits : text.run_done
}

/** Fields that only order and page the answer are no filters. */
const paging = ['limit', 'after_seq', 'before_seq', 'cursor']

/** `outcome: refused, protocol: MOAT` */
export function filtersText({ filters }: View): string {
  const shown = Object.entries(filters).filter(([field]) => !paging.includes(field))
  const parts = shown.map(([field, value]) => `${field}: ${textOf(value)}`)
  return parts.join(', ') || text.no_filters
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(' ')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** Undefined where no page of the console shows it, as with one that was saved by the command line. */
export function hrefOf({ page, operation, filters }: View): string | undefined {
  if (operation !== 'MAX.audit_query') return undefined
  const shown_on = page === 'requests' ? 'requests' : 'audit-log/records'
  const [word = '', ...rest] = shown_on.split('/')
  return hashOf(word, rest, storedIn(shown_on).queryOf(filters))
}
