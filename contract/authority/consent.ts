// Whose consent a rule wants: `role:finance`, `anna,bob`, `2 of role:finance,anna within 4h use 30m`. Parsed here only.
import { parseDid } from '../identity/did.ts'

export interface Consent {
  /** How many people must consent. */
  readonly count: number
  /** Without `role:`. */
  readonly roles: readonly string[]
  readonly dids: readonly string[]
  /** User names. */
  readonly users: readonly string[]
  /** How long it may be decided, and how long it may then be used. */
  readonly decide_ms: number
  readonly use_ms: number
}

const names_max = 16
const count_max = 5
const length_max = 1_000
const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const day_ms = 24 * hour_ms
const decide_ms_default = day_ms
const use_ms_default = hour_ms
const span_ms_max = 30 * day_ms
const units: Readonly<Record<string, number>> = { m: minute_ms, h: hour_ms, d: day_ms }

const form = /^(?:([1-9]) of )?(\S+)(?: within ([1-9]\d{0,3})([mhd]))?(?: use ([1-9]\d{0,3})([mhd]))?$/
const role_form = /^role:([a-z][a-z0-9_]{0,31})$/
const user_form = /^[a-z0-9][a-z0-9._+@-]{0,127}$/

/** Undefined where nobody could ever satisfy it. */
export function parseConsent(text: string): Consent | undefined {
  if (text.length > length_max) return undefined
  const [, count = '1', list = '', within, within_unit, use, use_unit] = form.exec(text) ?? []
  const names = list.split(',')
  const decide_ms = spanOf(within, within_unit) ?? decide_ms_default
  const use_ms = spanOf(use, use_unit) ?? use_ms_default
  if (names.length > names_max || new Set(names).size < names.length) return undefined
  if (decide_ms > span_ms_max || use_ms > span_ms_max || Number(count) > count_max) return undefined
  const roles: string[] = []
  const dids: string[] = []
  const users: string[] = []
  for (const name of names) {
    const [, role] = role_form.exec(name) ?? []
    if (role !== undefined) roles.push(role)
    else if (parseDid(name)) dids.push(name)
    else if (user_form.test(name)) users.push(name)
    else return undefined
  }
  // A role may have any number of holders; named people are as many as they are.
  if (roles.length === 0 && names.length < Number(count)) return undefined
  return { count: Number(count), roles, dids, users, decide_ms, use_ms }
}

function spanOf(number: string | undefined, unit: string | undefined): number | undefined {
  return number === undefined ? undefined : Number(number) * units[unit!]!
}
