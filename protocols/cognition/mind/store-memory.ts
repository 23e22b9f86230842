import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { AnyObject, Closed, Did, HexHash, ListOf, Ref, Text, Timestamp, Uuid } from '@svc/contract/schema'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { type Static, Type } from 'typebox'
import {
  CellRef,
  cellRef,
  keepCell,
  MemoryKind,
  memoryIdOf,
  Namespace,
  type NewCell,
  refuseWithoutSteps,
  textOf,
} from '../cells/api.ts'
import { Triple } from '../content/api.ts'
import { addTriples, newTimeOrderedId } from '../knowledge/api.ts'
import { makeRoom } from './working-memory.ts'

const payload_bytes_max = 256 * 1024
const text_length_max = 32_768
const ttl_seconds_default = 3_600
const triples_max = 100

export const StoreInput = Closed({
  kind: MemoryKind,
  payload: { ...AnyObject, description: 'What to remember; at most 256 KiB.' } as typeof AnyObject,
  namespace: Type.Optional({ ...Namespace, default: 'default' } as typeof Namespace),
  text: Type.Optional(
    Text(text_length_max, { description: 'Text to search by; default: the texts of the payload.' }),
  ),
  index: Type.Optional(
    Closed({
      vector: Type.Optional(Type.Boolean({ default: true, description: 'Searchable by meaning.' })),
      graph: Type.Optional(Type.Boolean({ default: true, description: 'Its triples become facts.' })),
    }),
  ),
  triples: Type.Optional(ListOf(Triple, 0, triples_max)),
  occurred_at: Type.Optional(Timestamp),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 604_800,
      description: 'Working memories only; default: one hour.',
    }),
  ),
  importance: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 0.5 })),
  confidence: Type.Optional(Type.Number({ minimum: 0, maximum: 1, default: 1 })),
  source_ref: Type.Optional(Ref),
  subject_did: Type.Optional({
    ...Did,
    description: 'The person it is about: redacting this subject redacts the memory.',
  } as typeof Did),
  dedupe: Type.Optional(
    Type.Boolean({ description: 'Store the same payload once; default for semantic memories.' }),
  ),
})
export type StoreInput = Static<typeof StoreInput>

export const StoreOutput = Closed({
  memory_id: Uuid,
  ref: CellRef,
  version: Type.Integer({ minimum: 1 }),
  content_commitment: HexHash,
  indexed: Closed({ vector: Type.Boolean(), graph: Type.Boolean(), lexical: Type.Boolean() }),
  triples_added: Type.Integer({ minimum: 0 }),
  superseded: ListOf(CellRef, 0, 10_000),
  duplicate_of: Type.Optional(CellRef),
})

export async function storeMemory(
  input: StoreInput,
  context: OperationContext<'embedder' | 'vault'>,
): Promise<Static<typeof StoreOutput>> {
  const cell = readCell(input, context)
  const { ref, version, commitment, duplicate_of, embedded } = await keepCell(context, cell)
  if (cell.kind === 'working' && duplicate_of === undefined) await makeRoom(context, cell.namespace)
  const graph = input.index?.graph !== false && (input.triples?.length ?? 0) > 0
  const facts = graph
    ? await addTriples(context, ref, input.triples!, {
        confidence: cell.confidence,
        subject_did: cell.subject_did,
      })
    : { added: 0, superseded: [] }
  context.audit('MemoryStored', {
    ref,
    version,
    kind: cell.kind,
    content_commitment: commitment,
    payload_bytes: cell.payload_bytes,
    triples_added: facts.added,
    ...(duplicate_of ? { duplicate_of } : {}),
  })
  return {
    memory_id: memoryIdOf(ref),
    ref,
    version,
    content_commitment: commitment,
    indexed: { vector: embedded, graph, lexical: true },
    triples_added: facts.added,
    superseded: [...facts.superseded],
    ...(duplicate_of ? { duplicate_of } : {}),
  }
}

function readCell(input: StoreInput, context: OperationContext<'vault'>): NewCell {
  const { kind, payload, namespace = 'default', ttl_seconds, importance = 0.5, confidence = 1 } = input
  if (kind === 'procedural') refuseWithoutSteps(payload)
  refuseMisfits(input)
  const canonical = canonicalJson(payload)
  const payload_bytes = Buffer.byteLength(canonical)
  if (payload_bytes > payload_bytes_max)
    throw refuse(
      'invalid_payload',
      `The payload has ${payload_bytes} bytes, more than the ${payload_bytes_max} allowed; store less, or a summary.`,
      { reason: 'too_large', path: '/payload' },
    )
  const same = (input.dedupe ?? kind === 'semantic') ? context.vault.blind(`mind same ${canonical}`) : null
  const expires_at =
    kind === 'working'
      ? new Date(Date.parse(context.now) + (ttl_seconds ?? ttl_seconds_default) * 1_000).toISOString()
      : undefined
  return {
    ref: cellRef(newTimeOrderedId(context)),
    kind,
    payload,
    payload_bytes,
    namespace,
    text: input.text ?? textOf(payload),
    vector: input.index?.vector ?? true,
    occurred_at: input.occurred_at ?? context.now,
    expires_at,
    importance,
    confidence,
    source_ref: input.source_ref,
    subject_did: input.subject_did,
    triples: input.triples,
    same_key: same,
  }
}

function refuseMisfits({ kind, ttl_seconds, occurred_at }: StoreInput): void {
  if (ttl_seconds !== undefined && kind !== 'working')
    throw refuse(
      'invalid_payload',
      `A ${kind} memory does not expire; omit ttl_seconds, or store it as working.`,
      { reason: 'ttl of a lasting memory', path: '/ttl_seconds' },
    )
  if (occurred_at !== undefined && !isMoment(occurred_at))
    throw refuse('invalid_payload', '/occurred_at is not a valid date; give a time that exists.', {
      reason: 'bad_time',
      path: '/occurred_at',
    })
}
