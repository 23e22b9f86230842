// `npm run generate`: writes everything derived from the catalogue. `--check` writes nothing and fails where a file would differ;
// `--unkept` writes only what is not in git. OpenAPI and JSON schemas are derived by the engine that serves them, and are no files.
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import type { Protocol } from '@svc/contract/protocol'
import { catalogue } from './catalogue.ts'
import { deriveCompletions } from './derive/completions.ts'
import { deriveLlms } from './derive/llms.ts'
import { deriveMcpTools } from './derive/mcp-tools.ts'
import { compareText, sortedProtocols } from './derive/names.ts'
import { deriveReference } from './derive/reference.ts'
import { deriveReferenceList } from './derive/reference-list.ts'
import { deriveSdkOperations } from './derive/sdk-operations.ts'
import { derivePythonExamples, deriveSdkPython } from './derive/sdk-python.ts'
import { deriveSdkRust } from './derive/sdk-rust.ts'
import { deriveRustExamples } from './derive/sdk-rust-samples.ts'
import { deriveSdkTypes } from './derive/sdk-types.ts'

type Rendered = ReadonlyMap<string, string>

/** Large, and only read by clients: not in git. setup.mjs writes it after a change of the catalogue, and marks that. */
const [tools_file, mark] = ['mcp-tools.json', '.svc-built']

/** Every folder that holds only derived files. A crate or a Python package is published from its own folder, so its part is there. */
const folders: Readonly<Record<string, (protocols: readonly Protocol[]) => Rendered>> = {
  generated: renderGenerated,
  'clients/sdk-rust/src/protocols/generated': (protocols) => inOrder(deriveSdkRust(protocols)),
  'clients/sdk-python/src/svc_sdk/protocols': (protocols) => inOrder(deriveSdkPython(protocols)),
  'clients/sdk-python/tests/generated': (protocols) => inOrder(derivePythonExamples(protocols)),
  'clients/sdk-rust/tests/generated': (protocols) => inOrder(deriveRustExamples(protocols)),
}

/** Path below generated/ -> text, in sorted order. */
export function renderGenerated(protocols: readonly Protocol[]): Rendered {
  const files: [string, string][] = [
    ['completions.json', json(deriveCompletions(protocols))],
    ['sdk-types.ts', deriveSdkTypes(protocols)],
    ['sdk-operations.ts', deriveSdkOperations(protocols)],
    ['llms.txt', deriveLlms(protocols)],
    ['reference/README.md', deriveReferenceList(protocols)],
  ]
  for (const protocol of sortedProtocols(protocols)) {
    files.push([`reference/${protocol.id.toLowerCase()}.md`, deriveReference(protocol)])
  }
  return inOrder(files)
}

function inOrder(files: readonly [string, string][]): Rendered {
  const ended = files.map(([path, text]) => [path, `${text.trimEnd()}\n`] as const)
  return new Map(ended.sort(([a], [b]) => compareText(a, b)))
}

function json(value: unknown): string {
  return JSON.stringify(value, null, 2)
}

export interface Difference {
  readonly path: string
  readonly why: 'missing' | 'different' | 'no longer derived'
}

/** Compares the folder with what should be in it. */
export function compareGenerated(folder: string, files: Rendered): Difference[] {
  const present = new Set(filesIn(folder))
  const differences: Difference[] = []
  for (const [path, text] of files) {
    if (!present.delete(path)) differences.push({ path, why: 'missing' })
    else if (readFileSync(join(folder, path), 'utf8') !== text) differences.push({ path, why: 'different' })
  }
  for (const path of present) differences.push({ path, why: 'no longer derived' })
  return differences.sort((a, b) => compareText(a.path, b.path))
}

/** Writes what differs and removes what is no longer derived; returns what it changed. */
export function writeGenerated(folder: string, files: Rendered): Difference[] {
  const differences = compareGenerated(folder, files)
  for (const { path } of differences) {
    const text = files.get(path)
    const file = join(folder, path)
    if (text === undefined) {
      rmSync(file)
      continue
    }
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return differences
}

function filesIn(folder: string): string[] {
  mkdirSync(folder, { recursive: true })
  return (
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
      // Python writes its compiled modules beside them.
      .filter((path) => path !== tools_file && path !== mark && !path.startsWith('__pycache__/'))
  )
}

/** Atomic: an engine may be starting. */
function writeTools(file: string): void {
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(deriveMcpTools(catalogue)))
  renameSync(`${file}.${process.pid}`, file)
}

function main(args: readonly string[]): number {
  const root = join(import.meta.dirname, '..')
  const is_check = args.includes('--check')
  if (!is_check) writeTools(join(root, 'generated', tools_file))
  if (args.includes('--unkept')) return 0
  let differences_count = 0
  for (const [folder, render] of Object.entries(folders)) {
    const files = render(catalogue)
    const place = join(root, folder)
    if (!is_check) {
      const touched = writeGenerated(place, files)
      console.log(`${folder}/: ${files.size} files, ${touched.length} changed.`)
      continue
    }
    const differences = compareGenerated(place, files)
    differences_count += differences.length
    for (const { path, why } of differences) console.error(`  ${folder}/${path}: ${why}`)
  }
  if (differences_count === 0) return 0
  console.error(
    `Derived files do not match the catalogue: ${differences_count} files. Run \`npm run generate\` and commit the result.`,
  )
  return 1
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
