// Every link of the documents resolves, and every file they name exists.
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { documents, root } from './documents.ts'

/** Without code: it contains no links. */
function proseOf(text: string): string {
  return text.replace(/^```[\s\S]*?^```$/gm, '').replace(/`[^`\n]*`/g, '')
}

/** Heading anchors, as common Markdown viewers make them. */
function anchorsOf(text: string): string[] {
  const headings = [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.+)$/gm)].map(
    ([, words = '']) => words,
  )
  return headings.map((words) =>
    words
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  )
}

test('internal links of all Markdown files resolve', () => {
  let links = 0
  for (const { path, text } of documents) {
    for (const [, target = ''] of proseOf(text).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^[a-z]+:/.test(target)) continue
      links++
      const [file = '', anchor] = target.split('#')
      const place = file === '' ? join(root, path) : join(root, dirname(path), file)
      assert.ok(existsSync(place), `${path} links to ${target}, which is not there`)
      // An empty folder is not in a fresh checkout.
      if (statSync(place).isDirectory()) assert.notDeepEqual(globSync('**/*.*', { cwd: place }), [], target)
      if (anchor !== undefined)
        assert.ok(anchorsOf(readFileSync(place, 'utf8')).includes(anchor), `${path} links to ${target}`)
    }
  }
  assert.ok(links > 0)
})

test('files of this repository named in a text exist', () => {
  const folders = globSync('*/', { cwd: root }).join('|')
  const named = new RegExp(`\`((?:${folders})/[\\w./-]+\\.(?:ts|md|json|txt))\``, 'g')
  for (const { path, text } of documents.filter(({ path }) => !path.startsWith('generated/'))) {
    for (const [, file = ''] of text.matchAll(named))
      assert.ok(existsSync(join(root, file)), `${path} names ${file}`)
  }
})
