// The search for an operation's worst input: places of its schema are grown in every style, the costliest
// further.
import { asDocument } from '@svc/catalogue/derive/schema-node'
import type { Operation } from '@svc/contract/protocol'
import { readJson } from '@svc/gateway/dispatch/read-json'
import { type Chance, is_long } from '../../faults/scene/chance.ts'
import { anything_variants, type Place, Schema, type Style } from './grow.ts'
import { type Cost, type MeasuredEngine, still_under_way } from './measure.ts'

const input_bytes_default = 1024 * 1024
/** The request without its input. */
const envelope_bytes = 512
const quarterings_max = 12
/**
 * Only the long form has the machine to itself and enforces 50 ms: on a busy machine the same work takes
 * several times the CPU. The short form's limit blocks any machine.
 */
export const limits = { cpu_ms: is_long ? 50 : 500, bytes: 128 * 1024 * 1024 }
/** Garbage collection, compilation and neighbours affect some runs: the minimum of a few is the cost. */
const runs_max = 12
const large_share = 4
const weighed_max = 2
/** An input takes many times its bytes in memory, so only the costliest are kept. */
const candidates_max = 8
const pieces = [
  'a',
  '.',
  'a.',
  ' ',
  'a b ',
  '"',
  '\\',
  '/',
  'é',
  '😀',
  '{{a}}',
  '{{#a}}',
  '(',
  '[',
  '1',
  '1 ',
  '-',
  '<',
  '\n',
  ';',
  ',',
] as const

export interface Subject {
  readonly protocol: string
  readonly operation: string
  readonly facts: Operation
  /** A working input: the operation's example, or one that names what a scene has made. */
  readonly base: unknown
}

export interface Tried {
  /** How the input was made: the same steps from the same base reproduce it. */
  readonly recipe: string
  readonly input: unknown
  /** A new base, if one call uses it up. */
  renew?(): Promise<unknown>
}

export interface Measured extends Tried, Cost {}

export interface Effort {
  readonly tries: number
  readonly climbs: number
}

/** The costliest inputs found, by main thread time and by memory. */
export async function findWorst(
  engine: MeasuredEngine,
  subject: Subject,
  named: readonly Tried[],
  chance: Chance,
  { tries, climbs }: Effort,
): Promise<readonly Measured[]> {
  const schema = new Schema(asDocument(subject.facts.input))
  const places = [...schema.places()]
  let measured: readonly Measured[] = []
  const tryOut = async (tried: Tried | undefined) => {
    if (!tried) return
    const cost = await costOf(engine, subject, tried.input)
    measured = worstOf([...measured, { ...tried, ...cost }]).slice(0, candidates_max)
  }
  for (const tried of named) await tryOut(tried)
  for (let i = 0; i < tries; i++) await tryOut(grown(schema, places, subject, chance))
  for (let i = 0; i < climbs && measured.length > 0; i++) {
    const best = measured.slice(0, 3)
    await tryOut(grown(schema, places, subject, chance, best[i % best.length]))
  }
  return await confirmed(engine, subject, measured)
}

function worstOf(measured: readonly Measured[]): readonly Measured[] {
  return measured.toSorted((a, b) => b.cpu_ms - a.cpu_ms)
}

/** Measured again, several times, with memory. */
async function confirmed(engine: MeasuredEngine, subject: Subject, measured: readonly Measured[]) {
  const costliest = measured.filter(({ cpu_ms }, place) => cpu_ms > limits.cpu_ms || place < weighed_max)
  const again: Measured[] = []
  for (const candidate of costliest) again.push(await confirm(engine, subject, candidate))
  return worstOf(again)
}

async function confirm(engine: MeasuredEngine, subject: Subject, candidate: Measured): Promise<Measured> {
  let { cpu_ms, ending } = candidate
  let bytes = Number.POSITIVE_INFINITY
  for (let run = 0; run < runs_max && (cpu_ms > limits.cpu_ms || bytes > limits.bytes); run++) {
    const input = (await candidate.renew?.()) ?? candidate.input
    const cost = await costOf(engine, subject, input, true)
    // A different ending means a different request: its rows exist already.
    if (cost.ending === ending || ending === still_under_way) {
      cpu_ms = Math.min(cpu_ms, cost.cpu_ms)
      ending = cost.ending
    }
    bytes = Math.min(bytes, cost.bytes)
  }
  return { ...candidate, cpu_ms, bytes, ending }
}

function costOf(engine: MeasuredEngine, { protocol, operation }: Subject, input: unknown, weighs = false) {
  return engine.cost({ protocol, operation, input }, weighs)
}

/** One place grown in one style, as far as a request can carry it. */
function grown(
  schema: Schema,
  places: readonly Place[],
  { facts, base }: Subject,
  chance: Chance,
  from: Tried = { recipe: '', input: base },
): Tried | undefined {
  const { path, node } = chance.pick(chance.below(large_share) === 0 ? places : largeOf(places))
  const style: Style = {
    grows: chance.pick(['lists', 'texts', 'both']),
    piece: chance.pick(pieces),
    is_alike: chance.below(2) === 0,
    variant: chance.below(anything_variants),
  }
  const bytes_max = (facts.input_bytes_max ?? input_bytes_default) - envelope_bytes
  const recipe = `${from.recipe} /${path.join('/')}=${JSON.stringify(style)}`.trim()
  for (let quartering = 0; quartering < quarterings_max; quartering++) {
    const value = schema.grow(node, style, 0.25 ** quartering, bytes_max)
    if (value === undefined) continue
    const input = schema.put(from.input, path, value)
    const text = JSON.stringify(input)
    if (Buffer.byteLength(text) > bytes_max) continue
    if (isReadable(text)) return { recipe, input }
  }
  return undefined
}

/** Places that can hold much are tried more often. */
function largeOf(places: readonly Place[]): readonly Place[] {
  const large = places.filter(
    ({ node: { type, maxLength = 0, maxItems = 0, patternProperties, properties } }) => {
      const is_any = type === undefined && !properties
      return maxLength > 1_000 || maxItems > 50 || patternProperties !== undefined || is_any
    },
  )
  return large.length > 0 ? large : places
}

function isReadable(text: string): boolean {
  try {
    readJson(Buffer.from(text))
    return true
  } catch {
    return false
  }
}
