import type { OperationContext } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import { canonicalJson } from '@svc/contract/signing/canonical-json'
import { normaliseName, predicateKey } from '../content/api.ts'
import { declaredFunctional } from '../knowledge/api.ts'
import type { Fused, FusionInput } from './fusion.ts'
import type { SaidFact } from './fusion-claims.ts'
import {
  deadline_ms_default,
  type FusionAnswer,
  type FusionRequest,
  refsIn,
  tokens_default,
} from './fusion-input.ts'
import { compute, fusion_job } from './fusion-job.ts'
import { reliabilityOf } from './fusion-reliability.ts'
import { keepSnapshot, withTimes, writeBack } from './fusion-snapshot.ts'
import { readSources } from './fusion-sources.ts'

export const deadline_ms_max = 30_000
/** Up to this many facts are fused inline; more in a worker thread. */
const facts_at_once_max = 200
/** Above this number, names are not compared for similar spellings. */
const names_compared_max = 2_000
const refs_told_max = 200

export async function fuseSources(
  input: FusionRequest,
  context: OperationContext<'compute' | 'embedder' | 'lineages' | 'tokens' | 'vault'>,
): Promise<FusionAnswer> {
  // Set in metadata only, not by takePath: tokens are charged on either path.
  context.metadata.path = 'protocol'
  const { facts: sources, readers, unpublishable } = await readSources(context, input.sources)
  if (input.write_back && unpublishable) throw notPublished(unpublishable)
  const tokens_in = await context.tokens.count(sources.map(wordsOf))
  requireWithin(input, tokens_in)
  context.tokens.use(tokens_in, 0)
  const authors = sources.map(({ source }) => source)
  const { root_of, independent } = await context.lineages.roots(authors)
  const reliability = await reliabilityOf(context, authors)
  const roots = Object.fromEntries(root_of)
  const fused = await fuseSaid(context, input, { facts: sources, reliability, roots })
  const facts = fused.facts.map(withTimes)
  const tokens_out = await context.tokens.count(facts.map((fact) => canonicalJson(fact)))
  requireWithin(input, tokens_in + tokens_out)
  context.tokens.use(0, tokens_out)
  const snapshot_ref = await keepSnapshot(context, refsIn(input), facts, input.write_back ? null : readers)
  const written = input.write_back
    ? await writeBack(context, snapshot_ref, facts, fused.entity_merges)
    : undefined
  context.audit('KnowledgeFused', {
    snapshot_ref,
    sources: refsIn(input).slice(0, refs_told_max),
    sources_sent: input.sources.length - refsIn(input).length,
    strategy: input.strategy ?? 'reliability',
    facts: facts.length,
    conflicts: fused.conflicts.length,
    dissent: fused.dissent.length,
    ...(written ? { added: written.added, superseded: written.superseded.length } : {}),
  })
  return {
    snapshot_ref,
    facts: facts.map((fact) => ({ ...fact, support: [...fact.support], against: [...fact.against] })),
    conflicts: fused.conflicts.map((conflict) => ({
      ...withTimes(conflict),
      values: conflict.values.map((value) => ({ ...value, sources: [...value.sources] })),
    })),
    entity_merges: fused.entity_merges.map(({ label, merged, rules }) => ({
      label,
      merged: [...merged],
      rules: [...rules],
    })),
    source_reliability: { ...fused.source_reliability },
    independent_sources: independent,
    copied: fused.copied.map(({ roots, probability }) => ({ roots: [...roots], probability })),
    dissent: fused.dissent.map((lost) => ({ ...withTimes(lost), sources: [...lost.sources] })),
    ...(written ? { written } : {}),
    usage: { tokens_in, tokens_out },
  }
}

function notPublished(ref: string) {
  return refuse(
    'policy_denied',
    `${ref} is not for the whole tenant, and write_back would make it known to all of it; fuse without write_back, or ask its author.`,
    { reason: 'source is not of the tenant', source_ref: ref },
  )
}

/** Refused before anything is written. */
function requireWithin({ budget }: FusionRequest, tokens: number): void {
  const tokens_max = budget?.tokens ?? tokens_default
  if (tokens <= tokens_max) return
  throw refuse(
    'policy_denied',
    `The fusion needs ${tokens} tokens, and its budget is ${tokens_max}; raise the budget, or send fewer sources.`,
    { reason: 'token budget exhausted' },
  )
}

async function fuseSaid(
  context: OperationContext<'compute' | 'embedder' | 'vault'>,
  input: FusionRequest,
  { facts, reliability, roots }: Pick<FusionInput, 'facts' | 'reliability' | 'roots'>,
): Promise<Fused> {
  const { strategy = 'reliability', min_confidence = 0.5, subject, budget } = input
  const fusion_input: FusionInput = {
    facts,
    reliability,
    roots,
    strategy,
    min_confidence,
    subject,
    functional_predicates: await singleAmong(context, facts, input.functional_predicates ?? []),
    vectors: await vectorsOf(context, facts),
  }
  if (facts.length <= facts_at_once_max) return compute(fusion_input)
  return await context.compute(
    fusion_job,
    fusion_input,
    Math.min(deadline_ms_max, budget?.deadline_ms ?? deadline_ms_default),
  )
}

/** Predicates declared single-valued, now or before. */
async function singleAmong(
  context: OperationContext<'vault'>,
  facts: readonly SaidFact[],
  declared: readonly string[],
): Promise<string[]> {
  const { blind } = context.vault
  const predicates = [...new Set([...declared, ...facts.map(({ predicate }) => predicate)])]
  const keys = predicates.map((predicate) => predicateKey(blind, predicate))
  const functional = await declaredFunctional(
    context,
    keys,
    declared.map((predicate) => predicateKey(blind, predicate)),
  )
  return predicates.filter((_, place) => functional.has(keys[place]!))
}

async function vectorsOf(
  { embedder, signal }: OperationContext<'embedder'>,
  facts: readonly SaidFact[],
): Promise<FusionInput['vectors']> {
  const names = [...new Set(facts.map(({ subject }) => normaliseName(subject)))].sort()
  if (names.length < 2 || names.length > names_compared_max) return []
  const vectors = await embedder.embed(names, signal)
  return names.map((name, place) => ({ name, vector: vectors[place]! }))
}

function wordsOf({ subject, predicate, object }: SaidFact): string {
  return `${subject} ${predicate} ${object}`
}
