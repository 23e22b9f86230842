// `npm run new protocol` and `npm run new operation`: writes running code to start from.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { ToolCategory } from '@svc/contract/operation-facts'
import { type Plane, planes } from '@svc/contract/protocol'

const usage = `Usage: npm run new protocol <ID> <plane>, for example: npm run new protocol MIND cognition
       npm run new operation <ID> <name>, for example: npm run new operation MIND recall`

const list = 'catalogue/protocols.ts'

const categories: Record<Plane, ToolCategory> = {
  identity: 'svc-infrastructure',
  cognition: 'svc-cognitive',
  truth: 'svc-cognitive',
  governance: 'svc-governance',
  execution: 'svc-infrastructure',
  economic: 'svc-commerce',
  awareness: 'svc-infrastructure',
}

/** Writes the three files; returns their paths, or throws one sentence that says why not. Writes all of them or none. */
export function addProtocol(root: string, id: string, plane: string): string[] {
  if (!/^[A-Z]{2,16}$/.test(id))
    throw new Error(`${id} is not a protocol id: use 2 to 16 capital letters. ${usage}`)
  if (!isPlane(plane)) throw new Error(`There is no plane ${plane}: use one of ${planes.join(', ')}.`)
  const name = id.toLowerCase()
  const folder = `protocols/${plane}/${name}`
  const before = readFileSync(join(root, list), 'utf8')
  if (existsSync(join(root, folder)))
    throw new Error(`${folder} exists already; nothing was written. Choose another id or edit what is there.`)
  if (literalPath(before, name) !== undefined)
    throw new Error(`${list} lists ${id} already; nothing was written. Choose another id.`)
  return writeAll(root, [
    [`${folder}/${name}.ts`, protocolText(id, plane)],
    [`${folder}/${name}.test.ts`, testText(id)],
    [list, withProtocol(before, name, plane)],
  ])
}

/** Adds the operation to the literal of a protocol, first in its list. */
export function addOperation(root: string, id: string, name: string): string[] {
  if (!/^[a-z][a-z0-9_]{1,63}$/.test(name))
    throw new Error(
      `${name} is not a name of an operation: use small letters, digits and underscores. ${usage}`,
    )
  const path = literalPath(readFileSync(join(root, list), 'utf8'), id.toLowerCase())
  if (path === undefined) throw new Error(`${list} lists no ${id}; add it with npm run new protocol.`)
  const before = readFileSync(join(root, path), 'utf8')
  if (new RegExp(`^    ${name}: operation\\(`, 'm').test(before))
    throw new Error(`${path} has ${name} already; nothing was written. Choose another name.`)
  const start = '  operations: {\n'
  if (!before.includes(start)) throw new Error(`${path} has no list of operations; write it by hand.`)
  const after = before.replace(start, () => `${start}${operationText(name)}\n`)
  return writeAll(root, [[path, withImports(after)]])
}

function writeAll(root: string, files: readonly (readonly [string, string])[]): string[] {
  for (const [path, text] of files) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return files.map(([path]) => path)
}

function isPlane(plane: string): plane is Plane {
  return (planes as readonly string[]).includes(plane)
}

function literalPath(listed: string, name: string): string | undefined {
  const module = new RegExp(`^export \\{ ${name} \\} from '@svc/(.+)'$`, 'm').exec(listed)?.[1]
  return module && `${module}.ts`
}

/** One line, in the order of paths. */
export function withProtocol(listed: string, name: string, plane: string): string {
  const [head = '', ...lines] = listed.trimEnd().split('\n')
  const line = `export { ${name} } from '@svc/protocols/${plane}/${name}/${name}'`
  const sorted = [...lines, line].sort((a, b) => (pathOf(a) < pathOf(b) ? -1 : 1))
  return [head, ...sorted, ''].join('\n')
}

function pathOf(line: string): string {
  return /from '([^']+)'/.exec(line)?.[1] ?? ''
}

/** Imports of a new operation; existing ones are left unchanged. */
function withImports(text: string): string {
  const needed = {
    operation: '@svc/contract/protocol',
    Closed: '@svc/contract/schema',
    Text: '@svc/contract/schema',
  }
  return Object.entries(needed).reduce((changed, [name, module]) => {
    const there = new RegExp(`^import \\{([^}]*)\\} from '${module}'`, 'm').exec(changed)
    if (!there) return changed.replace(/^import /m, `import { ${name} } from '${module}'\nimport `)
    if (there[1]!.split(',').some((each) => each.trim() === name)) return changed
    return changed.replace(there[0], () => there[0].replace('{', `{ ${name},`))
  }, text)
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
${operationText('say')}  },
})
`
}

function operationText(name: string): string {
  return `    ${name}: operation({
      summary: 'Say the given text back.',
      effect: 'read',
      level: 'L0',
      meters: ['seconds'],
      input: Closed({ text: Text(200, { description: 'What to say back.' }) }),
      output: Closed({ text: Text(200, { description: 'What was said.' }) }),
      example: { text: 'hello' },
      handle: ({ text }) => ({ text }),
    }),
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

function sortImports(root: string, paths: readonly string[]): void {
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome')
  execFileSync(process.execPath, [biome, 'check', '--write', ...paths], { cwd: root, stdio: 'pipe' })
}

const kinds: Readonly<Record<string, (root: string, id: string, more: string) => string[]>> = {
  protocol: addProtocol,
  operation: addOperation,
}

function main([kind = '', id, more, ...rest]: readonly string[]): number {
  const add = kinds[kind]
  if (!add || id === undefined || more === undefined || rest.length > 0) {
    console.error(usage)
    return 1
  }
  try {
    const root = join(import.meta.dirname, '..')
    const paths = add(root, id, more)
    sortImports(root, paths)
    for (const path of paths) console.log(`wrote ${path}`)
    console.log('Next: write what it does, then `npm run generate` and `npm test`.')
    return 0
  } catch (thrown) {
    console.error((thrown as Error).message)
    return 1
  }
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
