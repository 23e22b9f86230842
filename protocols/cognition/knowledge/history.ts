// What a new fact does to those known before: nothing is overwritten, what was believed stays readable as believed then.
import type { Span } from '../content/api.ts'

export type Belief = 'current' | 'contested' | 'supporting'

/** A part of an assertion that nothing has ended yet: believed, against somebody more certain, or behind somebody who says the same. */
export interface Standing {
  readonly row_id: string
  readonly fact_id: string
  readonly o: string
  readonly valid: Span
  readonly confidence: number
  readonly status: Belief
}

export interface Said {
  readonly fact_id: string
  readonly o: string
  readonly valid: Span
  readonly confidence: number
  /** Decided over all sources: it is believed whatever they were each sure of. */
  readonly prevails: boolean
}

export interface Part {
  readonly fact_id: string
  readonly valid: Span
  readonly status: Belief
}

export interface Settlement {
  /** Rows that end. */
  readonly closed: readonly Standing[]
  /** Rows that begin: of the new fact, and what is left of those that end. */
  readonly opened: readonly Part[]
  /** Those of the closed that are not believed any more for some of their time. */
  readonly superseded: readonly Standing[]
  /** The more certain ones that the new fact stands against. */
  readonly against: readonly Standing[]
}

/** For predicates with one value at a time: the newer is believed unless the older was more certain. */
export function settleFact(statement: Said, standing: readonly Standing[]): Settlement {
  const met = standing.filter(({ valid }) => intersect(valid, statement.valid))
  const isSame = ({ o }: Standing) => o === statement.o
  const outweighs = (old: Standing) => statement.prevails || statement.confidence >= old.confidence
  const believed = met.filter(({ status }) => status === 'current')
  const agreeing = believed.filter((old) => isSame(old) && old.confidence >= statement.confidence)
  const against = believed.filter((old) => !isSame(old) && !outweighs(old))
  const open = subtract([statement.valid], spansOf(agreeing))
  const current = subtract(open, spansOf(against))
  // Only where the new fact is believed does it change anything for the others.
  const ousted = met.filter((old) => overlap([old.valid], current).length > 0)
  const beaten = ousted.filter((old) => !isSame(old) && outweighs(old))
  const backing = ousted.filter((old) => isSame(old) && old.status !== 'supporting')
  const part =
    (status: Belief, fact_id = statement.fact_id) =>
    (valid: Span) => ({ fact_id, valid, status })
  const closed = [...beaten, ...backing]
  return {
    closed,
    opened: [
      ...closed.flatMap((old) => subtract([old.valid], current).map(part(old.status, old.fact_id))),
      ...backing.flatMap((old) => overlap([old.valid], current).map(part('supporting', old.fact_id))),
      ...current.map(part('current')),
      ...subtract(open, current).map(part('contested')),
      ...subtract([statement.valid], open).map(part('supporting')),
    ],
    superseded: beaten.filter(({ status }) => status === 'current'),
    against,
  }
}

export interface Assertion extends Omit<Said, 'valid'> {
  readonly valid: readonly Span[]
}

/** What stands when facts are settled one after another, from the first. */
export function settleAll(assertions: readonly Assertion[]): Part[] {
  let standing: Standing[] = []
  let rows = 0
  const by_id = new Map(assertions.map((assertion) => [assertion.fact_id, assertion]))
  for (const { valid, ...said } of assertions) {
    for (const span of valid) {
      const { closed, opened } = settleFact({ ...said, valid: span }, standing)
      const added = opened.map((part) => {
        const { o, confidence } = by_id.get(part.fact_id)!
        return { ...part, o, confidence, row_id: String(rows++) }
      })
      standing = [...standing.filter((row) => !closed.includes(row)), ...added]
    }
  }
  return standing.map(({ fact_id, valid, status }) => ({ fact_id, valid, status }))
}

function spansOf(some: readonly Standing[]): Span[] {
  return some.map(({ valid }) => valid)
}

export function intersect(a: Span, b: Span): Span | undefined {
  const from = Math.max(a.from, b.from)
  const until = Math.min(a.until, b.until)
  return from < until ? { from, until } : undefined
}

/** What is left of some spans without others, in order. */
export function subtract(spans: readonly Span[], others: readonly Span[]): Span[] {
  let left = [...spans]
  for (const other of others) {
    left = left.flatMap((span) => {
      if (!intersect(span, other)) return [span]
      const before = { from: span.from, until: other.from }
      const after = { from: other.until, until: span.until }
      return [before, after].filter(({ from, until }) => from < until)
    })
  }
  return left.sort((a, b) => a.from - b.from)
}

function overlap(spans: readonly Span[], others: readonly Span[]): Span[] {
  return subtract(spans, subtract(spans, others))
}

/** The same moments in as few spans as there can be. */
export function unite(spans: readonly Span[]): Span[] {
  const united: { from: number; until: number }[] = []
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = united.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, until)
    else united.push({ from, until })
  }
  return united
}
