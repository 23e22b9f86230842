import { isMoment } from '@svc/contract/moment'
import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import {
  AnyObject,
  Closed,
  Did,
  described,
  HexHash,
  ListOf,
  Ref,
  Text,
  Timestamp,
  Uuid,
} from '@svc/contract/schema'
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
  readersOf,
  refuseWithoutSteps,
  scope_fields,
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
  ...scope_fields,
  text: Type.Optional(
    Text(text_length_max, { description: 'Text to search by; default: the texts of the payload.' }),
  ),
  index: Type.Optional(
    Closed(
      {
        vector: Type.Optional(Type.Boolean({ default: true, description: 'Searchable by meaning.' })),
        graph: Type.Optional(
          Type.Boolean({ default: true, description: 'Its triples become facts, with the scope tenant.' }),
        ),
      },
      { description: 'How it can be found besides its words.' },
    ),
  ),
  triples: Type.Optional(described(ListOf(Triple, 0, triples_max), 'Facts it states.')),
  occurred_at: Type.Optional(described(Timestamp, 'When it happened; default now.')),
  ttl_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 604_800,
      description: 'Working memories only; default: one hour.',
    }),
  ),
  importance: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      default: 0.5,
      description: 'Counts in ranking, and in what working memory forgets first.',
    }),
  ),
  confidence: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, default: 1, description: 'How sure it is, 0 to 1.' }),
  ),
  source_ref: Type.Optional(described(Ref, 'Where it comes from.')),
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
  memory_id: described(Uuid, 'Names the memory.'),
  ref: described(CellRef, 'Reference to cite it by.'),
  version: Type.Integer({ minimum: 1, description: 'Grows with each edit.' }),
  content_commitment: described(HexHash, 'Salted hash of the content, as the audit log has it.'),
  indexed: Closed(
    {
      vector: Type.Boolean({ description: 'By meaning; false while its embedding is pending.' }),
      graph: Type.Boolean({ description: 'By its facts.' }),
      lexical: Type.Boolean({ description: 'By its words.' }),
    },
    { description: 'How it can be found now.' },
  ),
  triples_added: Type.Integer({ minimum: 0, description: 'Number of facts stored.' }),
  superseded: described(ListOf(CellRef, 0, 10_000), 'Earlier facts that its own replaced.'),
  duplicate_of: Type.Optional(described(CellRef, 'Same memory stored before; it was not stored again.')),
})

export async function storeMemory(
  input: StoreInput,
  context: OperationContext<'embedder' | 'vault'>,
): Promise<Static<typeof StoreOutput>> {
  const cell = readCell(input, context)
  const { ref, version, commitment, duplicate_of, embedded } = await keepCell(context, cell)
  if (cell.kind === 'working' && duplicate_of === undefined) await makeRoom(context, cell)
  // Facts belong to the whole tenant: what is not for everybody changes none and becomes none.
  const graph = cell.readers === null && input.index?.graph !== false && (input.triples?.length ?? 0) > 0
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
    ...(cell.readers && { readers: cell.readers.length }),
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
    readers: readersOf(input, kind, context.caller.did),
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
