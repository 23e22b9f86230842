// Combines findings without adding text: findings on the same matter form one point, represented by the most
// central one; contradictions show both sides.
import { computation } from '@svc/contract/needs/computation'
import { cosine } from '@svc/contract/needs/embedding'
import { normalise, poolLog } from '../../truth/opinions/api.ts'
import type { Stance } from './inquire-input.ts'
import { quarrelOf, type Voice } from './inquiry-stance.ts'
import { isSameMatter, isSupported } from './passage.ts'

const cluster_min = 0.85
/** Attacks are already in `against`. */
const no_attacks: ReadonlySet<string> = new Set()

/** The author: each counts as one opinion. */
export interface Speaker {
  readonly ref: string
  readonly issuer_did: string
  readonly confidence: number
  readonly reliability: number
}

/** A finding with its current text. */
export interface Statement extends Voice {
  readonly ref: string
  /** By inquiry and subquestion. */
  readonly section: number
  readonly text: string
  readonly vector: Int8Array
  readonly relevance: number
  readonly stance: Stance
  readonly speakers: readonly Speaker[]
  /** Refs of findings that contradict it. */
  readonly against: readonly string[]
}

export interface Side {
  /** The statement quoted for this side. */
  readonly centre: Statement
  /** All statements that support it. */
  readonly support: readonly Statement[]
  readonly confidence: number
  readonly stance: Stance
}

export interface Point {
  readonly section: number
  readonly strength: number
  readonly side: Side
  /** The opposing side. */
  readonly other?: Side
}

function strengthOf({ relevance, speakers }: Pick<Statement, 'relevance' | 'speakers'>): number {
  return relevance * Math.max(0, ...speakers.map(({ confidence }) => confidence))
}

export const points_job = computation<readonly Statement[], Point[]>(new URL(import.meta.url))

/** Strongest first. Independent of the order of the statements. */
export function compute(statements: readonly Statement[]): Point[] {
  const ordered = statements.toSorted((a, b) => strengthOf(b) - strengthOf(a) || (a.ref < b.ref ? -1 : 1))
  const clusters: Statement[][] = []
  for (const statement of ordered) {
    const home = clusters.find((cluster) => belongs(statement, cluster))
    if (home) home.push(statement)
    else clusters.push([statement])
  }
  return clusters.map(pointOf)
}

function belongs(statement: Statement, cluster: readonly Statement[]): boolean {
  const [leader] = cluster
  if (cluster.some((one) => doQuarrel(one, statement))) return true
  return (
    leader!.section === statement.section &&
    isSameMatter(leader!.reading, statement.reading) &&
    cosine(leader!.vector, statement.vector) >= cluster_min
  )
}

function doQuarrel(one: Statement, other: Statement): boolean {
  if (one.against.includes(other.ref) || other.against.includes(one.ref)) return true
  return quarrelOf(one, other, no_attacks) !== undefined
}

function pointOf(cluster: readonly Statement[]): Point {
  const leader = cluster[0]!
  const against = cluster.filter((one) => doQuarrel(leader, one))
  const with_it = cluster.filter((one) => !against.includes(one))
  const stance = leader.stance
  const side = sideOf(with_it, against, stance)
  const point = { section: leader.section, strength: strengthOf(leader), side }
  if (against.length === 0) return point
  return { ...point, other: sideOf(against, with_it, stance === 'refutes' ? 'supports' : 'refutes') }
}

function sideOf(own: readonly Statement[], others: readonly Statement[], stance: Stance): Side {
  const centre = centreOf(own)
  const support = own.filter((one) => one === centre || isSupported(centre.reading, one.reading))
  return { centre, support, confidence: poolConfidence(support, others), stance }
}

/** The statement closest to all others; the stronger one on a tie. */
function centreOf(statements: readonly Statement[]): Statement {
  const nearness = (one: Statement) =>
    statements.reduce((sum, other) => sum + (one === other ? 1 : cosine(one.vector, other.vector)), 0)
  const measured = statements.map((one) => ({ one, near: nearness(one) }))
  return measured.reduce((best, next) => (next.near > best.near + 1e-9 ? next : best)).one
}

/** Log-pools supporters and opponents, each issuer once, weighted by reliability. */
export function poolConfidence(
  support: readonly Pick<Statement, 'speakers'>[],
  against: readonly Pick<Statement, 'speakers'>[],
): number {
  const voices = [...onceEach(support, 1), ...onceEach(against, -1)]
  if (voices.length === 0) return 0
  const opinions = voices.map(({ share }) => [share, 1 - share])
  const weights = normalise(voices.map(({ weight }) => weight))
  return Math.min(1, Math.max(0, poolLog(opinions, weights)[0]!))
}

function onceEach(statements: readonly Pick<Statement, 'speakers'>[], sign: 1 | -1) {
  const surest = new Map<string, Speaker>()
  for (const speaker of statements.flatMap(({ speakers }) => speakers)) {
    const previous = surest.get(speaker.issuer_did)
    if (!previous || speaker.confidence > previous.confidence) surest.set(speaker.issuer_did, speaker)
  }
  return [...surest.values()].map(({ confidence, reliability }) => ({
    share: sign === 1 ? confidence : 1 - confidence,
    weight: reliability,
  }))
}

/** Distinct sources. */
export function supportOf({ support }: Pick<Side, 'support'>): number {
  return new Set(support.flatMap(({ speakers }) => speakers.map(({ ref }) => ref))).size
}

export function countWords(text: string): number {
  return text.match(/\S+/g)?.length ?? 0
}

/** As many as fit the limit, sections in turn; a contradiction comes with both sides or not at all. */
export function fitPoints(points: readonly Point[], words_max: number): Point[] {
  const sections = [...new Set(points.map(({ section }) => section))].sort((a, b) => a - b)
  const queues = sections.map((section) => points.filter((point) => point.section === section))
  const taken: Point[] = []
  let words = 0
  for (let turn = 0; queues.some(({ length }) => length > turn); turn++)
    for (const queue of queues) {
      const point = queue[turn]
      if (!point) continue
      const needed = countWords(point.side.centre.text) + countWords(point.other?.centre.text ?? '')
      if (words + needed > words_max) continue
      words += needed
      taken.push(point)
    }
  return taken.sort((a, b) => a.section - b.section || b.strength - a.strength)
}
