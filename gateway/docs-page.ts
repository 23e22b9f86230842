// Files of the public pages, read once.
import { existsSync, readFileSync } from 'node:fs'
import { stand_ins } from '@svc/contract/scene'

const { tenant, did, partner_tenant, partner_did, operator_tenant, operator_did, asset, ...times } = stand_ins
/** `now` is the first of the times: the others are as far from it as from the real one. */
const own_texts = [tenant, did, asset, ...Object.values(times)].join(' ')
const built_folder = new URL('dist/', new URL('docs/site/', import.meta.url))
export const api_page = readPart('api.html').replace('{stand-ins}', own_texts)
export const api_script = readPart('api.js')
export const api_style = readPart('api.css')
export const pages_script = readPart('pages.js')
export const pages_style = readPart('pages.css')
export const search_script = readPart('search.js')
const search_library_file = libraryFile(() => import.meta.resolve('minisearch'), 'minisearch.js')
/** What the search imports. Without it the search does with less. */
export const search_library = search_library_file
  ? withoutMap(readFileSync(search_library_file, 'utf8'))
  : 'export default undefined\n'
/** What the API reference is made with: megabytes, so it is read when it is asked for. Without it there is no such page. */
export const api_library_file = libraryFile(
  () => new URL('browser/standalone.js', import.meta.resolve('@scalar/api-reference')),
  'scalar.js',
)

export function withoutMap(script: string): string {
  return script.replace(/^\/\/# .*$/m, '')
}

/** One file: of a development installation or of the built site. */
function libraryFile(installed: () => string | URL, built_name: string): URL | undefined {
  try {
    return new URL(installed())
  } catch {
    const built = new URL(built_name, built_folder)
    return existsSync(built) ? built : undefined
  }
}

function readPart(name: string): string {
  return readFileSync(new URL(`docs/${name}`, import.meta.url), 'utf8')
}
