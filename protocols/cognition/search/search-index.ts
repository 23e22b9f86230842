// One organization's search index in memory: a copy of content_index in typed arrays, by slot.
import { readLexemes } from './search-lexemes.ts'

import { addVector, bytesOfVectors, growVectors, newVectorIndex, type VectorIndex } from './search-vectors.ts'
import { addWords, newWordIndex, type Searched, type WordIndex } from './search-words.ts'

/** By namespace: slots in order of time; those from `sorted` on are not yet sorted in. */
export type Lines = Map<number, { slots: number[]; sorted: number }>

function addToLine(lines: Lines, namespace: number, slot: number): void {
  const line = lines.get(namespace)
  if (line) line.slots.push(slot)
  else lines.set(namespace, { slots: [slot], sorted: 0 })
}

/** A row of content_index, as read to update the copy. */
export interface IndexedRow {
  readonly ref: string
  readonly kind: string
  readonly namespace: string
  readonly present: boolean
  readonly readers: readonly string[] | null
  readonly lexemes: string | null
  readonly embedding: Buffer | null
  readonly embedder_id: string | null
  readonly occurred_ms: number | null
  readonly importance: number | null
  readonly active_until_ms: number | null
  /** The transaction that wrote it. */
  readonly revision: string
}

/** Search filters; an omitted one does not restrict. */
export interface Choice {
  readonly kinds: readonly string[]
  readonly namespace?: string | undefined
  /** Also what only these may read; omitted: only what the whole tenant may read. */
  readonly principals?: readonly string[] | undefined
  /** Only what is active at this time. */
  readonly active_at_ms?: number | undefined
  /** Half-open, by time of the event. */
  readonly from_ms?: number | undefined
  readonly to_ms?: number | undefined
  readonly refs?: ReadonlySet<string> | undefined
}

export interface SearchIndex {
  readonly embedder_id: string
  readonly words: WordIndex
  readonly vectors: VectorIndex
  readonly slot_of: Map<string, number>
  readonly refs: string[]
  readonly names: Map<string, number>
  /** Those who may read a slot, by their number in `names`. */
  readonly readers: Map<number, readonly string[]>
  /** The timeline of each namespace. */
  readonly lines: Lines
  slots: number
  /** Slots whose content was replaced or removed. */
  dead: number
  columns: Columns
}

/** By slot. Kinds, namespaces and readers are numbers in `names`; kind 0 is a dead slot, readers 0 the whole tenant. */
interface Columns {
  readonly kinds: Uint16Array<ArrayBuffer>
  readonly namespaces: Uint32Array<ArrayBuffer>
  readonly readers: Uint32Array<ArrayBuffer>
  readonly lengths: Uint32Array<ArrayBuffer>
  readonly occurred_ms: Float64Array<ArrayBuffer>
  readonly active_until_ms: Float64Array<ArrayBuffer>
  readonly importance: Float32Array<ArrayBuffer>
  readonly revisions: Float64Array<ArrayBuffer>
}

const first_slots = 256
const slot_bytes = 160
const importance_default = 0.5
const kinds_max = 65_535

export function newSearchIndex(embedder_id: string, dimensions: number): SearchIndex {
  return {
    embedder_id,
    words: newWordIndex(),
    vectors: newVectorIndex(dimensions, first_slots),
    slot_of: new Map(),
    refs: [],
    names: new Map(),
    readers: new Map(),
    lines: new Map(),
    slots: 0,
    dead: 0,
    columns: newColumns(first_slots),
  }
}

function newColumns(slots: number): Columns {
  return {
    kinds: new Uint16Array(slots),
    namespaces: new Uint32Array(slots),
    readers: new Uint32Array(slots),
    lengths: new Uint32Array(slots),
    occurred_ms: new Float64Array(slots),
    active_until_ms: new Float64Array(slots),
    importance: new Float32Array(slots),
    revisions: new Float64Array(slots),
  }
}

export function bytesOfIndex(index: SearchIndex): number {
  return index.words.bytes + bytesOfVectors(index.vectors) + index.columns.kinds.length * slot_bytes
}

