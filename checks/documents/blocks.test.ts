// Every code block of the documents has its expected output, or says why it is not run.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join, matchesGlob } from 'node:path'
import { test } from 'node:test'
import { blockFault, blocks, blocksOf, root } from './documents.ts'

test('every block of the documents has its expected output, or a reason why it is not run', (t) => {
  const faults = blocks.map(blockFault).filter((fault) => fault !== undefined)
  assert.deepEqual(faults, [])
  const not_run = blocks.filter((block) => block.not_run !== undefined)
  const shown = blocks.filter((block) => block.not_run === undefined && block.output !== undefined)
  const by_assert = blocks.filter((block) => block.language === 'rust' && block.not_run === undefined)
  assert.ok(shown.length > 100, `${shown.length} blocks with an expected output were found`)
  const total = shown.length + by_assert.length
  t.diagnostic(
    `${total} blocks run: ${shown.length} with an expected output, ${by_assert.length} with an assert`,
  )
  t.diagnostic(`${not_run.length} blocks are not run, each with a reason`)
})

const faultsOf = (text: string) => blocksOf({ path: 'page.md', text }).map(blockFault)

test('a block that runs needs an output right after it', () => {
  const missing =
    'page.md:3: This block has no expected output; add a block "output" right after it, or mark it (not run: reason).'
  assert.deepEqual(faultsOf('# Page\n\n```sh\nls\n```\n\n```output\na.txt\n```\n'), [undefined])
  assert.deepEqual(faultsOf('# Page\n\n```sh\nls\n```\n'), [missing])
  assert.deepEqual(faultsOf('# Page\n\n```ts\nrun()\n```\n'), [missing])
  const stray = 'page.md:9: This output follows no block; put it right after the one that prints it.'
  assert.deepEqual(faultsOf('# Page\n\n```sh\nls\n```\n\nText.\n\n```output\na.txt\n```\n'), [missing, stray])
})

test('an output of holes alone says nothing', () => {
  const empty = 'page.md:1: The expected output says nothing; show a line that matters.'
  assert.deepEqual(faultsOf('```sh\nls\n```\n\n```output\n…\n```\n'), [empty])
  assert.deepEqual(faultsOf('```sh\nls\n```\n\n```output\n```\n'), [empty])
})

test('a block that is not run says why', () => {
  assert.deepEqual(faultsOf('```sh (not run: needs Docker)\ndocker ps\n```\n'), [undefined])
  assert.deepEqual(faultsOf('```rust,no_run (not run: needs an engine)\nrun()\n```\n'), [undefined])
  const no_reason = '"sh (not run)" is neither a language nor one with (not run: reason).'
  assert.deepEqual(faultsOf('```sh (not run)\ndocker ps\n```\n'), [`page.md:1: ${no_reason}`])
  const in_text = 'page.md:1: A command is in a sh block, not in one of text.'
  assert.deepEqual(faultsOf('```text\n$ npx svc whoami\n```\n'), [in_text])
  assert.deepEqual(faultsOf('```console\nls\n```\n'), [
    'page.md:1: No block may be of the language "console".',
  ])
})

test('a block shows its output instead of testing it', () => {
  const tests = 'page.md:1: This tests its output instead of showing it.'
  assert.deepEqual(faultsOf('```sh\nif svc whoami; then exit 1; fi\n```\n\n```output\nyes\n```\n'), [tests])
  assert.deepEqual(faultsOf('```rust\nrun();\n```\n'), ['page.md:1: This Rust block asserts nothing.'])
})

test('a block prints the same where a reader pastes it into bash or zsh', () => {
  const faultOf = (code: string, output: string) =>
    faultsOf(`\`\`\`sh\n${code}\n\`\`\`\n\n\`\`\`output\n${output}\n\`\`\`\n`)
  const comment = 'page.md:1: zsh takes a pasted comment for a command; put its words above the block.'
  assert.deepEqual(faultOf('ls # all files', 'a'), [comment])
  assert.deepEqual(faultOf("echo '# no comment' \"$#\"\ncat <<'END'\n# text\nEND", 'a'), [undefined])
  const unsplit =
    'page.md:1: zsh does not split the alternative of a parameter into words; write it another way.'
  assert.deepEqual(faultOf('curl $' + '{4:+-H "Authorization: $4"} example', 'a'), [unsplit])
  assert.deepEqual(faultOf('echo $' + '{name+word}', 'a'), [undefined])
  const for_people =
    'page.md:1: On a terminal this prints for people; add --json, since the output shown is JSON.'
  const invoke = "npx svc invoke MAX audit_query --input '{\n}'"
  assert.deepEqual(faultOf(invoke, '{\n  "output": {'), [for_people])
  for (const code of [`${invoke} --json`, `${invoke} | grep x`, `${invoke} > a.json; cat a.json`])
    assert.deepEqual(faultOf(code, '{'), [undefined])
  assert.deepEqual(faultOf(invoke, 'head  …'), [undefined])
})

test('a block in a list is read without its indentation', () => {
  const [block] = blocksOf({
    path: 'page.md',
    text: '1. Do:\n\n   ```sh\n   ls\n   ```\n\n   ```output\n   a\n   ```\n',
  })
  assert.deepEqual([block?.line, block?.code, block?.output], [3, 'ls', 'a'])
})

test('git ignores what a reader who follows the pages writes', () => {
  const patterns = readFileSync(join(root, '.gitignore'), 'utf8')
    .split('\n')
    .filter((line) => /^[^#!]/.test(line))
    .map((line) => line.replace(/^\//, ''))
  const files = blocks
    .filter(({ language }) => language === 'sh')
    .flatMap(({ code }) => [...code.matchAll(/(?<!=)>\s*([\w-]+\.\w+)|\b([\w-]+\.pem)\b/g)])
    .map(([, written, key]) => (written ?? key)!)
  assert.ok(files.length > 0)
  assert.deepEqual(
    files.filter((file) => !patterns.some((pattern) => matchesGlob(file, pattern))),
    [],
  )
})
