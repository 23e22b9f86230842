// Creates lasting memories: facts stated in enough episodes, and repeated sequences of calls.

import type { OperationContext } from '@svc/contract/operation-context'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { cellRef, keepCell, type NewCell } from '../cells/api.ts'
import { linkContent, type Readers, type StoredContent, type Triple } from '../content/api.ts'
import { addTriples, type FactConflict, newTimeOrderedId } from '../knowledge/api.ts'
import { confidenceOf, draftRecipe, statementOf } from './consolidation.ts'
import type { RepeatedSequence } from './consolidation-sequences.ts'
import {
  deriveFrom,
  findOutputs,
  findSupported,
  keepMentions,
  keepOutput,
  type Mention,
  type Supported,
} from './consolidation-store.ts'

export interface Run {
  readonly namespace: string
  readonly namespace_key: string
  /** Of everything examined and made. */
  readonly readers: Readers
  readonly min_support: number
  readonly dry_run: boolean
}

export interface SemanticCreated {
  readonly ref?: string
  readonly support: number
  readonly confidence: number
}

export interface ProceduralCreated {
  readonly ref?: string
  readonly steps: string[]
  readonly support: number
  readonly recipe_id: string
}

const lasting_max = 1_000
const procedural_trust = 0.5

interface Stated {
  readonly mentions: readonly Mention[]
  /** In the wording of the first. */
  readonly words: ReadonlyMap<string, Triple>
}

function statedBy({ vault }: OperationContext<'vault'>, contents: readonly StoredContent[]): Stated {
  const mentions = new Map<string, Mention>()
  const words = new Map<string, Triple>()
  for (const { ref, triples = [] } of contents)
    for (const triple of triples) {
      const statement = statementOf(triple)
      const triple_key = vault.blind(`mantle triple ${statement.triple}`)
      const pair_key = vault.blind(`mantle pair ${statement.pair}`)
      mentions.set(`${triple_key} ${ref}`, { triple_key, pair_key, cell_ref: ref })
      if (!words.has(triple_key)) words.set(triple_key, triple)
    }
  return { mentions: [...mentions.values()], words }
}

/** Triples stated in enough episodes; if already a lasting memory, only its support grows. */
export async function makeSemantic(
  context: OperationContext<'embedder' | 'vault'>,
  run: Run,
  contents: readonly StoredContent[],
): Promise<{ created: SemanticCreated[]; conflicts: FactConflict[] }> {
  const { namespace_key, min_support, dry_run } = run
  const { mentions, words } = statedBy(context, contents)
  const created: SemanticCreated[] = []
  const conflicts: FactConflict[] = []
  if (mentions.length === 0) return { created, conflicts }
  const candidates = await findSupported(context, namespace_key, mentions, min_support, lasting_max)
  if (!dry_run) await keepMentions(context, namespace_key, mentions)
  for (const supported of candidates) {
    const { sources, asked, output_ref, triple_key } = supported
    const confidence = confidenceOf(sources.length, asked)
    if (output_ref !== null) {
      if (!dry_run) await support(context, run, { ref: output_ref, sources, confidence })
      continue
    }
    if (dry_run) {
      created.push({ support: sources.length, confidence })
      continue
    }
    const triple = words.get(triple_key)!
    const made = await keepSemantic(context, run, triple, { ...supported, confidence }, contents)
    conflicts.push(...made.conflicts)
    if (made.is_new) created.push({ ref: made.ref, support: sources.length, confidence })
  }
  return { created, conflicts }
}

async function keepSemantic(
  context: OperationContext<'embedder' | 'vault'>,
  run: Run,
  { subject, predicate, object }: Triple,
  { triple_key, sources, confidence }: Supported & { readonly confidence: number },
  contents: readonly StoredContent[],
): Promise<{ ref: string; is_new: boolean; conflicts: readonly FactConflict[] }> {
  const triple = { subject, predicate, object, confidence }
  const payload = { subject, predicate, object }
  const cell = {
    ...newCell(context, run, 'semantic', payload, `${subject} ${predicate.replaceAll('_', ' ')} ${object}`),
    confidence,
    triples: [triple],
    // If all sources are about one subject, so is this.
    subject_did: soleSubject(contents.filter(({ ref }) => sources.includes(ref))),
  }
  const { ref, duplicate_of } = await keepCell(context, cell)
  await keepOutput(context, run.namespace_key, triple_key, ref)
  await support(context, run, { ref, sources, confidence })
  const public_facts = run.readers === null ? [triple] : []
  const { conflicts } = await addTriples(context, ref, public_facts, { subject_did: cell.subject_did })
  return { ref, is_new: duplicate_of === undefined, conflicts }
}

interface Support {
  readonly ref: string
  readonly sources: readonly string[]
  readonly confidence: number
}

async function support(
  context: OperationContext,
  { readers }: Run,
  { ref, sources, confidence }: Support,
): Promise<void> {
  await deriveFrom(context, ref, sources, { confidence, readers })
  const targets = sources.filter((source) => source !== ref).map((source) => ({ ref: source }))
  await linkContent(context, ref, targets, 'derived_from')
}

/** Each with a draft recipe. */
export async function makeProcedural(
  context: OperationContext<'embedder' | 'vault'>,
  run: Run,
  sequences: readonly RepeatedSequence[],
): Promise<ProceduralCreated[]> {
  const { vault } = context
  const keyed = sequences.map((one) => ({
    ...one,
    output_key: vault.blind(`mantle steps ${JSON.stringify(one.steps)}`),
  }))
  const existing = await findOutputs(
    context,
    run.namespace_key,
    keyed.map(({ output_key }) => output_key),
  )
  const created: ProceduralCreated[] = []
  for (const { steps, support: times, output_key } of keyed) {
    if (existing.has(output_key)) continue
    const recipe = draftRecipe(steps)
    const procedure = { steps: [...steps], support: times, recipe_id: recipe.id }
    if (run.dry_run) {
      created.push(procedure)
      continue
    }
    const cell = newCell(context, run, 'procedural', { steps, recipe }, steps.join(' '))
    const { ref, duplicate_of } = await keepCell(context, { ...cell, confidence: procedural_trust })
    await keepOutput(context, run.namespace_key, output_key, ref)
    if (duplicate_of === undefined) created.push({ ref, ...procedure })
  }
  return created
}

function newCell(
  context: OperationContext<'vault'>,
  { namespace, readers }: Run,
  kind: 'semantic' | 'procedural',
  payload: Record<string, unknown>,
  text: string,
): NewCell {
  const canonical = canonicalJson(payload)
  return {
    ref: cellRef(newTimeOrderedId(context)),
    kind,
    payload,
    payload_bytes: Buffer.byteLength(canonical),
    namespace,
    readers,
    text,
    vector: true,
    occurred_at: context.now,
    expires_at: undefined,
    importance: 0.5,
    confidence: 1,
    source_ref: undefined,
    subject_did: undefined,
    // The same key as a stored memory with this payload, so that equal content is kept once.
    same_key: context.vault.blind(`mind same ${canonical}`),
  }
}

function soleSubject(sources: readonly StoredContent[]): string | undefined {
  const subjects = new Set(sources.map(({ subject_did }) => subject_did))
  const [only] = subjects
  return subjects.size === 1 ? (only ?? undefined) : undefined
}
