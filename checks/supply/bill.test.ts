// Libraries that are copied into built files of the engine are in its bill of materials, each place once.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { builtInParts, partsOfEngine } from '../../clients/packing/engine.ts'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('libraries in the pages and in the console are in the bill of the engine', () => {
  const in_pages = [...read('gateway/docs-page.ts').matchAll(/import\.meta\.resolve\('([^']+)'\)/g)]
  const frames = /from '(@astrojs\/[\w-]+)'/.exec(read('gateway/docs/site/build.ts'))
  const libraries = [...in_pages, frames!].map(([, name]) => name!)
  assert.deepEqual(libraries, ['minisearch', '@scalar/api-reference', '@astrojs/starlight'])
  const names = new Set(builtInParts().map(({ name }) => name))
  for (const name of [...libraries, 'elkjs', 'react-dom']) assert.ok(names.has(name), name)
  assert.ok(!names.has('astro') && !names.has('vite'), 'what builds them is not in them')
  const places = partsOfEngine().map(({ place }) => place)
  for (const place of ['node_modules/fastify', 'node_modules/elkjs']) assert.ok(places.includes(place), place)
  assert.equal(new Set(places).size, places.length)
})
