// Files of the public pages, read once.
import { readFileSync } from 'node:fs'
import { stand_ins } from '@svc/contract/scene'
import { stages } from '@svc/contract/stage'

/** The interactive reference, its script and the style that all pages have. */
const titles = stages.map(({ title }) => title).join(',')
const { tenant, did, partner_tenant, partner_did, operator_tenant, operator_did, asset, ...times } = stand_ins
/** `now` is the first of the times: the others are as far from it as from the real one. */
const own_texts = [tenant, did, asset, ...Object.values(times)].join(' ')
export const try_page = readPart('try.html')
  .replace('{stage titles}', titles)
  .replace('{stand-ins}', own_texts)
export const docs_script = readPart('docs.js')
export const docs_style = readPart('docs.css')
/** Additions for the readable pages. */
export const pages_script = readPart('pages.js')
export const pages_style = readPart('pages.css')

function readPart(name: string): string {
  return readFileSync(new URL(`docs/${name}`, import.meta.url), 'utf8')
}
