// `npm run new protocol <ID> <plane>`: the protocol, its test and its line in the catalogue, ready to run and to be rewritten.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Plane, planes, type ToolCategory } from '@svc/contract/protocol'

const usage = 'Usage: npm run new protocol <ID> <plane>, for example: npm run new protocol MIND cognition'

const categories: Record<Plane, ToolCategory> = {
  identity: 'svc-infrastructure',
  cognition: 'svc-cognitive',
  truth: 'svc-cognitive',
  governance: 'svc-governance',
  execution: 'svc-infrastructure',
  economic: 'svc-commerce',
  awareness: 'svc-infrastructure',
}

/** Writes the three; answers the paths it wrote, or throws one sentence that says why not. Writes all of them or none. */
export function addProtocol(root: string, id: string, plane: string): string[] {
  if (!/^[A-Z]{2,16}$/.test(id))
    throw new Error(`${id} is not a protocol id: use 2 to 16 capital letters. ${usage}`)
  if (!isPlane(plane)) throw new Error(`There is no plane ${plane}: use one of ${planes.join(', ')}.`)
  const name = id.toLowerCase()
  const list = 'catalogue/catalogue.ts'
  const before = readFileSync(join(root, list), 'utf8')
  const files: [string, string][] = [
    [`protocols/${plane}/${name}.ts`, protocolText(id, plane)],
    [`protocols/${plane}/${name}.test.ts`, testText(id)],
  ]
  const taken = files.map(([path]) => path).find((path) => existsSync(join(root, path)))
  if (taken !== undefined)
    throw new Error(`${taken} exists already; nothing was written. Choose another id or edit that file.`)
  if (new RegExp(`import \\{ ${name} \\}`).test(before))
    throw new Error(`${list} lists ${id} already; nothing was written. Choose another id.`)
  files.push([list, withProtocol(before, name, plane)])
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return files.map(([path]) => path)
}

function isPlane(plane: string): plane is Plane {
  return (planes as readonly string[]).includes(plane)
}

/** Adds the import and the name, both in sorted order, one protocol to a line. */
export function withProtocol(catalogue_text: string, name: string, plane: string): string {
  const list_form = /(export const catalogue: readonly Protocol\[\] = \[)([^\]]*)\]/
  const listed = list_form.exec(catalogue_text)
  if (!listed)
    throw new Error('catalogue/catalogue.ts has no list of protocols to add to; write the line by hand.')
  const names = [
    ...(listed[2] ?? '')
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean),
    name,
  ].sort()
  const list = `${listed[1]}\n${names.map((each) => `  ${each},\n`).join('')}]`
  return withImport(
    catalogue_text.replace(list_form, () => list),
    name,
    plane,
  )
}

function withImport(text: string, name: string, plane: string): string {
  const line = `import { ${name} } from '@svc/protocols/${plane}/${name}'`
  const lines = text.split('\n')
  const imports = lines.filter((each) => each.startsWith('import '))
  const first = lines.indexOf(imports[0] ?? '')
  const sorted = [...imports, line].sort((a, b) => (sourceOf(a) < sourceOf(b) ? -1 : 1))
  return [...lines.slice(0, first), ...sorted, ...lines.slice(first + imports.length)].join('\n')
}

function sourceOf(import_line: string): string {
  return /from '([^']+)'/.exec(import_line)?.[1] ?? ''
}

function protocolText(id: string, plane: Plane): string {
  return `import { operation, protocol } from '@svc/contract/protocol'
import { Closed, Text } from '@svc/contract/schema'

export const ${id.toLowerCase()} = protocol({
  id: '${id}',
  version: 'v1.0.0',
  plane: '${plane}',
  estate: 'protocol',
  rate: 'standard',
  category: '${categories[plane]}',
  summary: 'Says back what it was told, until someone writes what ${id} is for.',

  operations: {
    say: operation({
      summary: 'Say the given text back.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ text: Text(200) }),
      output: Closed({ text: Text(200) }),
      example: { text: 'hello' },

      handle({ text }) {
        return { text }
      },
    }),
  },
})
`
}

function testText(id: string): string {
  const name = id.toLowerCase()
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ${name} } from './${name}.ts'

test('${id} says back what it was told', async () => {
  const { say } = ${name}.operations
  assert.deepEqual(await say.handle(say.example as never, {} as never), { text: 'hello' })
})
`
}

function main(args: readonly string[]): number {
  const [kind, id, plane] = args
  if (kind !== 'protocol' || id === undefined || plane === undefined || args.length !== 3) {
    console.error(usage)
    return 1
  }
  try {
    for (const path of addProtocol(join(import.meta.dirname, '..'), id, plane)) console.log(`wrote ${path}`)
    console.log('Next: write its operations, then `npm run generate` and `npm test`.')
    return 0
  } catch (thrown) {
    console.error((thrown as Error).message)
    return 1
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
