// Where a command reads and writes: the process's own streams, or a test's.

export interface Terminal {
  readonly input: AsyncIterable<Buffer | string> & { readonly isTTY?: boolean }
  /** Settles once more can be written: whoever reads a long export sets the pace. */
  write(text: string): Promise<void>
}

export function processTerminal(): Terminal {
  // `admin export | head` has read enough; that is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))
  return {
    input: process.stdin,
    async write(text) {
      if (!process.stdout.write(text)) await new Promise((resolve) => process.stdout.once('drain', resolve))
    },
  }
}
