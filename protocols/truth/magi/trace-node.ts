// The elements of a trace. Edges point from an effect to its cause, as in PROV.
import type { AuditRecord } from '@svc/contract/audit/audit-record'

export const relations = [
  'used',
  'wasGeneratedBy',
  'wasInformedBy',
  'wasDerivedFrom',
  'actedOnBehalfOf',
  'refusedBy',
  'mayBeRefusedBy',
] as const
export type Relation = (typeof relations)[number]

/** The basis of a link: stated by a record, by content bound by hash, only by order in time, or by what cannot be ruled out. */
export const link_bases = { recorded: 1, content_hash: 0.95, temporal: 0.5, possible: 0.5 } as const
export type LinkBasis = keyof typeof link_bases

export interface TraceNode {
  readonly id: string
  readonly type: 'Activity' | 'Entity' | 'Agent'
  readonly label: string
  readonly record_hash?: string
  readonly tenant_id?: string
  readonly seq?: number
  readonly event_type?: string
  readonly protocol?: string
  readonly operation?: string
  readonly outcome?: AuditRecord['outcome']
  readonly at?: string
  /** The reason for the refusal, as recorded. */
  readonly reason?: string
  /** An unreadable record of another organization: only its hash is known. */
  readonly opaque?: boolean
}

export interface TraceEdge {
  readonly from: string
  readonly to: string
  readonly relation: Relation
  readonly basis: LinkBasis
}

/** An edge that would place an effect before its cause. */
export interface DroppedEdge {
  readonly from: string
  readonly to: string
  readonly relation: Relation
  readonly why: string
}

/** A node's condition: at least `least` of these. Replayed if a rule was re-evaluated, else assumed. */
export interface Clause {
  readonly least: number
  readonly of: readonly string[]
  readonly replayed: boolean
  readonly rule: string
}

export interface TraceGraph {
  readonly nodes: readonly TraceNode[]
  readonly edges: readonly TraceEdge[]
  readonly dropped: readonly DroppedEdge[]
  readonly clauses: Readonly<Record<string, readonly Clause[]>>
  /** Records of one call, by call: removing one removes the call. */
  readonly acts: Readonly<Record<string, string>>
}

/** Everything a trace needs, read beforehand: plain data, so that it can be sent to a thread. */
export interface Material {
  readonly tenant_id: string
  readonly records: readonly AuditRecord[]
  readonly contents: readonly TracedContent[]
  /** References in retained inputs, by commitment. */
  readonly inputs: Readonly<Record<string, readonly string[]>>
  /** Rules that forbade a call, found by re-evaluation; by record. */
  readonly forbidding: Readonly<Record<string, readonly string[]>>
  /** Other rules that may have forbidden it as well, where that hangs on an input that was not kept; by record. */
  readonly possible: Readonly<Record<string, readonly string[]>>
  /** Calls that exhausted a rate limit, and how many it took; by record. */
  readonly crowding: Readonly<Record<string, Crowd>>
  /** Votes in favour, by position id, and how many were needed; by verdict. */
  readonly ballots: Readonly<Record<string, Crowd>>
}

export interface Crowd {
  readonly of: readonly string[]
  readonly least: number
}

export interface TracedContent {
  readonly ref: string
  readonly correlation_id: string
  readonly record_id: string
  readonly cites: readonly string[]
}

export function recordNode(record_hash: string): string {
  return `record:${record_hash}`
}
