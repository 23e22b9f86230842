// The streams a command reads and writes: the process's own, or a test's.

export interface Terminal {
  readonly input: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean }
  /** Resolves when more can be written (backpressure for long exports). */
  write(text: string): Promise<void>
  /** For a person who waits, if there is one; '' removes the line. */
  progress?(line: string): void
}

export function processTerminal(): Terminal {
  // `admin export | head` closes the pipe early; that is not an error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return {
    input: process.stdin,
    async write(text) {
      if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve))
    },
    progress: showProgress,
  }
}

/** One line of a terminal's standard error, which the next one replaces; nothing in a pipe. */
export function showProgress(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${line}`)
}
