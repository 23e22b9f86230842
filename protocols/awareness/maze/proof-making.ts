// MAZE prove: inclusion of a record, append-only growth of a log, and the hashes of a segment.

import { seqOfHash } from '@svc/audit/pages/read-hashes'
import type { Query } from '@svc/audit/query/client-query'
import { queryOf } from '@svc/audit/query/query'
import { type Leaf, leavesOf } from '@svc/audit/tree/leaves'
import {
  consistencyPath,
  inclusionPath,
  type NodeOf,
  rootAtSize,
  surroundingNodes,
} from '@svc/audit/tree/merkle'
import { notesCovering } from '@svc/audit/tree/signed-notes'
import { treeHead } from '@svc/audit/tree/tree-head'
import { loadNodes } from '@svc/audit/tree/tree-store'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import type { OperationContext } from '@svc/contract/operation-context'
import { notFound, type Refusal, refuse } from '@svc/contract/refusal'
import { readNote } from '@svc/sdk/verify/note'
import { recordsOf, terminalRecord } from '../max/api.ts'
import { type ProofInput, type ProofOutput, segment_records_max } from './proof-schema.ts'

/** A proof, built once the nodes at these places are loaded. */
interface Plan {
  readonly tree_size: number
  readonly places: readonly number[]
  make(nodeOf: NodeOf): { readonly path: readonly Buffer[] } & Partial<ProofOutput>
}

export async function proveAuditLog(
  input: ProofInput,
  context: OperationContext<'audit_log'>,
): Promise<ProofOutput> {
  requireFieldsOf(input)
  await context.audit_log.settled()
  const query = queryOf(context.db)
  const { size, disagreement } = await treeHead(query, context.tenant_id)
  if (disagreement !== undefined) throw broken(context, 'chain and tree disagree', disagreement)
  const plan = await planners[input.kind](input, size, query, context)
  return await carryOut(plan, input.kind, query, context)
}

const planners: Readonly<
  Record<
    ProofInput['kind'],
    (
      input: ProofInput,
      size: number,
      query: Query,
      context: OperationContext<'audit_log'>,
    ) => Plan | Promise<Plan>
  >
> = { inclusion: planInclusion, consistency: planConsistency, segment: planSegment }

async function planInclusion(
  input: ProofInput,
  size: number,
  query: Query,
  context: OperationContext<'audit_log'>,
): Promise<Plan> {
  const seq = await seqOf(input, query, context)
  const tree_size = input.tree_size ?? size
  if (tree_size > size || tree_size < seq)
    throw outOfRange('tree_size', `the record is number ${seq} of ${size}; name a tree_size between the two`)
  const [leaf] = await leavesOf(query, context.tenant_id, seq, seq)
  if (!leaf) throw broken(context, 'record missing', `record ${seq} is gone`)
  watchLeaves([leaf], context)
  const { record_hash, canonical_commitment } = leaf
  const index = seq - 1
  return {
    tree_size,
    places: [index],
    make: (nodeOf) => ({
      path: inclusionPath(index, tree_size, nodeOf),
      leaf_index: index,
      leaf: { record_hash, canonical_commitment },
    }),
  }
}

/** Of a request's records, the one that ends it is proved. Others are requested by hash. */
async function seqOf(
  input: ProofInput,
  query: Query,
  context: OperationContext<'audit_log'>,
): Promise<number> {
  const { record_hash, correlation_id } = input
  if (record_hash !== undefined) {
    const seq = await seqOfHash(query, context.tenant_id, record_hash)
    if (seq === undefined) throw notFound('record', record_hash)
    return seq
  }
  const ending = terminalRecord(await recordsOf(correlation_id!, context))
  if (!ending) throw notFound('request that ended', correlation_id!)
  return ending.seq
}

function planConsistency(input: ProofInput, size: number): Plan {
  const first = input.first!
  const second = input.second ?? size
  if (second > size) throw outOfRange('second', `the tree has ${size} records`)
  if (first > second) throw outOfRange('first', `it must be at most ${second}, the size it grew to`)
  return {
    tree_size: second,
    places: first === 0 ? [] : [first - 1, first],
    make: (nodeOf) => ({
      path: first === 0 ? [] : consistencyPath(first, second, nodeOf),
      first_size: first,
      first_root: rootAtSize(first, nodeOf).toString('hex'),
    }),
  }
}

async function planSegment(
  input: ProofInput,
  size: number,
  query: Query,
  context: OperationContext,
): Promise<Plan> {
  const [from_seq, to_seq] = [input.from_seq!, input.to_seq!]
  if (to_seq > size) throw outOfRange('to_seq', `the tree has ${size} records`)
  if (from_seq > to_seq) throw outOfRange('from_seq', `it must be at most ${to_seq}, the last of the segment`)
  if (to_seq - from_seq >= segment_records_max)
    throw outOfRange('to_seq', `a segment has at most ${segment_records_max} records; ask for the rest apart`, 'too_large') // biome-ignore format: kept on one line
  const [before, ...leaves] = await leavesFrom(from_seq, to_seq, query, context)
  watchLeaves(leaves, context)
  // Starts one record early, so that the preceding hash is proved, too.
  const first = Math.max(0, from_seq - 2)
  return {
    tree_size: size,
    places: [first, to_seq - 1, to_seq],
    make: (nodeOf) => ({
      path: surroundingNodes(first, to_seq, size, nodeOf),
      leaf_index: from_seq - 1,
      segment: leaves,
      previous_hash: before!.record_hash,
    }),
  }
}

