// The bytes of drafts and artifacts. Short text is stored in the content itself, the rest in sealed pieces
// whose keys only that content holds: redaction destroys its key, and so theirs.
import { createHash } from 'node:crypto'
import type { OperationContext } from '@svc/contract/operation-context'
import { type Refusal, refuse } from '@svc/contract/refusal'
import { Closed, HexHash, ListOf, Uuid } from '@svc/contract/schema'
import { sha256Hex } from '@svc/contract/signing/canonical-json'
import { sql } from '@svc/database/sql'
import { type Static, Type } from 'typebox'
import { linkContent, readContent } from '../../cognition/content/api.ts'
import { newTimeOrderedId } from '../../cognition/knowledge/api.ts'

export const bytes_max = 16 * 1024 * 1024
export const piece_bytes_max = 1024 * 1024
/** Short enough to be edited as content. */
const text_bytes_max = 128 * 1024
const pieces_max = 256
const holders_max = 8
/** Each of them links back to these. */
const holders_told_max = 32
const key_bytes = 32

const Stored = Closed({
  digest: HexHash,
  size: Type.Integer({ minimum: 0, maximum: bytes_max }),
  pieces: ListOf(
    Closed({
      id: Uuid,
      size: Type.Integer({ minimum: 1, maximum: piece_bytes_max }),
      key: Type.String({ maxLength: 256 }),
    }),
    0,
    pieces_max,
  ),
})
type Stored = Static<typeof Stored>

/** One of the two, as fields of a draft or an artifact. */
export const held_fields = { content: Type.Optional(Type.String()), stored: Type.Optional(Stored) }
export interface Held {
  readonly content?: string
  readonly stored?: Stored
}

export interface Measured {
  readonly digest: string
  readonly size: number
}

type Keeping = Pick<OperationContext<'vault'>, 'db' | 'tenant_id' | 'vault'>

/** Identical bytes are stored once. */
export async function holdBytes(context: OperationContext<'vault'>, bytes: Buffer): Promise<Held> {
  if (bytes.length > bytes_max) throw tooLarge(`${bytes_max} bytes`)
  const content = bytes.length <= text_bytes_max ? textOf(bytes) : undefined
  if (content !== undefined) return { content }
  const digest = sha256Hex(bytes)
  const stored = await findHeld(context, digest)
  if (stored) return { stored: stored }
  return { stored: { digest, size: bytes.length, pieces: await keepPieces(context, bytes) } }
}

/** Appends bytes; existing pieces stay in place. */
export async function appendBytes(
  context: OperationContext<'vault'>,
  before: Held,
  bytes: Buffer,
): Promise<Held> {
  if (!before.stored)
    return await holdBytes(context, Buffer.concat([Buffer.from(requireText(before)), bytes]))
  const size = before.stored.pieces.reduce((sum, piece) => sum + piece.size, bytes.length)
  if (size > bytes_max) throw tooLarge(`${bytes_max} bytes`)
  const pieces = [...before.stored.pieces, ...(await keepPieces(context, bytes))]
  if (pieces.length > pieces_max) throw tooLarge(`${pieces_max} pieces`)
  const stored = { ...before.stored, pieces }
  return { stored: { pieces, ...(await measure(context, { stored })) } }
}

/** Measures the bytes themselves, whatever the metadata says. */
export async function measure(context: Keeping, holding: Held): Promise<Measured> {
  if (!holding.stored) {
    const bytes = Buffer.from(requireText(holding))
    return { digest: sha256Hex(bytes), size: bytes.length }
  }
  const hash = createHash('sha256')
  let size = 0
  for (const piece of holding.stored.pieces) {
    hash.update(await openPiece(context, piece))
    size += piece.size
  }
  return { digest: hash.digest('hex'), size }
}

/** The bytes of a range, as far as they exist. */
export async function readBytes(context: Keeping, holding: Held, from: number, to: number): Promise<Buffer> {
  if (!holding.stored) return Buffer.from(requireText(holding)).subarray(from, to)
  const parts: Buffer[] = []
  let start = 0
  for (const piece of holding.stored.pieces) {
    const end = start + piece.size
    if (start < to && end > from) {
      const opened = await openPiece(context, piece)
      parts.push(opened.subarray(Math.max(0, from - start), to - start))
    }
    start = end
  }
  return Buffer.concat(parts)
}

