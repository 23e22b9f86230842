// The distinct rows of one predicate in order of insertion, with a lazy index per argument.

export type Row = readonly number[]

export interface Relation {
  readonly arity: number
  readonly rows: readonly Row[]
  has(row: Row): boolean
  /** The position of this row, or -1. */
  placeOf(row: Row): number
  /** False if it exists. */
  add(row: Row): boolean
  /** Positions of the rows with this value in that argument, ascending. */
  matching(position: number, value: number): readonly number[]
}

/** Constants are numbered below this, so that a pair fits one exact number. */
export const constants_max = 2 ** 26

const none: readonly number[] = []

export function openRelation(arity: number): Relation {
  const rows: Row[] = []
  const places = new Map<number | string, number>()
  const indexes: (Map<number, number[]> | undefined)[] = new Array(arity).fill(undefined)
  const indexAt = (position: number) => {
    let index = indexes[position]
    if (!index) {
      index = new Map()
      for (const [place, row] of rows.entries()) enter(index, row[position]!, place)
      indexes[position] = index
    }
    return index
  }
  return {
    arity,
    rows,
    has: (row) => places.has(keyOf(row)),
    placeOf: (row) => places.get(keyOf(row)) ?? -1,
    add(row) {
      const key = keyOf(row)
      if (places.has(key)) return false
      const place = rows.length
      places.set(key, place)
      rows.push(row)
      for (const [position, index] of indexes.entries()) if (index) enter(index, row[position]!, place)
      return true
    },
    matching: (position, value) => indexAt(position).get(value) ?? none,
  }
}

function enter(index: Map<number, number[]>, value: number, place: number): void {
  const places = index.get(value)
  if (places) places.push(place)
  else index.set(value, [place])
}

function keyOf(row: Row): number | string {
  if (row.length === 1) return row[0]!
  if (row.length === 2) return row[0]! * constants_max + row[1]!
  return row.join(',')
}
