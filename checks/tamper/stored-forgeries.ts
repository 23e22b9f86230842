// What somebody with all rights in the database, and none of its triggers, does to a stored log.
import { generateKeyPairSync } from 'node:crypto'
import { zstdCompressSync } from 'node:zlib'
import { openBodies, packBodies } from '@svc/audit/pages/bodies'
import { overwrite, remove } from '@svc/audit/test-stored'
import { checkpointOrigin, keyId, signCheckpoint } from '@svc/audit/tree/checkpoint'
import { recordHash } from '@svc/contract/audit/audit-record'
import type { Client } from 'pg'

/** Who must find it. What others see of a log does not include it: an export has no summaries, and tiles have hashes only. */
export type Verifier = 'report' | 'check' | 'export' | 'tiles' | 'query'

export interface StoredForgery {
  readonly finders: readonly Verifier[]
  forge(client: Client, tenant_id: string, other_id: string): Promise<unknown>
}

const all: readonly Verifier[] = ['report', 'check', 'export', 'tiles', 'query']
/** A text that does not match its hash, which tiles do not show. */
const of_texts: readonly Verifier[] = ['report', 'check', 'export', 'query']
const of_summaries: readonly Verifier[] = ['report', 'check']

/** Of page 1, which has the records 257 to 512. */
const seq = 300

function statement(text: string, finders: readonly Verifier[]): StoredForgery {
  return { finders, forge: (client, tenant_id) => client.query(text, [tenant_id]) }
}

/** Rewrites every text and hash of page 1 from a place on, so that they follow each other. */
async function rehash(client: Client, tenant_id: string, change: (bodies: string[]) => void): Promise<void> {
  const { rows } = await client.query<{ bytes: Buffer; part_ends: number[]; before_hash: Buffer }>(
    'SELECT bytes, part_ends, before_hash FROM audit_pages WHERE tenant_id = $1 AND page = 1',
    [tenant_id],
  )
  const { bytes, part_ends, before_hash } = rows[0]!
  const bodies = part_ends.flatMap((end, part) =>
    openBodies(bytes.subarray(part_ends[part - 1] ?? 0, end), 1, 64),
  )
  change(bodies)
  let previous = before_hash.toString('hex')
  const hashes = bodies.map((body) => {
    previous = recordHash(previous, body)
    return previous
  })
  const parts = [0, 1, 2, 3].map((part) => packBodies(bodies.slice(part * 64, (part + 1) * 64)))
  await client.query(
    `UPDATE audit_pages SET bytes = $2, sha256 = sha256($2::bytea), hashes = $3, part_ends = $4, keys = keys[1:256] || $5::integer[]
     WHERE tenant_id = $1 AND page = 1`,
    [
      tenant_id,
      Buffer.concat(parts),
      Buffer.from(hashes.join(''), 'hex'),
      parts.map((_, at) => Buffer.concat(parts.slice(0, at + 1)).length),
      hashes.map((hash) => 2 ** 20 + Number.parseInt(hash.slice(0, 5), 16)),
    ],
  )
}

const bomb_bytes = 128 * 1024 * 1024

/** Texts of page 1 that become far more than a page. */
async function inflate(client: Client, tenant_id: string): Promise<void> {
  const bomb = zstdCompressSync(Buffer.alloc(bomb_bytes))
  await client.query(
    `UPDATE audit_pages SET bytes = $2, sha256 = sha256($2::bytea), part_ends = $3 WHERE tenant_id = $1 AND page = 1`,
    [tenant_id, bomb, [1, 2, 3, 4].map(() => bomb.length)],
  )
}

const page_1 = 'WHERE tenant_id = $1 AND page = 1'

