// Reads the lines of a file, and paces them so that the page stays responsive.

const line_chars_max = 4 * 1024 * 1024
/** Work no longer than this before yielding to rendering and input. */
const slice_ms = 12

/** Only a line feed ends a line and no byte is skipped, exactly as the engine reads it: otherwise the verdict could differ. */
export async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const reader = stream.getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = lines.pop()!
      for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
      if (rest.length > line_chars_max) throw new Error(`a line is longer than ${line_chars_max} characters`)
      if (done) break
    }
    if (rest !== '') yield rest
  } finally {
    await reader.cancel()
  }
}

/** The same lines, yielding to the page at intervals; reports the number of lines so far each time. */
export async function* paced(
  lines: AsyncIterable<string>,
  { signal, onPause }: { readonly signal: AbortSignal; readonly onPause: (lines: number) => void },
): AsyncGenerator<string> {
  let count = 0
  let began_ms = performance.now()
  for await (const line of lines) {
    signal.throwIfAborted()
    count++
    yield line
    if (performance.now() - began_ms < slice_ms) continue
    onPause(count)
    await nextTask()
    began_ms = performance.now()
  }
  onPause(count)
}

/** A macrotask: a promise alone would run before rendering and input. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })
}
