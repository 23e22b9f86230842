// A program's output, up to a limit.

export interface StoredOutput {
  readonly add: (chunk: Buffer) => void
  text(): string
  /** Bytes printed in all, stored or not. */
  total(): number
}

export function keepOutput(bytes_max: number, part: 'beginning' | 'end'): StoredOutput {
  let chunks: Buffer[] = []
  let bytes_stored = 0
  let total = 0
  const bytes = () => {
    chunks = [Buffer.concat(chunks)]
    return chunks[0]!
  }
  return {
    add(chunk) {
      total += chunk.length
      if (part === 'beginning') {
        const fitting = chunk.subarray(0, bytes_max - bytes_stored)
        if (fitting.length > 0) chunks.push(fitting)
        bytes_stored += fitting.length
        return
      }
      chunks.push(chunk)
      bytes_stored += chunk.length
      // Only at twice the size: copying at each chunk would cost the square of the output.
      if (bytes_stored <= 2 * bytes_max) return
      chunks = [Buffer.from(bytes().subarray(-bytes_max))]
      bytes_stored = bytes_max
    },
    text: () => bytes().subarray(-bytes_max).toString('utf8'),
    total: () => total,
  }
}