export const page_forgeries: Readonly<Record<string, StoredForgery>> = {
  'an altered text': {
    finders: of_texts,
    forge: (client, tenant_id) =>
      overwrite(client, tenant_id, seq, ({ body }) => ({
        body: body!.replace('"latency_ms":1.25', '"latency_ms":9'),
      })),
  },
  'an altered text of the tail': {
    finders: of_texts,
    forge: (client, tenant_id) => overwrite(client, tenant_id, 1_390, ({ body }) => ({ body: `${body} ` })),
  },
  'an altered text with its hash': {
    finders: all,
    forge: (client, tenant_id) =>
      overwrite(client, tenant_id, seq, ({ body, previous_hash }) => {
        const changed = body!.replace('"latency_ms":1.25', '"latency_ms":9')
        return { body: changed, record_hash: recordHash(previous_hash, changed) }
      }),
  },
  'a page rehashed from a record on': {
    finders: all,
    forge: (client, tenant_id) =>
      rehash(client, tenant_id, (bodies) => {
        bodies[43] = bodies[43]!.replace('"latency_ms":1.25', '"latency_ms":9')
      }),
  },
  'two records swapped': {
    finders: of_texts,
    forge: async (client, tenant_id) => {
      const texts: string[] = []
      for (const one of [seq, seq + 1])
        await overwrite(client, tenant_id, one, ({ body }) => {
          texts.push(body!)
          return {}
        })
      for (const [at, one] of [seq, seq + 1].entries())
        await overwrite(client, tenant_id, one, () => ({ body: texts[1 - at]! }))
    },
  },
  'a record put in the place of another, rehashed': {
    finders: all,
    forge: (client, tenant_id) =>
      rehash(client, tenant_id, (bodies) => {
        bodies[50] = bodies[51]!
      }),
  },
  'a record dropped and another doubled, rehashed': {
    finders: all,
    forge: (client, tenant_id) =>
      rehash(client, tenant_id, (bodies) => {
        bodies.splice(43, 1)
        bodies.push(bodies.at(-1)!)
      }),
  },
  'a dropped page': statement(`DELETE FROM audit_pages ${page_1}`, all),
  'a dropped first page': statement('DELETE FROM audit_pages WHERE tenant_id = $1 AND page = 0', all),
  'two pages swapped': {
    finders: all,
    forge: async (client, tenant_id) => {
      const move = `UPDATE audit_pages SET page = $3, last_seq = $3::bigint * 256 + 256 WHERE tenant_id = $1 AND page = $2`
      for (const [from, to] of [
        [1, 9],
        [2, 1],
        [9, 2],
      ])
        await client.query(move, [tenant_id, from, to])
    },
  },
  'the page of another log': {
    finders: all,
    forge: async (client, tenant_id, other_id) => {
      await client.query(`DELETE FROM audit_pages ${page_1}`, [tenant_id])
      await client.query(
        `INSERT INTO audit_pages SELECT $1, 1, 512, before_hash, hashes, keys, from_at, to_at, latest_at, is_late, format,
           part_ends, sha256, bytes FROM audit_pages WHERE tenant_id = $2 AND page = 0`,
        [tenant_id, other_id],
      )
    },
  },
  'truncated bytes': statement(`UPDATE audit_pages SET bytes = substring(bytes FOR 100) ${page_1}`, of_texts),
  'empty bytes': statement(`UPDATE audit_pages SET bytes = '', sha256 = sha256('') ${page_1}`, of_texts),
  'bytes that become far more': { finders: of_texts, forge: inflate },
  'another format': statement(`UPDATE audit_pages SET format = 2 ${page_1}`, of_texts),
  'other ends of parts': statement(
    `UPDATE audit_pages SET part_ends[1] = part_ends[1] - 1 ${page_1}`,
    of_texts,
  ),
  'a record of the tail dropped': {
    finders: all,
    forge: (client, tenant_id) => remove(client, tenant_id, 1_390),
  },
  'the tail cut': statement('DELETE FROM audit_tail WHERE tenant_id = $1', all),
  'a doubled record behind the end': statement(
    `INSERT INTO audit_tail SELECT tenant_id, last_seq + 1, 2 * last_seq - first_seq + 1, before_hash, hashes, from_at, to_at, format,
       bytes FROM audit_tail WHERE tenant_id = $1 ORDER BY last_seq DESC LIMIT 1`,
    ['report', 'check'],
  ),
}

