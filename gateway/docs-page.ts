// The interactive reference as text: read once, because these three files are part of the program.
import { readFileSync } from 'node:fs'

export const docs_page = readPart('index.html')
export const docs_script = readPart('docs.js')
export const docs_style = readPart('docs.css')

function readPart(name: string): string {
  return readFileSync(new URL(`docs/${name}`, import.meta.url), 'utf8')
}
