// Turns a component into what Node can run, in a process of its own: the translator is large, and the component is
// untrusted. In: the component on stdin. Out: glue and modules into the given file, and one line on stdout with their
// offsets.
import { writeSync } from 'node:fs'
import type { Extent } from '../sandbox/words.ts'
import { type Files, translateComponent } from './component.ts'

/** What the translator prints on stdout. */
export type Translated = { readonly fault: string } | { readonly files: Readonly<Record<string, Extent>> }

const files_fd = 3

function writeFiles(files: Files): Translated {
  const extents: Record<string, Extent> = {}
  let offset = 0
  for (const [path, bytes] of files) {
    for (let sent = 0; sent < bytes.length; ) sent += writeSync(files_fd, bytes, sent)
    extents[path] = { offset, length: bytes.length }
    offset += bytes.length
  }
  return { files: extents }
}

const component = Buffer.concat(await Array.fromAsync(process.stdin))
const translated = await translateComponent(component, Number(process.argv[2]))
process.stdout.write(JSON.stringify('files' in translated ? writeFiles(translated.files) : translated))
