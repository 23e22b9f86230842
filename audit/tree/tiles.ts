// A log as C2SP tlog-tiles: tiles of 256 hashes, and entry bundles. An entry is the hash of a record, so that tiles show nothing of
// its content.
import { readHashes } from '../pages/read-hashes.ts'
import type { Query } from '../query/client-query.ts'
import { leafHash, stored_levels } from './merkle.ts'

const tile_width = 256
const tile_levels = 8

export interface Tile {
  /** Of the hashes of subtrees of 256^level records; or of the records' own hashes. */
  readonly level: number | 'entries'
  readonly index: number
  /** Below 256 for a partial tile. */
  readonly width: number
}

/** No index needs more than five groups of digits: seqs are safe integers. */
const path_form = /^([0-9]|entries)\/((?:x\d{3}\/){0,4}\d{3})(?:\.p\/([1-9]\d{0,2}))?$/

/** `0/x001/067.p/8`: undefined where it names no tile. Each tile has one name. */
export function parseTile(path: string): Tile | undefined {
  const [, level_text, digits, width_text] = path_form.exec(path) ?? []
  if (level_text === undefined || digits === undefined || digits.startsWith('x000/')) return undefined
  const index = Number(digits.replaceAll(/[x/]/g, ''))
  const width = Number(width_text ?? tile_width)
  if (!Number.isSafeInteger((index + 1) * tile_width)) return undefined
  if (width_text !== undefined && width >= tile_width) return undefined
  if (level_text === 'entries') return { level: level_text, index, width }
  const level = Number(level_text)
  return level <= stored_levels.length ? { level, index, width } : undefined
}

/** Undefined where the log of this tenant is not that large. A partial tile is also a part of a larger one. */
export async function readTile(query: Query, tenant_id: string, tile: Tile): Promise<Buffer | undefined> {
  const { level } = tile
  if (level !== 'entries' && level > 0) return readNodes(query, tenant_id, level, tile)
  const hashes = await recordHashes(query, tenant_id, tile)
  if (!hashes) return undefined
  return Buffer.concat(level === 0 ? hashes.map(leafHash) : hashes.flatMap(entryOf))
}

async function readNodes(
  query: Query,
  tenant_id: string,
  level: number,
  { index, width }: Tile,
): Promise<Buffer | undefined> {
  const rows = await query<{ hash: Buffer }>(
    `SELECT hash FROM audit_tree WHERE tenant_id = $1 AND level = $2 AND index >= $3 AND index < $3::bigint + $4
     ORDER BY index`,
    [tenant_id, level * tile_levels, index * tile_width, width],
  )
  return rows.length === width ? Buffer.concat(rows.map(({ hash }) => hash)) : undefined
}

async function recordHashes(
  query: Query,
  tenant_id: string,
  { index, width }: Tile,
): Promise<Buffer[] | undefined> {
  const from_seq = index * tile_width + 1
  const by_seq = await readHashes(query, tenant_id, [{ from_seq, to_seq: from_seq + width - 1 }])
  const hashes = Array.from({ length: width }, (_, at) => by_seq.get(from_seq + at))
  return hashes.includes(undefined) ? undefined : (hashes as Buffer[])
}

const entry_length = Buffer.from([0, 32])

/** With its length before it. */
function entryOf(record_hash: Buffer): Buffer[] {
  return [entry_length, record_hash]
}
