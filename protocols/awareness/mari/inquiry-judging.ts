// Turns candidates into findings: the best per question, their confidence, contradictions, and gaps.
import type { OperationContext } from '@svc/contract/operation-context'
import type { Cited, InquireOutput, Stance } from './inquire-input.ts'
import type { Gathered } from './inquiry-gathering.ts'
import { confidenceIn, judgeSpeakers, type Reliabilities } from './inquiry-reliability.ts'
import { doesStand, type SourceStatus } from './inquiry-source.ts'
import {
  type FoundQuarrel,
  compute as findQuarrels,
  pairsOf,
  quarrel_job,
  stancesOf,
} from './inquiry-stance.ts'
import { readPassage, shareOf } from './passage.ts'
import { type Candidate, type Chosen, choice_job, compute as chooseHere } from './passage-choice.ts'

/** Up to this many pairs are compared inline; more in a worker thread. */
const pairs_here_max = 4_000
const voices_here_max = 50
const choosing_ms_max = 30_000

export interface Judged {
  readonly place: number
  readonly subquestion: number
  readonly statement: string
  readonly stance: Stance
  readonly citations: readonly Cited[]
  readonly issuer_did: string
  readonly reliability: number
  readonly confidence: number
  readonly status: SourceStatus
  readonly relevance: number
}

interface Limits {
  readonly findings_max: number
  readonly confidence_min: number
}

interface Picked {
  readonly subquestion: number
  readonly chosen: Chosen
  readonly confidence: number
  readonly reliability: number
}

export interface Judgement {
  readonly findings: readonly Judged[]
  readonly quarrels: readonly FoundQuarrel[]
  readonly gaps: InquireOutput['gaps']
  readonly coverage: number
}

export async function judge(
  context: OperationContext<'compute'>,
  { candidates, attacks }: Gathered,
  subquestions: readonly string[],
  limits: Limits,
): Promise<Judgement> {
  const reliabilityOf = await judgeSpeakers(
    context,
    candidates.flat().map(({ source }) => source),
  )
  const ranked = await choose(context, candidates, limits.findings_max)
  const sure = ranked.map((chosen, subquestion) =>
    chosen
      .map((one) => weigh(one, subquestion, reliabilityOf))
      .filter(({ confidence }) => confidence >= limits.confidence_min),
  )
  const picked = takeInTurn(whereTheyFit(sure), limits.findings_max)
  const pairs = pairsOf(attacks)
  const stances = new Map<Picked, Stance>()
  for (const [place, subquestion] of subquestions.entries()) {
    const own = picked.filter((one) => one.subquestion === place)
    const voices = own.map(({ chosen }) => chosen)
    for (const [at, stance] of stancesOf(subquestion, voices, pairs).entries()) stances.set(own[at]!, stance)
  }
  return {
    findings: picked.map((one, place) => findingOf(one, place, stances.get(one)!)),
    quarrels: await quarrelsAmong(context, picked, pairs),
    gaps: gapsOf(ranked, sure, picked),
    coverage: coverageOf(subquestions, picked),
  }
}

async function choose(
  context: OperationContext<'compute'>,
  candidates: Gathered['candidates'],
  chosen_max: number,
): Promise<readonly (readonly Chosen[])[]> {
  const pairs = candidates.reduce((sum, { length }) => sum + length * Math.min(length, chosen_max), 0)
  const wish = { candidates, chosen_max }
  return pairs > pairs_here_max ? await context.compute(choice_job, wish, choosing_ms_max) : chooseHere(wish)
}

function weigh(chosen: Chosen, subquestion: number, reliabilityOf: Reliabilities): Picked {
  const voices = [chosen, ...chosen.also].map(({ source }) => {
    const reliability = reliabilityOf(source)
    return { reliability, confidence: confidenceIn(source, reliability) }
  })
  // Of several sources that say the same, the most credible counts.
  const best = voices.reduce((one, other) => (other.confidence > one.confidence ? other : one))
  return { subquestion, chosen, ...best }
}

