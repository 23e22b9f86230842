// Texts as vectors whose angle measures how near their meanings are.

export interface Embedder {
  /** Vectors of different embedders are never compared. */
  readonly id: string
  /** Zero until the first answer where only an endpoint knows it. */
  readonly dimensions: number
  /** One per text: unit length times 127; all zero where no word is known. A value rather than a promise where no call is needed. */
  embed(texts: readonly string[], signal?: AbortSignal): readonly Int8Array[] | Promise<readonly Int8Array[]>
}

/** From -1 to 1. Zero, as for unrelated texts, where either has no direction or they are of different length. */
export function cosine(a: Int8Array, b: Int8Array): number {
  if (a.length !== b.length) return 0
  let dot = 0
  let a_squares = 0
  let b_squares = 0
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!
    const y = b[i]!
    dot += x * y
    a_squares += x * x
    b_squares += y * y
  }
  const product = Math.sqrt(a_squares * b_squares)
  return product === 0 ? 0 : Math.max(-1, Math.min(1, dot / product))
}
