// An export line by line. Only a line feed ends a line: readline would also break at separators that JSON leaves in its strings.
import { createReadStream } from 'node:fs'

export async function* exportLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    // A file that went through a system with other line ends is still the same book.
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}