/** A passage that answers several questions is assigned to the one it answers best. */
function whereTheyFit(lists: readonly (readonly Picked[])[]): Picked[][] {
  const best = new Map<string, Picked>()
  for (const one of lists.flat()) {
    const previous = best.get(nameOf(one))
    if (!previous || one.chosen.relevance > previous.chosen.relevance) best.set(nameOf(one), one)
  }
  return lists.map((list) => list.filter((one) => best.get(nameOf(one)) === one))
}

function nameOf({ chosen: { source, passage } }: Picked): string {
  return `${source.ref} ${passage.start}`
}

/** Round robin: the best of each question, then the second of each, so that none displaces another. */
function takeInTurn(lists: readonly (readonly Picked[])[], findings_max: number): Picked[] {
  const longest = Math.max(...lists.map(({ length }) => length))
  const turns = Array.from({ length: longest }, (_, turn) => lists.flatMap((list) => list[turn] ?? []))
  const taken = turns.flat().slice(0, findings_max)
  return taken.sort((a, b) => a.subquestion - b.subquestion)
}

function findingOf(
  { chosen, subquestion, confidence, reliability }: Picked,
  place: number,
  stance: Stance,
): Judged {
  const { source, passage, also, relevance } = chosen
  return {
    place,
    subquestion,
    statement: passage.text,
    stance,
    citations: [chosen, ...also].map(citationOf),
    issuer_did: source.issuer_did,
    reliability,
    confidence,
    status: source.status,
    relevance,
  }
}

function citationOf({ source, passage }: Candidate): Cited {
  const { ref, version, content_hash, kind, seq } = source
  const { start, end } = passage
  const locator =
    kind === 'record'
      ? { record_seq: seq! }
      : kind === 'fact'
        ? { json_pointer: '' }
        : { char_range: { start, end } }
  return { ref, version, content_hash, locator }
}

async function quarrelsAmong(
  context: OperationContext<'compute'>,
  picked: readonly Picked[],
  attacks: ReadonlySet<string>,
): Promise<FoundQuarrel[]> {
  const voices = picked.map(({ chosen: { source, reading } }) => ({ source, reading }))
  const wish = { voices, attacks }
  return voices.length > voices_here_max
    ? await context.compute(quarrel_job, wish, choosing_ms_max)
    : findQuarrels(wish)
}

function gapsOf(
  ranked: readonly (readonly Chosen[])[],
  sure: readonly (readonly Picked[])[],
  picked: readonly Picked[],
): InquireOutput['gaps'] {
  return ranked.flatMap((chosen, subquestion): InquireOutput['gaps'] => {
    const own = picked.filter((one) => one.subquestion === subquestion)
    if (own.some((one) => doesStand(one.chosen.source.status))) return []
    if (chosen.length === 0) return [{ subquestion, why: 'nothing found' }]
    if (sure[subquestion]!.length === 0) return [{ subquestion, why: 'below min_confidence' }]
    if (own.length > 0) return [{ subquestion, why: 'nothing that stands' }]
    // Its answer may already be a finding of another question.
    const shown = new Set(picked.map((one) => one.chosen.source.ref))
    const is_shown = sure[subquestion]!.some((one) => shown.has(one.chosen.source.ref))
    return is_shown ? [] : [{ subquestion, why: 'max_findings reached' }]
  })
}

function coverageOf(subquestions: readonly string[], picked: readonly Picked[]): number {
  const standing = picked.filter((one) => doesStand(one.chosen.source.status))
  const words_found = new Set(standing.flatMap(({ chosen }) => [...chosen.reading.words]))
  const shares = subquestions.map((subquestion) => {
    const { words } = readPassage(subquestion)
    return words.size === 0 ? Number(standing.length > 0) : shareOf(words, words_found)
  })
  return shares.reduce((sum, share) => sum + share, 0) / subquestions.length
}
