// The statements of one commit, prepared once per connection and pipelined.
import type { ClientBase, QueryResult } from 'pg'
import type { Chain } from '../chain/chain.ts'
import type { SealedInput } from '../inputs/retained-input.ts'
import { packFrontier, type StoredNode } from '../tree/merkle.ts'
import type { Position } from './signals.ts'

const outbox_rows_max = 1_000
const outbox_bytes_max = 4 * 1024 * 1024

// The oldest rows that nobody else is taking, as many as fit; at least one, so that a large row does not block the rest.
const take_outbox = `
  WITH waiting AS MATERIALIZED (
    SELECT id, octet_length(entry) AS bytes FROM audit_outbox ORDER BY id LIMIT ${outbox_rows_max}
    FOR UPDATE SKIP LOCKED
  ), fitting AS (
    SELECT id, sum(bytes) OVER (ORDER BY id) - bytes AS before FROM waiting
  )
  DELETE FROM audit_outbox o USING fitting f
  WHERE o.id = f.id AND f.before < ${outbox_bytes_max} RETURNING o.id, o.tenant_id, o.entry`

const lock_heads = `
  SELECT tenant_id, seq, head_hash, frontier, sealed, moved FROM chain_heads
  WHERE tenant_id = ANY($1) ORDER BY tenant_id FOR UPDATE`

const current_keys =
  'SELECT tenant_id, key_id FROM audit_keys WHERE tenant_id = ANY($1) AND until_seq IS NULL'

const insert_nodes = `
  INSERT INTO audit_tree (tenant_id, level, index, hash)
  SELECT * FROM unnest($1::text[], $2::smallint[], $3::bigint[], $4::bytea[])`

const insert_checkpoints = `
  INSERT INTO audit_checkpoints (tenant_id, size, root, note)
  SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::text[])`

const insert_inputs = `
  INSERT INTO audit_inputs (tenant_id, input_hash, sealed, wrapped_key)
  SELECT * FROM unnest($1::text[], $2::text[], $3::bytea[], $4::bytea[]) ON CONFLICT DO NOTHING`

const update_heads = `
  UPDATE chain_heads h SET seq = n.seq, head_hash = decode(n.hash, 'hex'), frontier = n.frontier, sealed = n.sealed
  FROM unnest($1::text[], $2::bigint[], $3::text[], $4::bytea[], $5::boolean[])
    AS n(tenant_id, seq, hash, frontier, sealed)
  WHERE h.tenant_id = n.tenant_id`

const move_position = `
  UPDATE journal_positions SET segment = $4, byte_offset = $5
  WHERE journal_id = $1 AND segment = $2 AND byte_offset = $3`

export interface OutboxRow {
  readonly id: string
  readonly tenant_id: string
  readonly entry: string
}

export interface HeadRow {
  readonly tenant_id: string
  readonly seq: string
  readonly head_hash: Buffer
  readonly frontier: Buffer
  readonly sealed: boolean
  /** It goes on in another database, or is about to. */
  readonly moved: boolean
}

export interface Checkpoint {
  readonly tenant_id: string
  readonly size: number
  readonly root: Buffer
  readonly note: string
}

export interface StoredNodeOf extends StoredNode {
  readonly tenant_id: string
}

/** `drained` is false where more rows may be waiting. */
export async function takeOutbox(client: ClientBase): Promise<{ rows: OutboxRow[]; drained: boolean }> {
  const { rows } = await client.query<OutboxRow>({ name: 'take-outbox', text: take_outbox })
  const bytes = rows.reduce((sum, row) => sum + Buffer.byteLength(row.entry), 0)
  rows.sort((a, b) => Number(a.id) - Number(b.id))
  return { rows, drained: rows.length < outbox_rows_max && bytes < outbox_bytes_max }
}

export async function lockHeads(client: ClientBase, tenant_ids: readonly string[]): Promise<HeadRow[]> {
  const values = [tenant_ids]
  return (await client.query<HeadRow>({ name: 'lock-heads', text: lock_heads, values })).rows
}

export async function currentKeyIds(
  client: ClientBase,
  tenant_ids: readonly string[],
): Promise<Map<string, string>> {
  const query = { name: 'current-keys', text: current_keys, values: [tenant_ids] }
  const { rows } = await client.query<{ tenant_id: string; key_id: string }>(query)
  return new Map(rows.map((row) => [row.tenant_id, row.key_id]))
}

export function insertNodes(client: ClientBase, nodes: readonly StoredNodeOf[]): Promise<QueryResult> {
  const values = [
    nodes.map((node) => node.tenant_id),
    nodes.map((node) => node.level),
    nodes.map((node) => node.index),
    nodes.map((node) => node.hash),
  ]
  return client.query({ name: 'insert-nodes', text: insert_nodes, values })
}

export function insertCheckpoints(client: ClientBase, notes: readonly Checkpoint[]): Promise<QueryResult> {
  const values = [
    notes.map((note) => note.tenant_id),
    notes.map((note) => note.size),
    notes.map((note) => note.root),
    notes.map((note) => note.note),
  ]
  return client.query({ name: 'insert-checkpoints', text: insert_checkpoints, values })
}

export function insertInputs(client: ClientBase, inputs: readonly SealedInput[]): Promise<QueryResult> {
  const values = [
    inputs.map((input) => input.tenant_id),
    inputs.map((input) => input.input_hash),
    inputs.map((input) => input.sealed),
    inputs.map((input) => input.wrapped_key),
  ]
  return client.query({ name: 'insert-inputs', text: insert_inputs, values })
}

export function updateHeads(client: ClientBase, chains: ReadonlyMap<string, Chain>): Promise<QueryResult> {
  const all = [...chains.values()]
  const values = [
    [...chains.keys()],
    all.map((chain) => chain.seq),
    all.map((chain) => chain.head_hash),
    all.map((chain) => packFrontier(chain.frontier)),
    all.map((chain) => chain.sealed),
  ]
  return client.query({ name: 'update-heads', text: update_heads, values })
}

/** False where the journal is not where this writer left it: somebody else advanced it. */
export async function movePosition(
  client: ClientBase,
  journal_id: string,
  from: Position,
  to: Position,
): Promise<boolean> {
  const values = [journal_id, from.segment, from.offset, to.segment, to.offset]
  const { rowCount } = await client.query({ name: 'move-position', text: move_position, values })
  return rowCount === 1
}
