import { fromBase64, toHex } from './bytes.ts'
import { isObject, wordsOf } from './fault.ts'
import { isSignedBy, type Note, readKey, readNote } from './note.ts'
import { emptyRoot, isGrownFrom, rootOfRow, type SizedRoot } from './paths.ts'
import { type Primitives, platformPrimitives } from './primitives.ts'
import { isCount, rootOfPath } from './tree.ts'

/** What you trust besides the answer. */
export interface ProofOptions {
  /** Public keys (base64url) you trust for the organization. */
  trustedKeys?: readonly string[]
  /** Signed notes you kept: at their size, the tree must have their root. */
  checkpoints?: readonly string[]
}

/** The verdict on an answer of MAZE prove. */
export interface ProofVerdict {
  /** The answer is consistent. */
  ok: boolean
  /** A key you trust signed it, or a note you kept confirms it. Otherwise anyone could have made it. */
  vouched: boolean
  kind?: 'inclusion' | 'consistency' | 'segment'
  tenant_id?: string
  tree_size?: number
  root_hash?: string
  /** What is wrong, in one sentence. */
  reason?: string
}

/**
 * Checks an answer of MAZE prove offline: the path to its root, and that this root is signed.
 * Never throws: whatever is wrong is the verdict.
 *
 * @example
 * ```ts
 * import { createClient, verifyProof } from '@svc/sdk'
 *
 * const client = createClient()
 * const { keys = [] } = await client.max.audit_query({ after_seq: 0, limit: 1, include_checkpoints: true })
 * const answer = await client.maze.prove({ kind: 'consistency', first: 0 })
 * const verdict = await verifyProof(answer, { trustedKeys: keys.map((key) => key.public_key) })
 * console.log(verdict.ok, verdict.reason)
 * ```
 *
 * ```output
 * true undefined
 * ```
 */
export async function verifyProof(answer: unknown, options: ProofOptions = {}): Promise<ProofVerdict> {
  return await judgeProof(answer, options, platformPrimitives())
}

const known_algorithm = 'RFC9162-SHA256'
const hash_form = /^[0-9a-f]{64}$/
const nodes_max = 128
const segment_max = 1000
const no_record = '0'.repeat(64)

/** Other fields are unsigned but would look signed, so they are rejected. */
const fields = ['kind', 'tree_size', 'root_hash', 'proof', 'checkpoint', 'checkpoint_proof', 'verify']
const fields_of: Readonly<Record<string, readonly string[]>> = {
  inclusion: [...fields, 'leaf_index', 'leaf'],
  consistency: [...fields, 'first_size', 'first_root'],
  segment: [...fields, 'leaf_index', 'segment', 'previous_hash'],
}

const fields_within: Readonly<Record<string, readonly string[]>> = {
  leaf: ['record_hash', 'canonical_commitment'],
  segment: ['seq', 'record_hash', 'canonical_commitment'],
  verify: ['algorithm'],
}

function strayField(answer: Record<string, unknown>, fields: readonly string[]): string | undefined {
  const strayIn = (value: unknown, names: readonly string[]) =>
    isObject(value) ? Object.keys(value).find((field) => !names.includes(field)) : undefined
  const within = Object.entries(fields_within).flatMap(([field, names]) =>
    [answer[field]].flat().map((value) => strayIn(value, names)),
  )
  return strayIn(answer, fields) ?? within.find((field) => field !== undefined)
}

/** Whether it has the form of such an answer, valid or not. */
export function isProof(value: unknown): value is Record<string, unknown> {
  return isObject(value) && isObject(value.verify) && typeof value.kind === 'string'
}

export async function judgeProof(
  answer: unknown,
  options: ProofOptions,
  primitives: Primitives,
): Promise<ProofVerdict> {
  try {
    return await judge(answer, options, primitives)
  } catch (error) {
    return { ok: false, vouched: false, reason: `the proof cannot be read: ${wordsOf(error)}` }
  }
}

const checks: Readonly<Record<string, (proof: Read, primitives: Primitives) => Promise<string | undefined>>> =
  { inclusion: inclusionFault, consistency: consistencyFault, segment: segmentFault }

