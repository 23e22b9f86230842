// A framework as data: its controls, what each asks, and which records of an audit log answer it.
import type { EvidenceQuery } from '@svc/audit/query/control-query'

export interface NamedQuery extends EvidenceQuery {
  /** What is counted, in a few words. */
  readonly counts: string
}

export interface Control {
  readonly id: string
  readonly title: string
  readonly question: string
  /** Without any, this log cannot speak to it at all. */
  readonly queries: readonly NamedQuery[]
  /** What this log does not show of it. */
  readonly gap: string
}

export interface FrameworkFacts {
  /** Which text it maps, and that the mapping is in our own words. */
  readonly about: string
  readonly controls: readonly Control[]
}

/** A control that some records speak to. */
export function shownBy(
  id: string,
  title: string,
  question: string,
  queries: readonly NamedQuery[],
  gap: string,
): Control {
  return { id, title, question, queries, gap }
}

/** A control that no record of a dispatch log speaks to. */
export function notShown(id: string, title: string, question: string, gap: string): Control {
  return { id, title, question, queries: [], gap }
}
