// Reads an export line by line. Only a line feed ends a line: readline also splits at separators JSON allows in strings.
import { createReadStream } from 'node:fs'

export async function* exportLines(file: string): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of createReadStream(file, 'utf8')) {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!
    // A file whose line ends were converted is still the same audit log.
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest
}
