// What a new fact does to those known before: nothing is overwritten, what was believed stays readable as believed then.
import type { Span } from './knowledge-triple.ts'

/** A fact that is believed, or contested, until now. */
export interface Standing {
  readonly row_id: string
  readonly o: string
  readonly valid: Span
  readonly confidence: number
  readonly contested: boolean
}

export interface Said {
  readonly o: string
  readonly valid: Span
  readonly confidence: number
}

export interface Settlement {
  /** Those not believed any more as they were. */
  readonly closed: readonly Standing[]
  /** What of the closed is still believed: the parts of their validity that the new fact says nothing about. */
  readonly reopened: readonly { readonly of: Standing; readonly valid: Span }[]
  /** When the new fact is believed. */
  readonly current: readonly Span[]
  /** When it stands against somebody more certain. */
  readonly contested: readonly Span[]
  /** The more certain ones. */
  readonly against: readonly Standing[]
  /** Those that say the same, at least as certainly: the new fact adds nothing there. */
  readonly agreeing: readonly Standing[]
}

/** For predicates with one value at a time: the newer is believed unless the older was more certain. */
export function settleFact(said: Said, standing: readonly Standing[]): Settlement {
  const closed: Standing[] = []
  const against: Standing[] = []
  const agreeing: Standing[] = []
  for (const old of standing) {
    if (!intersect(old.valid, said.valid)) continue
    const is_same = old.o === said.o
    if (old.confidence > said.confidence || (is_same && old.confidence === said.confidence)) {
      if (is_same) agreeing.push(old)
      // What is itself contested holds nobody up.
      else if (!old.contested) against.push(old)
    } else closed.push(old)
  }
  const spansOf = (some: readonly Standing[]) => some.map(({ valid }) => valid)
  const open = subtract([said.valid], spansOf(agreeing.filter(({ contested }) => !contested)))
  const current = subtract(open, spansOf(against))
  return {
    closed,
    reopened: closed.flatMap((old) =>
      subtract([old.valid], [said.valid]).map((valid) => ({ of: old, valid })),
    ),
    current,
    contested: subtract(subtract(open, current), spansOf(agreeing)),
    against,
    agreeing,
  }
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
