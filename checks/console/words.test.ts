// Sentences of the console stand in clients/console/words, so that they can be translated: in the folders that are named
// here none stands elsewhere, and of the other pages each one that is done is added.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import ts from 'typescript-compiler-api'

const root = join(import.meta.dirname, '../../clients/console')
const done = ['shell', 'parts', 'list', 'pages/alerts', 'pages/reports', 'pages/settings', 'pages/tenants']
/** What people read; other attributes are for programs. */
const read_names = [
  'alt',
  'aria-label',
  'brief',
  'caption',
  'description',
  'empty',
  'head',
  'hint',
  'label',
  'name',
  'placeholder',
  'summary',
  'title',
]

/** Texts between tags, and those of attributes and fields that are shown. */
function textsIn(file: string, code: string): string[] {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, kind)
  const texts: string[] = []
  const add = (text: string) => {
    if (/\p{L}{2}/u.test(text)) texts.push(text.trim())
  }
  const isRead = (name: ts.Node) => read_names.includes(name.getText(source).replaceAll("'", ''))
  const visit = (node: ts.Node): void => {
    if (ts.isJsxText(node)) add(node.text)
    const is_named = ts.isJsxAttribute(node) || ts.isPropertyAssignment(node)
    if (is_named && node.initializer && ts.isStringLiteral(node.initializer) && isRead(node.name))
      add(node.initializer.text)
    ts.forEachChild(node, visit)
  }
  visit(source)
  return texts
}

test('texts between tags and of what is shown are found, others are not', () => {
  const code = `const row = { head: 'Name', key: 'name' }
    const shown = <p title="Why" className="quiet">Nothing <b>yet</b> {words.none} 7</p>`
  assert.deepEqual(textsIn('some.tsx', code), ['Name', 'Why', 'Nothing', 'yet'])
})

for (const folder of done)
  test(`${folder} has no sentence of its own`, () => {
    const files = globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).filter((file) => !/\.test\./.test(file))
    assert.ok(files.length > 0)
    const sentences = files.flatMap((file) =>
      textsIn(file, readFileSync(join(root, file), 'utf8')).map((text) => `${file}: ${text}`),
    )
    assert.deepEqual(sentences, [])
  })
