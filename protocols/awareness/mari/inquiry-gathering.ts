// Collects candidate passages per subquestion; deeper inquiries follow the names found in them.
import { cosine } from '@svc/contract/needs/embedding'
import type { OperationContext } from '@svc/contract/operation-context'
import type { InquireInput } from './inquire-input.ts'
import { namesIn } from './inquiry-question.ts'
import { findSources } from './inquiry-search.ts'
import type { InquirySource, Sources } from './inquiry-source.ts'
import { type Reading, readPassage } from './passage.ts'
import { type Candidate, relevanceOf } from './passage-choice.ts'
import { passage_job, type RankedPassage, compute as rankPassages } from './passage-job.ts'
import { vectorsOf } from './passage-vectors.ts'

/** Up to this size is read inline; more runs in a worker thread. */
const read_here_max = 20_000
const reading_ms_max = 30_000
const names_max = 4
/** Names are taken from the best candidates only. */
const leaders_max = 10
const leader_share = 0.6
/** Names in passages below this relevance lead away from the question. */
const leader_min = 0.4
const further_divisor = 2.2

export interface Gathered {
  /** By subquestion. */
  readonly candidates: readonly (readonly Candidate[])[]
  readonly attacks: Sources['attacks']
  /** Number of passages examined. */
  readonly work: number
}

export async function gatherCandidates(
  context: OperationContext<'audit_log' | 'authority' | 'compute' | 'embedder' | 'engine' | 'vault'>,
  input: InquireInput,
  subquestions: readonly string[],
  testimony: readonly (readonly string[])[],
): Promise<Gathered> {
  const gathered: Candidate[][] = []
  const attacks: { from: string; to: string }[] = []
  let work = 0
  for (const [place, subquestion] of subquestions.entries()) {
    const best = new Map<string, Candidate>()
    const found_names: string[] = []
    let searches: readonly Asked[] = [{ subquestion }]
    for (let round = 1; round <= (input.depth ?? 1) && searches.length > 0; round++) {
      for (const one of searches) {
        const sources = await findSources(context, input, textOf(one), testimony[place] ?? [])
        attacks.push(...sources.attacks)
        const candidates = await readSources(context, one, [...sources.by_ref.values()])
        work += candidates.length
        keepBest(best, candidates)
      }
      const searched = [subquestion, ...found_names]
      const names = furtherNames([...best.values()], searched)
      found_names.push(...names)
      searches = names.map((name) => ({ subquestion, name }))
    }
    gathered.push([...best.values()])
    context.progress({
      message: `looked for ${place + 1} of ${subquestions.length}`,
      fraction: (place + 1) / subquestions.length,
    })
  }
  return { candidates: gathered, attacks, work }
}

/** A question, or the same question about a name found on the way. */
interface Asked {
  readonly subquestion: string
  readonly name?: string
}

function textOf({ subquestion, name }: Asked): string {
  return name === undefined ? subquestion : `${name} ${subquestion}`
}

function keepBest(best: Map<string, Candidate>, candidates: readonly Candidate[]): void {
  for (const candidate of candidates) {
    const name = `${candidate.source.ref} ${candidate.passage.start}`
    const previous = best.get(name)
    if (!previous || candidate.relevance > previous.relevance) best.set(name, candidate)
  }
}

async function readSources(
  context: OperationContext<'compute' | 'embedder'>,
  { subquestion, name = subquestion }: Asked,
  sources: readonly InquirySource[],
): Promise<Candidate[]> {
  const passages = await passagesOf(context, name, sources)
  const pairs = sources.flatMap((source, place) => passages[place]!.map((passage) => ({ source, passage })))
  const texts = pairs.map(({ passage }) => passage.text)
  const [question_vector, detour, ...vectors] = await vectorsOf(context, [subquestion, name, ...texts])
  const readings = texts.map(readPassage)
  const weights = weighWords(readPassage(subquestion).words, readings)
  return pairs.map(({ source, passage }, place) => {
    const [vector, reading] = [vectors[place]!, readings[place]!]
    const direct = relevanceOf(weightOf(weights, reading), cosine(question_vector!, vector))
    // A passage found through such a name is relevant, but less.
    const relevance =
      name === subquestion
        ? direct
        : Math.max(direct, (direct + relevanceOf(passage.share, cosine(detour!, vector))) / further_divisor)
    return { source, passage, reading, vector, relevance }
  })
}

/** A word that occurs in every passage weighs less than a rare one. */
function weighWords(words: ReadonlySet<string>, readings: readonly Reading[]): Map<string, number> {
  const weights = [...words].map((word): [string, number] => {
    const having = readings.reduce((sum, reading) => sum + Number(reading.words.has(word)), 0)
    return [word, Math.log(1 + (readings.length + 1) / (having + 1))]
  })
  return new Map(weights)
}

function weightOf(weights: ReadonlyMap<string, number>, { words }: Reading): number {
  let [shared, all] = [0, 0]
  for (const [word, weight] of weights) {
    all += weight
    if (words.has(word)) shared += weight
  }
  return all === 0 ? 0 : shared / all
}

/** A fact or a record is one passage; other sources are split into sentences. */
async function passagesOf(
  context: OperationContext<'compute'>,
  question: string,
  sources: readonly InquirySource[],
): Promise<RankedPassage[][]> {
  const texts = sources.map(({ text, kind }) => ({
    text: text!,
    is_whole: kind === 'fact' || kind === 'record',
  }))
  const length = texts.reduce((sum, { text }) => sum + text.length, 0)
  const wish = { question, texts }
  return length > read_here_max
    ? await context.compute(passage_job, wish, reading_ms_max)
    : rankPassages(wish)
}

/** Names in the best candidates that were not searched yet, most frequent first. */
function furtherNames(candidates: readonly Candidate[], searched: readonly string[]): string[] {
  const searched_text = searched.join(' ').toLowerCase()
  const ordered = candidates.toSorted((a, b) => b.relevance - a.relevance).slice(0, leaders_max)
  const floor = Math.max(leader_min, leader_share * (ordered[0]?.relevance ?? 0))
  const leaders = ordered.filter(({ relevance }) => relevance >= floor)
  const counts = new Map<string, number>()
  for (const { source, passage, relevance } of leaders) {
    const { said } = source
    const named = said ? [said.subject, ...(typeof said.object === 'string' ? [said.object] : [])] : []
    for (const name of new Set([...named, ...namesIn(passage.text)])) {
      if (name.length > 64 || searched_text.includes(name.toLowerCase())) continue
      counts.set(name, (counts.get(name) ?? 0) + relevance)
    }
  }
  return [...counts]
    .sort(([a, most], [b, more]) => more - most || (a < b ? -1 : 1))
    .slice(0, names_max)
    .map(([name]) => name)
}
