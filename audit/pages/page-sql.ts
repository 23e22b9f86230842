// The statements that store pages and the tail.
import type { ClientBase, QueryResult } from 'pg'
import { body_format } from './bodies.ts'
import type { Page, TailPiece } from './page.ts'

const insert_tail = `
  INSERT INTO audit_tail (tenant_id, first_seq, last_seq, before_hash, hashes, from_at, to_at, format, bytes)
  SELECT tenant_id, first_seq, last_seq, before_hash, hashes, to_timestamp(from_ms / 1000),
    to_timestamp(to_ms / 1000), ${body_format}, bytes
  FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::float8[], $5::float8[], $6::bytea[], $7::bigint[],
    $8::bigint[]) AS t(tenant_id, before_hash, hashes, from_ms, to_ms, bytes, first_seq, last_seq)`

// Arrays of arrays must be rectangles of one size, so the inner ones are sent as text.
const insert_pages = `
  INSERT INTO audit_pages
    (tenant_id, page, last_seq, before_hash, hashes, keys, from_at, to_at, latest_at, is_late, format, part_ends, sha256, bytes)
  SELECT tenant_id, page, page * 256 + 256, before_hash, hashes, keys::integer[], to_timestamp(from_ms / 1000),
    to_timestamp(to_ms / 1000), to_timestamp(latest_ms / 1000), is_late, ${body_format}, part_ends::integer[],
    sha256, bytes
  FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::float8[], $5::float8[], $6::bytea[], $7::bigint[],
    $8::text[], $9::float8[], $10::boolean[], $11::text[], $12::bytea[])
    AS p(tenant_id, before_hash, hashes, from_ms, to_ms, bytes, page, keys, latest_ms, is_late, part_ends, sha256)`

const insert_terms = `
  INSERT INTO audit_terms (tenant_id, term, page) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])`

const delete_merged = `
  DELETE FROM audit_tail t USING unnest($1::text[], $2::bigint[]) AS p(tenant_id, page)
  WHERE t.tenant_id = p.tenant_id AND t.last_seq > p.page * 256 AND t.last_seq <= p.page * 256 + 256`

// The last of a page stays, and the last of each key.
const thin_checkpoints = `
  DELETE FROM audit_checkpoints c USING unnest($1::text[], $2::bigint[]) AS p(tenant_id, page)
  WHERE c.tenant_id = p.tenant_id AND c.size > p.page * 256 AND c.size < (
      SELECT max(size) FROM audit_checkpoints
      WHERE tenant_id = p.tenant_id AND size > p.page * 256 AND size <= p.page * 256 + 256)
    AND NOT EXISTS (SELECT FROM audit_cosignatures s WHERE s.tenant_id = c.tenant_id AND s.size = c.size)
    AND NOT EXISTS (SELECT FROM audit_keys k WHERE k.tenant_id = c.tenant_id AND k.until_seq = c.size)`

export function insertTail(client: ClientBase, pieces: readonly TailPiece[]): Promise<QueryResult> {
  const values = [
    ...columnsOf(pieces),
    pieces.map(({ first_seq }) => first_seq),
    pieces.map(({ last_seq }) => last_seq),
  ]
  return client.query({ name: 'insert-tail', text: insert_tail, values })
}

/**
 * The statements that store pages, in order: with what they are found by, without their records in the tail, and without what is no
 * longer needed of older ones. The writer sends them at once, which only a pipelined connection can.
 */
export function pageInserts(client: ClientBase, pages: readonly Page[]): (() => Promise<QueryResult>)[] {
  const tenant_ids = pages.map(({ tenant_id }) => tenant_id)
  const numbers = pages.map(({ page }) => page)
  const older = numbers.map((page) => page - 1)
  const values = [
    ...columnsOf(pages),
    numbers,
    pages.map(({ keys }) => `{${keys}}`),
    pages.map(({ latest_ms }) => latest_ms),
    pages.map(({ is_late }) => is_late),
    pages.map(({ part_ends }) => `{${part_ends}}`),
    pages.map(({ sha256 }) => sha256),
  ]
  const terms = pages.flatMap(({ tenant_id, page, terms }) => terms.map((term) => [tenant_id, term, page]))
  const terms_values = [0, 1, 2].map((column) => terms.map((row) => row[column]))
  return [
    () => client.query({ name: 'insert-pages', text: insert_pages, values }),
    () => client.query({ name: 'insert-terms', text: insert_terms, values: terms_values }),
    () => client.query({ name: 'delete-merged', text: delete_merged, values: [tenant_ids, numbers] }),
    () => client.query({ name: 'thin-checkpoints', text: thin_checkpoints, values: [tenant_ids, older] }),
  ]
}

/** One statement after the other: the connection is anybody's. */
export async function insertPages(client: ClientBase, pages: readonly Page[]): Promise<void> {
  for (const send of pageInserts(client, pages)) await send()
}

function columnsOf(stored: readonly (Page | TailPiece)[]): unknown[] {
  return [
    stored.map(({ tenant_id }) => tenant_id),
    stored.map(({ before_hash }) => before_hash),
    stored.map(({ hashes }) => hashes),
    stored.map(({ from_ms }) => from_ms),
    stored.map(({ to_ms }) => to_ms),
    stored.map(({ bytes }) => bytes),
  ]
}