/** Idempotent; an outdated row is ignored. */
export function applyRow(index: SearchIndex, row: IndexedRow): void {
  const before = index.slot_of.get(row.ref)
  const revision = Number(row.revision)
  if (before !== undefined) {
    if (index.columns.revisions[before]! >= revision) return
    killSlot(index, before)
  } else if (!row.present) return
  const slot = takeSlot(index, row.ref)
  const { columns, words, vectors } = index
  columns.revisions[slot] = revision
  if (!row.present || row.lexemes === null) {
    index.dead++
    return
  }
  columns.kinds[slot] = Math.min(nameOf(index, `kind ${row.kind}`), kinds_max)
  columns.namespaces[slot] = nameOf(index, row.namespace)
  columns.readers[slot] = readersOf(index, row.readers)
  columns.occurred_ms[slot] = row.occurred_ms ?? 0
  columns.active_until_ms[slot] = row.active_until_ms ?? Infinity
  columns.importance[slot] = row.importance ?? importance_default
  if (row.kind === 'episodic') addToLine(index.lines, columns.namespaces[slot]!, slot)
  columns.lengths[slot] = addWords(words, slot, readLexemes(row.lexemes))
  addVector(vectors, slot, row.embedder_id === index.embedder_id ? asVector(row.embedding) : undefined)
}

function asVector(bytes: Buffer | null): Int8Array | undefined {
  return bytes ? new Int8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength) : undefined
}

function killSlot(index: SearchIndex, slot: number): void {
  const { kinds } = index.columns
  if (kinds[slot] === 0) return
  kinds[slot] = 0
  index.dead++
}

function takeSlot(index: SearchIndex, ref: string): number {
  const slot = index.slots++
  if (slot === index.columns.kinds.length) {
    const larger = newColumns(slot * 2)
    for (const name of Object.keys(larger) as (keyof Columns)[]) larger[name].set(index.columns[name])
    index.columns = larger
    growVectors(index.vectors, slot * 2)
  }
  index.refs[slot] = ref
  index.slot_of.set(ref, slot)
  return slot
}

function readersOf(index: SearchIndex, readers: readonly string[] | null): number {
  if (readers === null) return 0
  const number = nameOf(index, `readers ${readers.join(' ')}`)
  index.readers.set(number, readers)
  return number
}

function nameOf({ names }: SearchIndex, name: string): number {
  const number = names.get(name)
  if (number !== undefined) return number
  names.set(name, names.size + 1)
  return names.size
}

/** Marks each slot that matches the filters. */
export function chooseSlots(index: SearchIndex, choice: Choice): Searched {
  const { kinds, namespaces, readers, occurred_ms, active_until_ms, lengths } = index.columns
  const { active_at_ms = Number.NaN, from_ms = -Infinity, to_ms = Infinity, refs } = choice
  const wanted_kinds = new Uint8Array(index.names.size + 1)
  for (const kind of choice.kinds) wanted_kinds[index.names.get(`kind ${kind}`) ?? 0] = 1
  wanted_kinds[0] = 0
  // An unknown namespace gets a number that no slot has.
  const namespace = choice.namespace === undefined ? 0 : (index.names.get(choice.namespace) ?? -1)
  const may_read = readableBy(index, choice.principals)
  const allowed = new Uint8Array(index.slots)
  if (refs) for (const ref of refs) markRef(index, ref, allowed)
  else allowed.fill(1)
  const is_timed = from_ms !== -Infinity || to_ms !== Infinity
  let allowed_count = 0
  let length_sum = 0
  for (let slot = 0; slot < allowed.length; slot++) {
    if (allowed[slot] === 0) continue
    const fits =
      wanted_kinds[kinds[slot]!] === 1 &&
      may_read[readers[slot]!] === 1 &&
      (namespace === 0 || namespaces[slot] === namespace) &&
      !(active_until_ms[slot]! <= active_at_ms) &&
      (!is_timed || (occurred_ms[slot]! >= from_ms && occurred_ms[slot]! < to_ms))
    if (fits) {
      allowed_count++
      length_sum += lengths[slot]!
    } else allowed[slot] = 0
  }
  // Of the allowed ones only: how long the memories of others are changes no order.
  return {
    allowed,
    allowed_count,
    lengths,
    length_mean: Math.max(1, length_sum / Math.max(1, allowed_count)),
  }
}

/** By number of readers. */
function readableBy(index: SearchIndex, principals: readonly string[] = []): Uint8Array {
  const may_read = new Uint8Array(index.names.size + 1)
  may_read[0] = 1
  const names = new Set(principals)
  for (const [number, readers] of index.readers)
    if (readers.some((reader) => names.has(reader))) may_read[number] = 1
  return may_read
}

function markRef({ slot_of }: SearchIndex, ref: string, allowed: Uint8Array): void {
  const slot = slot_of.get(ref)
  if (slot !== undefined) allowed[slot] = 1
}
