// Policies as the engine returns them, positions of faults in a text, and the next version number.
import type { OutputOf } from '@svc/sdk'

export type Policy = OutputOf<'MAXIM', 'list'>['items'][number]
export type PolicyDetail = NonNullable<Policy['detail']>
export type Fault = PolicyDetail['validation']['faults'][number]
export type Backtest = OutputOf<'MAXIM', 'backtest'>

/** A policy as typed. */
export interface Draft {
  readonly policy_id: string
  readonly version: string
  readonly policy_body: string
  readonly rationale: string
  /** UTC, as in its field; '' for immediately. */
  readonly active_from: string
  readonly retire: boolean
}

export interface PlaceInText {
  /** Both from 1. */
  readonly line: number
  readonly column: number
  /** The line it begins on, in three pieces. */
  readonly before: string
  readonly marked: string
  readonly after: string
}

/** The position of a range in a text, in UTF-16 units; undefined if it lies outside. */
export function placeInText(text: string, from: number, to: number): PlaceInText | undefined {
  if (from < 0 || to < from || from > text.length) return undefined
  const start = text.slice(0, from).lastIndexOf('\n') + 1
  const newline = text.indexOf('\n', from)
  const end = newline < 0 ? text.length : newline
  return {
    line: text.slice(0, start).split('\n').length,
    column: from - start + 1,
    before: text.slice(start, from),
    marked: text.slice(from, Math.min(to, end)),
    after: text.slice(Math.min(to, end), end),
  }
}

/** The faults of a refused draft, as listed in the refusal. */
export function faultsOf(details: Readonly<Record<string, unknown>>): readonly Fault[] {
  const { faults } = details
  if (!Array.isArray(faults)) return []
  return faults.filter((fault): fault is Fault => typeof fault?.message === 'string')
}

/** The next minor version. */
export function versionAfter(version: string | undefined): string {
  const [major, minor] = (version ?? '').split('.').map(Number)
  return Number.isInteger(major) && Number.isInteger(minor) ? `${major}.${minor! + 1}.0` : '1.0.0'
}

/** The next instant: a query from one to the other returns what happened at that instant. */
export function momentAfter(at: string): string {
  return new Date(Date.parse(at) + 1).toISOString()
}