async function judge(answer: unknown, options: ProofOptions, primitives: Primitives): Promise<ProofVerdict> {
  const wrong = (reason: string): ProofVerdict => ({ ok: false, vouched: false, reason })
  if (!isProof(answer)) return wrong('it is no answer of MAZE prove')
  const kind = answer.kind as NonNullable<ProofVerdict['kind']>
  if (!isObject(answer.verify) || answer.verify.algorithm !== known_algorithm || !Object.hasOwn(checks, kind))
    return wrong(`it is no proof of ${known_algorithm} that is known here`)
  const stray = strayField(answer, fields_of[kind]!)
  if (stray !== undefined) return wrong(`it has a field ${stray.slice(0, 40)}, which nobody has signed`)
  const proof = readProof(answer)
  if (!proof) return wrong('its size, its root or its path have no form that is known here')
  const fault = (await checks[kind]!(proof, primitives)) ?? (await checkpointFault(proof, primitives))
  if (fault !== undefined) return wrong(fault)
  const { tree, note } = proof
  const vouching = await heldFault(proof, options.checkpoints ?? [])
  if (vouching.fault !== undefined) return wrong(vouching.fault)
  const vouched = vouching.vouches || (await isSignedByAny(note, options.trustedKeys ?? [], primitives))
  if (!vouched && options.trustedKeys?.length)
    return wrong(`${note ? 'the checkpoint' : 'that the log is empty'} is not signed by a key you trust`)
  const tenant_id = note?.origin.replace(/^svc\//, '')
  return {
    ok: true,
    vouched,
    kind,
    ...(tenant_id === undefined ? {} : { tenant_id }),
    tree_size: tree.size,
    root_hash: tree.root,
  }
}

interface Read {
  readonly answer: Record<string, unknown>
  readonly tree: SizedRoot
  readonly path: readonly string[]
  readonly note: Note | undefined
  readonly bridge: readonly string[]
}

function readProof(answer: Record<string, unknown>): Read | undefined {
  const { tree_size, root_hash, proof, checkpoint, checkpoint_proof = [] } = answer
  const [path, bridge] = [hexNodes(proof), hexNodes(checkpoint_proof)]
  const note = readNote(checkpoint)
  if (!isCount(tree_size) || !isHash(root_hash) || !path || !bridge) return undefined
  if (checkpoint !== undefined && !note) return undefined
  return { answer, tree: { size: tree_size, root: root_hash }, path, note, bridge }
}

async function inclusionFault({ answer, tree, path }: Read, primitives: Primitives) {
  const { leaf, leaf_index } = answer
  if (!isObject(leaf) || !isHash(leaf.record_hash) || !isCount(leaf_index)) return 'it names no leaf'
  if (leaf.canonical_commitment !== leaf.record_hash)
    return 'the record stored under this hash has another content than was hashed'
  const root = await rootOfPath(leaf.record_hash, { index: leaf_index, size: tree.size }, path, primitives)
  return root === tree.root ? undefined : 'the path does not lead from the record to the root'
}

async function consistencyFault({ answer, tree, path }: Read, primitives: Primitives) {
  const { first_size, first_root } = answer
  if (!isCount(first_size) || !isHash(first_root)) return 'it names no first tree'
  const first = { size: first_size, root: first_root }
  return (await isGrownFrom(first, tree, path, primitives))
    ? undefined
    : `the tree of ${tree.size} records did not grow out of that of ${first_size}`
}

async function segmentFault({ answer, tree, path }: Read, primitives: Primitives) {
  const { segment, leaf_index, previous_hash } = answer
  if (!Array.isArray(segment) || segment.length === 0 || segment.length > segment_max || !isCount(leaf_index))
    return 'it holds no row'
  const rows = segment as unknown[]
  for (const [i, row] of rows.entries()) {
    const seq = leaf_index + i + 1
    if (!isObject(row) || row.seq !== seq || !isHash(row.record_hash)) return `record ${seq} is missing`
    if (row.canonical_commitment !== row.record_hash)
      return `the content of record ${seq} has another hash than it states`
  }
  const hashes = rows.map((row) => (row as { record_hash: string }).record_hash)
  if (!isHash(previous_hash) || (leaf_index === 0 && previous_hash !== no_record))
    return 'it does not say which hash comes before the first'
  const row = leaf_index === 0 ? hashes : [previous_hash, ...hashes]
  const place = { index: Math.max(0, leaf_index - 1), size: tree.size }
  const root = await rootOfRow(row, place, path, primitives)
  return root === tree.root ? undefined : 'the hashes do not lead to the root'
}

/** A checkpoint of a larger tree vouches for this one if it extends it. */
async function checkpointFault({ tree, note, bridge }: Read, primitives: Primitives) {
  if (!note) {
    const is_empty = tree.size === 0 && tree.root === (await emptyRoot(primitives))
    return is_empty ? undefined : 'it comes with no checkpoint'
  }
  if (!note.origin.startsWith('svc/')) return `the checkpoint is of another log, ${note.origin.slice(0, 80)}`
  return (await isGrownFrom(tree, note, bridge, primitives))
    ? undefined
    : `the signed tree of ${note.size} records did not grow out of this one`
}

async function heldFault({ answer, tree, note }: Read, texts: readonly string[]) {
  const first = { size: answer.first_size, root: answer.first_root }
  let vouches = false
  for (const text of texts) {
    const trusted_note = readNote(text)
    if (!trusted_note) return { vouches, fault: 'a checkpoint you kept is no signed note' }
    if (!note || trusted_note.origin !== note.origin)
      return {
        vouches,
        fault: `a checkpoint you kept is of another log, ${trusted_note.origin.slice(0, 80)}`,
      }
    const same_size = [tree, note, first].filter(({ size }) => size === trusted_note.size)
    if (same_size.some(({ root }) => root !== trusted_note.root))
      return {
        vouches,
        fault: `the checkpoint you kept of size ${trusted_note.size} has another root: the log was rewritten`,
      }
    vouches ||= trusted_note.size === note.size || (trusted_note.size === tree.size && tree.size > 0)
  }
  return { vouches, fault: undefined }
}

async function isSignedByAny(
  note: Note | undefined,
  keys: readonly string[],
  primitives: Primitives,
): Promise<boolean> {
  // Without a signature, anyone could claim that a log is empty.
  if (!note) return false
  for (const key of keys) if (await isSignedBy(note, await readKey(note.origin, key, primitives))) return true
  return false
}

/** Only the canonical spelling. */
function hexNodes(value: unknown): string[] | undefined {
  if (!Array.isArray(value) || value.length > nodes_max) return undefined
  const nodes = Array.from(value as unknown[], (node) =>
    typeof node === 'string' ? fromBase64(node) : undefined,
  )
  if (nodes.some((node) => node?.length !== 32)) return undefined
  return nodes.map((node) => toHex(node!))
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && hash_form.test(value)
}
