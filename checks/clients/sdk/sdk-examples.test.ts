// The TypeScript examples of the docs and the SDK's doc comments are compiled and run, as a reader would
// paste them.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { format, promisify } from 'node:util'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'

const root = join(import.meta.dirname, '../../..')
const sdk = join(root, 'clients/sdk-typescript')
const run_ms_max = 180_000
const run = promisify(execFile)

interface Example {
  readonly name: string
  readonly code: string
  /** The output the text promises. */
  readonly prints: string | undefined
}

function examplesIn(place: string, text: string): Example[] {
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
  return blocks.flatMap(([, language, code = ''], nth) => {
    const next = blocks[nth + 1]
    const prints = next?.[1] === 'text' ? next[2] : undefined
    return language === 'ts' ? [{ name: `${place}-${nth + 1}`, code, prints }] : []
  })
}

/** Removes the comment's stars. */
function proseOf(source: string): string {
  return [...source.matchAll(/^\/\*\*$([\s\S]*?)^ \*\/$/gm)]
    .map(([, comment = '']) => comment.replace(/^ \* ?/gm, ''))
    .join('\n')
}

const sources = globSync('**/*.ts', { cwd: sdk }).filter((file) => !/\.test\.ts$|node_modules/.test(file))
const readSource = (file: string) => readFileSync(join(sdk, file), 'utf8')
const pages = globSync('{README.md,docs/*.md}', { cwd: root })
const examples = [
  ...examplesIn('sdk', readSource('README.md')),
  ...pages.flatMap((page) => examplesIn(basename(page, '.md'), readFileSync(join(root, page), 'utf8'))),
  ...sources.flatMap((file) => examplesIn(basename(file, '.ts'), proseOf(readSource(file)))),
]

// Inside the repository, so that @svc/sdk is found, but not among the sources.
mkdirSync(join(root, '.svc'), { recursive: true })
const folder = mkdtempSync(join(root, '.svc/sdk-examples-'))
let service: InProcessService

before(async () => {
  service = await startInProcess()
  for (const { name, code } of examples) writeFileSync(join(folder, `${name}.mts`), code)
  const config = { extends: '../../tsconfig.json', include: ['*.mts'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
})
after(async () => {
  await service?.stop()
  rmSync(folder, { recursive: true, force: true })
})

test('every example compiles', async () => {
  assert.ok(examples.length >= 12, `${examples.length} examples were found`)
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const done = await run(process.execPath, [tsc, '-p', folder], { timeout: run_ms_max }).catch(
    (error) => error,
  )
  assert.equal(done.stdout, '')
})

test('every example runs, and prints what the text promises', async (t) => {
  Object.assign(process.env, {
    HOME: folder,
    SVC_API_URL: service.api_url,
    SVC_API_KEY: service.api_key,
    SVC_AGENT_DID: service.agent_did,
    SVC_TENANT_ID: '',
    SVC_PROFILE: '',
  })
  let printed = ''
  t.mock.method(console, 'log', (...words: unknown[]) => {
    printed += `${format(...words)}\n`
  })
  t.mock.method(console, 'error', () => undefined)
  for (const { name, prints } of examples) {
    printed = ''
    await import(pathToFileURL(join(folder, `${name}.mts`)).href)
    if (prints !== undefined) assert.equal(printed, prints, name)
  }
})

test('every export of the SDK is documented, and every method is in the table', () => {
  const listed = readSource('sdk.ts').matchAll(/export (type )?\{([^}]+)\} from '\.\/([^']+)'/g)
  const readme = readSource('README.md')
  let names = 0
  for (const [, is_types, list = '', file = ''] of listed) {
    const source = readSource(file)
    for (const word of list
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)) {
      names++
      const name = word.replace('type ', '')
      const declared = `\\*/\\nexport (?:async )?(?:function\\*?|class|interface|type|const) ${name}\\b`
      assert.match(source, new RegExp(declared), `${file}: ${name} has no comment`)
      if (!is_types && word === name) assert.ok(readme.includes(name), `the README lacks ${name}`)
    }
  }
  assert.ok(names > 20, `${names} names were found`)
})
