// Sources of an answer: memories, facts about the names in a question, claims, artifacts and the audit log.
import { findRecords } from '@svc/audit/query/records'
import type { OperationContext } from '@svc/contract/operation-context'
import { memory_kinds, noteAccess } from '../../cognition/cells/api.ts'
import { entitiesIn, followFacts, type SlicedFact } from '../../cognition/knowledge/api.ts'
import { searchContents } from '../../cognition/search/api.ts'
import { artifact_search } from '../../execution/mage/api.ts'
import type { InquireInput } from './inquire-input.ts'
import { type InquirySource, type Sources, sourceOfRecord, sourcesAt } from './inquiry-source.ts'
import { readPassage, shareOf } from './passage.ts'

/** Of memories and of claims; more if more findings are requested. */
const found_min = 30
const entities_max = 5
const facts_max = 20
const records_read_max = 500
const records_max = 10
const record_share_min = 0.3

/** Everything found for one question, with the answers of tools. */
export async function findSources(
  context: OperationContext<'audit_log' | 'authority' | 'embedder' | 'engine' | 'vault'>,
  { sources = ['mind', 'maven', 'mage'], scope = {}, max_findings = found_min }: InquireInput,
  text: string,
  testimony: readonly string[],
): Promise<Sources> {
  const found_max = Math.max(found_min, max_findings)
  const refs = [...testimony]
  const facts = new Map<string, SlicedFact>()
  if (sources.includes('mind')) {
    refs.push(...(await findMemories(context, text, scope, found_max)))
    for (const fact of await findFacts(context, text, scope)) facts.set(fact.fact_ref, fact)
    refs.push(...facts.keys())
  }
  if (sources.includes('maven')) {
    const choice = { kinds: ['claim'], namespace: 'claims' }
    const { found } = await searchContents(context, { text }, choice, found_max)
    refs.push(...found.map(({ ref }) => ref))
  }
  if (sources.includes('mage')) {
    const { found } = await searchContents(context, { text }, artifact_search, found_max)
    refs.push(...found.map(({ ref }) => ref))
  }
  const { by_ref, attacks } = await sourcesAt(context, refs, { facts })
  const chosen = new Map([...by_ref].filter(([, source]) => isInScope(source, scope)))
  const records = sources.includes('max') ? await findInAuditLog(context, text, scope) : []
  for (const record of records) chosen.set(record.ref, record)
  return { by_ref: chosen, attacks }
}

function msOf(time: string | undefined): number | undefined {
  return time === undefined ? undefined : Date.parse(time)
}

type Scope = NonNullable<InquireInput['scope']>

async function findMemories(
  context: OperationContext<'embedder' | 'engine' | 'vault'>,
  text: string,
  { namespace, from, to }: Scope,
  found_max: number,
): Promise<string[]> {
  const active_at_ms = Date.parse(context.now)
  const choice = { kinds: memory_kinds, namespace, active_at_ms, from_ms: msOf(from), to_ms: msOf(to) }
  const { found } = await searchContents(context, { text }, choice, found_max)
  const refs = found.map(({ ref }) => ref)
  noteAccess(context, refs)
  return refs
}

/** Facts about the names in the question, as of the end of the period asked about. */
async function findFacts(
  context: OperationContext<'vault'>,
  text: string,
  scope: Scope,
): Promise<SlicedFact[]> {
  // Namespaces apply to memories only; facts have none.
  if (scope.namespace !== undefined) return []
  const as_of = momentOf(context, scope)
  const sliced_facts: SlicedFact[] = []
  for (const entity_key of (await entitiesIn(context, text)).slice(0, entities_max)) {
    const slice = { as_of, include_superseded: false, min_confidence: 0 }
    const { facts } = await followFacts(context, entity_key, 1, slice)
    sliced_facts.push(...facts.slice(0, facts_max))
  }
  return sliced_facts
}

/** The time at which facts must hold. */
export function momentOf({ now }: Pick<OperationContext, 'now'>, { to }: Scope = {}): string {
  return to !== undefined && Date.parse(to) < Date.parse(now) ? to : now
}

function isInScope(source: InquirySource, { topics, from, to }: Scope): boolean {
  if (source.text === null) return false
  const is_claim = source.kind === 'claim'
  if (is_claim && topics && !topics.includes(source.topic)) return false
  if (source.kind === 'fact') return true
  const at_ms = Date.parse(source.occurred_at)
  if (from !== undefined && at_ms < Date.parse(from)) return false
  return to === undefined || at_ms < Date.parse(to)
}

/** Searches by event type, operation and refs. */
async function findInAuditLog(
  { db, tenant_id, audit_log }: OperationContext<'audit_log'>,
  text: string,
  { from, to }: Scope,
): Promise<InquirySource[]> {
  await audit_log.settled()
  const word = readPassage(text).words
  const records = await findRecords(db, tenant_id, {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    newest_first: true,
    limit: records_read_max,
  })
  const named = new Set(text.match(/\b[a-z]{2,16}:\/\/[A-Za-z0-9:._/@-]{1,240}/g))
  const ranked = records.map((record) => {
    const words = [record.event_type, record.protocol ?? '', record.operation ?? '', record.outcome].join(' ')
    const spaced = words.replace(/([a-z])([A-Z])/g, '$1 $2').replaceAll('_', ' ')
    const is_named = Object.values(record.meta).some((value) => typeof value === 'string' && named.has(value))
    return { record, share: is_named ? 1 : shareOf(word, readPassage(spaced).words) }
  })
  const matching = ranked.filter(({ share }) => share >= record_share_min)
  matching.sort((a, b) => b.share - a.share || b.record.seq - a.record.seq)
  return matching.slice(0, records_max).map(({ record }) => sourceOfRecord(record))
}