export const summary_forgeries: Readonly<Record<string, StoredForgery>> = {
  'another previous hash': statement(`UPDATE audit_pages SET before_hash = sha256('other') ${page_1}`, [
    'report',
    'check',
    'query',
  ]),
  'a missing term': statement(
    `DELETE FROM audit_terms WHERE tenant_id = $1 AND term = 'protocol:MOAT' AND page = 1`,
    of_summaries,
  ),
  'another key of a request': statement(`UPDATE audit_pages SET keys[50] = 5 ${page_1}`, of_summaries),
  'another key of a hash': statement(`UPDATE audit_pages SET keys[300] = 1048581 ${page_1}`, of_summaries),
  'an earlier end': statement(`UPDATE audit_pages SET to_at = from_at ${page_1}`, of_summaries),
  'a later beginning': statement(`UPDATE audit_pages SET from_at = to_at ${page_1}`, of_summaries),
  'a page that is not said to be late': statement(
    `UPDATE audit_pages SET is_late = NOT is_late ${page_1}`,
    of_summaries,
  ),
  'another hash of its bytes': statement(
    `UPDATE audit_pages SET sha256 = sha256('other') ${page_1}`,
    of_summaries,
  ),
  'the first pages before every period': statement(
    `UPDATE audit_pages SET latest_at = '1970-01-01', to_at = '1970-01-01', from_at = '1970-01-01' WHERE tenant_id = $1 AND page < 2`,
    of_summaries,
  ),
  'all pages before every period': statement(
    `UPDATE audit_pages SET latest_at = '1970-01-01' WHERE tenant_id = $1`,
    of_summaries,
  ),
  'the last page after every period': statement(
    `UPDATE audit_pages SET latest_at = '2200-01-01' WHERE tenant_id = $1 AND page >= 3`,
    of_summaries,
  ),
}

/** The same log, signed with another key: only whoever has the key from elsewhere can tell. */
async function resign(client: Client, tenant_id: string): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const public_key = Buffer.from(publicKey.export({ format: 'jwk' }).x!, 'base64url')
  const key = { key_id: keyId(checkpointOrigin(tenant_id), public_key), public_key, private_key: privateKey }
  const { rows } = await client.query<{ size: string; root: Buffer }>(
    'SELECT size, root FROM audit_checkpoints WHERE tenant_id = $1',
    [tenant_id],
  )
  for (const { size, root } of rows)
    await client.query('UPDATE audit_checkpoints SET note = $3 WHERE tenant_id = $1 AND size = $2', [
      tenant_id,
      size,
      signCheckpoint(tenant_id, Number(size), root, key),
    ])
  await client.query('UPDATE audit_keys SET key_id = $2, public_key = $3 WHERE tenant_id = $1', [
    tenant_id,
    key.key_id,
    public_key,
  ])
}

export const tree_forgeries: Readonly<Record<string, StoredForgery>> = {
  'another node of the tree': statement(
    `UPDATE audit_tree SET hash = sha256('other') WHERE tenant_id = $1 AND level = 8 AND index = 1`,
    ['report', 'check', 'tiles', 'query'],
  ),
  'a missing node of the tree': statement(
    'DELETE FROM audit_tree WHERE tenant_id = $1 AND level = 8 AND index = 1',
    ['report', 'check', 'tiles', 'query'],
  ),
  'another hash in a page': statement(
    `UPDATE audit_pages SET hashes = overlay(hashes PLACING sha256('other') FROM 33) ${page_1}`,
    all,
  ),
  'a checkpoint of another root': statement(
    `UPDATE audit_checkpoints SET note = regexp_replace(note, E'\\n[^\\n]{44}\\n', E'\\n' || encode(sha256('other'), 'base64') || E'\\n')
     WHERE tenant_id = $1`,
    all,
  ),
  'a checkpoint without its signature': statement(
    `UPDATE audit_checkpoints SET note = left(note, position(E'\\n\\n' IN note) + 1) WHERE tenant_id = $1`,
    all,
  ),
  // Ten from the end, behind the name and before the last letter, which may hold bits of no byte.
  'a checkpoint whose signature has another byte': statement(
    `UPDATE audit_checkpoints SET note = overlay(note
       PLACING CASE substr(note, length(note) - 9, 1) WHEN 'A' THEN 'B' ELSE 'A' END FROM length(note) - 9)
     WHERE tenant_id = $1`,
    all,
  ),
  'checkpoints signed with another key': { finders: ['export', 'tiles'], forge: resign },
  'a head that is behind': statement('UPDATE chain_heads SET seq = seq - 1 WHERE tenant_id = $1', ['check']),
  'a head with another hash': statement(
    `UPDATE chain_heads SET head_hash = sha256('other') WHERE tenant_id = $1`,
    ['check'],
  ),
}