/** Starts with the preceding record, whose hash is part of the first link. */
async function leavesFrom(from_seq: number, to_seq: number, query: Query, context: OperationContext) {
  const leaves = await leavesOf(query, context.tenant_id, from_seq - 1, to_seq)
  const start = { seq: 0, record_hash: genesis_hash, canonical_commitment: genesis_hash }
  const all = from_seq === 1 ? [start, ...leaves] : leaves
  if (all.length === to_seq - from_seq + 2) return all
  throw broken(context, 'record missing', `records ${from_seq} to ${to_seq} are not all there`)
}

async function carryOut(
  { tree_size, places, make }: Plan,
  kind: ProofInput['kind'],
  query: Query,
  context: OperationContext,
): Promise<ProofOutput> {
  const { tenant_id } = context
  const note = (await notesCovering(query, tenant_id, [tree_size])).get(tree_size)
  const sizes = note && note.size > tree_size ? [tree_size - 1, tree_size, note.size] : [tree_size]
  const needed = [...places, ...sizes].filter((place) => place >= 0)
  const nodeOf = await loadNodes(query, tenant_id, needed)
  return whole(context, () => {
    const { path, ...found } = make(nodeOf)
    const root = rootAtSize(tree_size, nodeOf)
    if (note) watchRoot(note, nodeOf, context)
    return {
      kind,
      tree_size,
      root_hash: root.toString('hex'),
      proof: base64(path),
      ...found,
      checkpoint: note?.note,
      // An empty tree is a prefix of every tree, so the proof is empty.
      checkpoint_proof:
        note && note.size > tree_size && tree_size > 0
          ? base64(consistencyPath(tree_size, note.size, nodeOf))
          : undefined,
      verify: { algorithm: 'RFC9162-SHA256' as const },
    }
  })
}

/** If parts of the tree are missing there is no proof; this is an expected case. */
function whole(context: OperationContext, work: () => ProofOutput): ProofOutput {
  try {
    return work()
  } catch (error) {
    throw broken(context, 'tree incomplete', (error as Error).message)
  }
}

/** Returned anyway: a proof that does not verify is the evidence. */
function watchRoot(note: { size: number; note: string }, nodeOf: NodeOf, context: OperationContext): void {
  const root = rootAtSize(note.size, nodeOf).toString('hex')
  if (readNote(note.note)?.root === root) return
  context.alarm('tree differs from its checkpoint', { size: note.size, root })
}

/** One alarm for all of them, so that reading a rewritten chain does not flood it. */
function watchLeaves(leaves: readonly Leaf[], context: OperationContext): void {
  const altered = leaves.filter(
    ({ record_hash, canonical_commitment }) => record_hash !== canonical_commitment,
  )
  const [first] = altered
  if (first) context.alarm('record altered', { ...first, altered: altered.length })
}

function broken(context: OperationContext, reason: string, why: string): Error {
  context.alarm(reason, { why })
  return new Error(`${reason}: ${why}`)
}

function base64(nodes: readonly Buffer[]): string[] {
  return nodes.map((node) => node.toString('base64'))
}

type Field = Exclude<keyof ProofInput, 'kind'>

/** Required and optional fields of each kind. */
const fields: Readonly<Record<ProofInput['kind'], { needs: readonly Field[]; may: readonly Field[] }>> = {
  inclusion: { needs: [], may: ['record_hash', 'correlation_id', 'tree_size'] },
  consistency: { needs: ['first'], may: ['second'] },
  segment: { needs: ['from_seq', 'to_seq'], may: [] },
}

function requireFieldsOf(input: ProofInput): void {
  const { kind, ...given } = input
  const { needs, may } = fields[kind]
  const missing = needs.find((field) => given[field] === undefined)
  if (missing) throw misfit(kind, missing, 'is needed')
  const stray = (Object.keys(given) as Field[]).find((field) => ![...needs, ...may].includes(field))
  if (stray) throw misfit(kind, stray, 'has no meaning')
  if (kind !== 'inclusion') return
  if (given.record_hash === undefined && given.correlation_id === undefined)
    throw misfit(kind, 'record_hash', 'or correlation_id is needed')
  if (given.record_hash !== undefined && given.correlation_id !== undefined)
    throw misfit(kind, 'correlation_id', 'beside record_hash has no meaning')
}

function misfit(kind: string, field: string, what: string): Refusal {
  return refuse('invalid_payload', `${field} ${what} where kind is ${kind}; see the schema of MAZE prove.`, {
    reason: 'fields of another kind',
    faults: [{ pointer: `/${field}`, message: `${what} where kind is ${kind}` }],
  })
}

function outOfRange(field: string, why: string, reason = `${field} range`): Refusal {
  return refuse('invalid_payload', `${field} is out of range: ${why}.`, {
    reason,
    faults: [{ pointer: `/${field}`, message: why }],
  })
}
