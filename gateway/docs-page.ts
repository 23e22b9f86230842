// Files of the public pages, read once.
import { readFileSync } from 'node:fs'
import { stages } from '@svc/contract/stage'

/** The interactive reference, its script and the style that all pages have. */
const titles = stages.map(({ title }) => title).join(',')
export const try_page = readPart('try.html').replace('{stage titles}', titles)
export const docs_script = readPart('docs.js')
export const docs_style = readPart('docs.css')
/** Additions for the readable pages. */
export const pages_script = readPart('pages.js')
export const pages_style = readPart('pages.css')

function readPart(name: string): string {
  return readFileSync(new URL(`docs/${name}`, import.meta.url), 'utf8')
}
