// The pieces of a statement, as far as the source shows them.
import type ts from 'typescript-compiler-api'

/** Text, a parameter, or a choice of continuations. */
export type Piece = string | Parameter | Choice

export interface Parameter {
  readonly type: ts.Type
  readonly at: ts.Node
}

export interface Choice {
  readonly of: readonly (readonly Piece[])[]
}

export interface Variant {
  readonly text: string
  readonly parameters: readonly Parameter[]
}

const variants_max = 64

/** Cannot be resolved without running the code. */
export class Unresolved extends Error {
  readonly node: ts.Node
  constructor(node: ts.Node, message: string) {
    super(message)
    this.node = node
  }
}

export function choice(of: readonly (readonly Piece[])[]): Piece[] {
  const flat = of.flatMap((way) => {
    const [only] = way
    return way.length === 1 && isChoice(only) ? only.of : [way]
  })
  const different = flat.filter((way, index) => !flat.slice(0, index).some((other) => isSame(way, other)))
  return different.length === 1 ? [...different[0]!] : [{ of: different }]
}

/**
 * Every branch is in at least one variant. All choices take the same branch, so that two with one condition
 * match; not all combinations are tried.
 */
export function variantsOf(pieces: readonly Piece[]): Variant[] {
  const count = Math.min(countOf(pieces), variants_max)
  return Array.from({ length: count }, (_, index) => {
    const parameters: Parameter[] = []
    return { text: write(pieces, index, parameters), parameters }
  })
}

function countOf(pieces: readonly Piece[]): number {
  const counts = pieces.filter(isChoice).map(({ of }) => of.length * Math.max(...of.map(countOf)))
  return Math.max(1, ...counts)
}

function write(pieces: readonly Piece[], index: number, parameters: Parameter[]): string {
  const texts = pieces.map((piece) => {
    if (typeof piece === 'string') return piece
    if (!isChoice(piece)) return `$${parameters.push(piece)}`
    const { of } = piece
    return write(of[index % of.length]!, Math.floor(index / of.length), parameters)
  })
  return texts.join('')
}

function isChoice(piece: Piece | undefined): piece is Choice {
  return typeof piece === 'object' && 'of' in piece
}

function isSame(one: readonly Piece[], other: readonly Piece[]): boolean {
  return one.length === other.length && one.every((piece, index) => piece === other[index])
}
