// What a program printed, as much of it as there is room for.

export interface StoredOutput {
  readonly add: (chunk: Buffer) => void
  text(): string
  /** Bytes printed in all, kept or not. */
  total(): number
}

export function keepOutput(bytes_max: number, part: 'beginning' | 'end'): StoredOutput {
  let kept: Buffer[] = []
  let held = 0
  let total = 0
  const bytes = () => {
    kept = [Buffer.concat(kept)]
    return kept[0]!
  }
  return {
    add(chunk) {
      total += chunk.length
      if (part === 'beginning') {
        const fitting = chunk.subarray(0, bytes_max - held)
        if (fitting.length > 0) kept.push(fitting)
        held += fitting.length
        return
      }
      kept.push(chunk)
      held += chunk.length
      // Only at twice the size: copying at each chunk would cost the square of what is printed.
      if (held <= 2 * bytes_max) return
      kept = [Buffer.from(bytes().subarray(-bytes_max))]
      held = bytes_max
    },
    text: () => bytes().subarray(-bytes_max).toString('utf8'),
    total: () => total,
  }
}