/** Undefined if not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Lets identical bytes be found again, and shows whoever redacts them where else they are stored. */
export async function noteHolder(
  context: OperationContext<'vault'>,
  { stored }: Held,
  ref: string,
  version: number,
  linked_otherwise?: string,
): Promise<void> {
  if (!stored) return
  const { db, tenant_id, vault } = context
  const others = await sql<{ ref: string }>`
    SELECT DISTINCT ref FROM mage_holdings WHERE tenant_id = ${tenant_id} AND digest_key = ${vault.blind(stored.digest)}
      AND ref <> ${ref} AND ref <> ${linked_otherwise ?? ref} ORDER BY ref LIMIT ${holders_told_max}`.all(db)
  await linkContent(context, ref, others, 'same_bytes')
  for (const other of others) await linkContent(context, other.ref, [{ ref }], 'same_bytes')
  await sql`INSERT INTO mage_holdings (tenant_id, digest_key, ref, version)
    VALUES (${tenant_id}, ${vault.blind(stored.digest)}, ${ref}, ${version}) ON CONFLICT DO NOTHING`.execute(
    db,
  )
}

async function findHeld(context: Keeping, digest: string): Promise<Stored | undefined> {
  const { db, tenant_id, vault } = context
  const rows = await sql<{ ref: string; version: number }>`
    SELECT ref, version FROM mage_holdings WHERE tenant_id = ${tenant_id} AND digest_key = ${vault.blind(digest)}
    ORDER BY ref DESC, version DESC LIMIT ${holders_max}`.all(db)
  for (const { ref, version } of rows) {
    const content = await readContent(context, ref, { version })
    const stored = (content?.body as Held | undefined)?.stored
    if (stored?.digest === digest) return stored
  }
  return undefined
}

async function keepPieces(context: OperationContext<'vault'>, bytes: Buffer): Promise<Stored['pieces']> {
  const { db, tenant_id, vault } = context
  const pieces: Stored['pieces'] = []
  for (let from = 0; from < bytes.length; from += piece_bytes_max) {
    const part = bytes.subarray(from, from + piece_bytes_max)
    const id = newTimeOrderedId(context)
    // The content that names the piece is sealed itself, so the piece's key needs no other.
    const { sealed, key } = vault.sealWithin(boxName(id), part)
    await sql`INSERT INTO mage_pieces (tenant_id, piece_id, sealed)
      VALUES (${tenant_id}, ${id}, ${sealed})`.execute(db)
    pieces.push({ id, size: part.length, key: key.toString('base64') })
  }
  return pieces
}

/** Drafts can be edited, so a reference to missing bytes must be reported. */
async function openPiece(
  { db, tenant_id, vault }: Keeping,
  { id, size, key }: Stored['pieces'][number],
): Promise<Buffer> {
  const row = await sql<{ sealed: Buffer }>`
    SELECT sealed FROM mage_pieces WHERE tenant_id = ${tenant_id} AND piece_id = ${id}`.first(db)
  const opened = row && tryOpen(vault, id, row.sealed, Buffer.from(key, 'base64'))
  if (opened?.length !== size) throw withoutBytes()
  return opened
}

function tryOpen(vault: Keeping['vault'], id: string, sealed: Buffer, key: Buffer): Buffer | undefined {
  try {
    // Before root keys it was a wrapped key.
    if (key.length > key_bytes) return vault.open(boxName(id), { sealed, wrapped_key: key })
    return vault.openWithin(boxName(id), { sealed, key })
  } catch {
    return undefined
  }
}

function boxName(piece_id: string): string {
  return `mage piece ${piece_id}`
}

function requireText({ content }: Held): string {
  if (content === undefined) throw withoutBytes()
  return content
}

function withoutBytes(): Refusal {
  return refuse(
    'policy_denied',
    'The bytes of this draft were redacted or edited away; revise it with new content.',
    {
      reason: 'content is gone; a draft needs content',
    },
  )
}

function tooLarge(what: string): Refusal {
  return refuse('invalid_payload', `An artifact may have ${what}; divide it into several.`, {
    reason: 'too_large',
    path: '/content',
  })
}
