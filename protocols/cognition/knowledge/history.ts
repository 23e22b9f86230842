// How a new fact affects known ones: nothing is overwritten, and past beliefs stay readable.
import type { Span } from '../content/api.ts'

export type Belief = 'current' | 'contested' | 'supporting'

/** An open part of an assertion: believed, outweighed by a more certain one, or a duplicate of one. */
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
  /** Decided over all sources: believed regardless of their confidence. */
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
  /** Rows that begin: of the new fact, and the remainders of those that end. */
  readonly opened: readonly Part[]
  /** Closed rows that are no longer believed for part of their period. */
  readonly superseded: readonly Standing[]
  /** More certain facts that contradict the new one. */
  readonly against: readonly Standing[]
}

/** For single-valued predicates: the newer is believed unless the older was more certain. */
export function settleFact(statement: Said, standing: readonly Standing[]): Settlement {
  const met = standing.filter(({ valid }) => intersect(valid, statement.valid))
  const isSame = ({ o }: Standing) => o === statement.o
  const outweighs = (old: Standing) => statement.prevails || statement.confidence >= old.confidence
  const believed = met.filter(({ status }) => status === 'current')
  const agreeing = believed.filter((old) => isSame(old) && old.confidence >= statement.confidence)
  const against = believed.filter((old) => !isSame(old) && !outweighs(old))
  const open = subtract([statement.valid], spansOf(agreeing))
  const current = subtract(open, spansOf(against))
  // The new fact affects others only if it is believed.
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

/** The open parts after settling all facts in order. */
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

/** The difference of two sets of spans, in order. */
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

/** Merges adjacent and overlapping spans. */
export function unite(spans: readonly Span[]): Span[] {
  const united: { from: number; until: number }[] = []
  for (const { from, until } of spans.toSorted((a, b) => a.from - b.from)) {
    const last = united.at(-1)
    if (last && from <= last.until) last.until = Math.max(last.until, until)
    else united.push({ from, until })
  }
  return united
}
