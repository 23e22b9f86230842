// What a trace is made of. Edges point from an effect to its cause, as PROV has them.
import type { AuditRecord } from '@svc/contract/audit/audit-record'

export const relations = [
  'used',
  'wasGeneratedBy',
  'wasInformedBy',
  'wasDerivedFrom',
  'actedOnBehalfOf',
  'refusedBy',
] as const
export type Relation = (typeof relations)[number]

/** How a link is known: a record says so, content that is bound by its hash says so, or one merely came after the other. */
export const link_bases = { recorded: 1, content_hash: 0.95, temporal: 0.5 } as const
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
  /** Why it was refused, in the words of its record. */
  readonly reason?: string
  /** A record of another organization that may not be read: its hash is all that is known. */
  readonly opaque?: boolean
}

export interface TraceEdge {
  readonly from: string
  readonly to: string
  readonly relation: Relation
  readonly basis: LinkBasis
}

/** An edge that would have made an effect earlier than its cause. */
export interface DroppedEdge {
  readonly from: string
  readonly to: string
  readonly relation: Relation
  readonly why: string
}

/** What a node needed to be as it was: so many of these. Replayed where a deterministic rule was run again, assumed otherwise. */
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
  /** Records of one call, by call: who takes one of them away takes the call away. */
  readonly acts: Readonly<Record<string, string>>
}

/** Everything a trace rests on, read before anything is concluded: plain data, so that a thread can have it. */
export interface Material {
  readonly tenant_id: string
  readonly records: readonly AuditRecord[]
  readonly contents: readonly TracedContent[]
  /** What retained inputs refer to, by commitment. */
  readonly inputs: Readonly<Record<string, readonly string[]>>
  /** Rules that stood against a call, found by asking them again; by record. */
  readonly forbidding: Readonly<Record<string, readonly string[]>>
  /** Calls that had emptied a bucket, and how many of them it took; by record. */
  readonly crowding: Readonly<Record<string, Crowd>>
  /** Votes in favour, by position id, and how many it took; by verdict. */
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
