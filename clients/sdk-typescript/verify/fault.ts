/** A fault and the first record it concerns. */
export class Fault extends Error {
  readonly seq: number | undefined

  constructor(reason: string, seq?: number) {
    super(reason)
    this.seq = seq
  }
}

/** The message of any thrown value, even one whose accessors throw. */
export function wordsOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? String(thrown.message) : String(thrown)
  } catch {
    return 'something that cannot be said'
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
