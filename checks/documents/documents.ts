// The pages of the project and their code blocks: what runs, what it prints, and what is not run and why.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '../..')
const not_ours = ['node_modules', '.git', '.svc', 'dist', 'target']

export interface Document {
  readonly path: string
  readonly text: string
}

export interface Block {
  readonly path: string
  /** Of its opening fence, from 1. */
  readonly line: number
  /** The text after the opening fence. */
  readonly info: string
  readonly language: string
  /** Why it is not run; undefined if it runs. */
  readonly not_run: string | undefined
  readonly code: string
  /** The text of the `output` block right after it. */
  readonly output: string | undefined
}

/** Blocks that do something. */
const run_languages = ['sh', 'ts', 'sql', 'rust', 'python']
/** JavaScript is the text of a file that a test runs and compares with the page. */
const data_languages = ['text', 'json', 'toml', 'cedar', 'html', 'js']
/** What a command begins with; a command in a block of text would escape the check. */
const command =
  /^(\$ |# )?([A-Z_]+=\S+ )*(npm|npx|node|svc|svc-engine|curl|docker|helm|kubectl|cargo|pip|python3?|psql|pg_\w+) /m
/** Commands that hide what a reader would see, or only test it. */
const scaffolding = /exit 1\b|test \$\?|grep -q/
/** Commands that print for people on a terminal, and JSON into a pipe, as here. */
const prints_by_place = /\bsvc (invoke|mcp call|approvals|audit tail|tail)\b/
const has_chosen = /[|>]|\$\((?!\()|--json|--output|-o /

export const documents: readonly Document[] = findDocuments()

function findDocuments(): Document[] {
  const exclude = (path: string) => not_ours.some((name) => path.split('/').includes(name))
  const paths = globSync('**/*.md', { cwd: root, exclude }).filter((path) => !exclude(path))
  return paths.sort().map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** Doc comments of the TypeScript SDK, line by line as in the file, without their stars. */
function sdkComments(): Document[] {
  const paths = globSync('clients/sdk-typescript/**/*.ts', { cwd: root })
  return paths
    .filter((path) => !/\.test\.ts$|node_modules/.test(path))
    .sort()
    .map((path) => {
      const lines = readFileSync(join(root, path), 'utf8').split('\n')
      return { path, text: lines.map((line) => /^ \* ?(.*)$/.exec(line)?.[1] ?? '').join('\n') }
    })
}

interface Fenced {
  readonly line: number
  readonly info: string
  readonly code: string
  /** Whether only empty lines are between it and the block before. */
  readonly is_next: boolean
}

function fencedBlocks({ path, text }: Document): Fenced[] {
  const blocks: Fenced[] = []
  let open: { line: number; indent: string; info: string; code: string[]; is_next: boolean } | undefined
  let is_next = false
  for (const [i, line] of text.split('\n').entries()) {
    const [, indent = '', info] = /^( *)```(.*)$/.exec(line) ?? []
    if (open && line === `${open.indent}\`\`\``) {
      const cut = open.indent.length
      blocks.push({ ...open, code: open.code.map((each) => each.slice(cut)).join('\n') })
      open = undefined
      is_next = true
    } else if (open) open.code.push(line)
    else if (info !== undefined) open = { line: i + 1, indent, info, code: [], is_next }
    else if (line.trim() !== '') is_next = false
  }
  if (open) throw new Error(`${path}:${open.line}: the block is not closed.`)
  return blocks
}

/** Every code block but the outputs themselves. An output block that belongs to no block is listed too. */
export function blocksOf(document: Document): Block[] {
  const fenced = fencedBlocks(document)
  return fenced.flatMap(({ line, info, code, is_next }, i) => {
    const [language = ''] = info.split(/[\s,]/, 1)
    if (language === 'output' && is_next && !fenced[i - 1]?.info.startsWith('output')) return []
    const next = fenced[i + 1]
    const output = next?.is_next && next.info === 'output' ? next.code : undefined
    const not_run = /\(not run: (.+)\)$/.exec(info)?.[1]
    return [{ path: document.path, line, info, language, not_run, code, output }]
  })
}

/** README first, then the guides, as a newcomer reads them. Reference pages are tested with the catalogue. */
export const blocks: readonly Block[] = [
  ...documents
    .filter(({ path }) => !path.startsWith('generated/'))
    .sort((a, b) => place(a.path) - place(b.path)),
  ...sdkComments(),
].flatMap(blocksOf)

function place(path: string): number {
  if (path === 'README.md') return 0
  return path.startsWith('docs/guides/') ? 1 : 2
}

/** What is wrong with a block, as one sentence; undefined if nothing is. */
export function blockFault(block: Block): string | undefined {
  const fault = faultOf(block)
  return fault && `${block.path}:${block.line}: ${fault}`
}

function faultOf({ info, language, not_run, code, output }: Block): string | undefined {
  if (language === 'output') return 'This output follows no block; put it right after the one that prints it.'
  if (data_languages.includes(language))
    return command.test(code) ? 'A command is in a sh block, not in one of text.' : undefined
  if (!run_languages.includes(language)) return `No block may be of the language "${language}".`
  if (not_run !== undefined) return undefined
  if (info !== language) return `"${info}" is neither a language nor one with (not run: reason).`
  if (language === 'sh' && scaffolding.test(code)) return 'This tests its output instead of showing it.'
  const fault = language === 'sh' ? pastedFault(code, output) : undefined
  if (fault !== undefined) return fault
  // The doc tests of Rust print nothing: they hold what they expect.
  if (language === 'rust') return code.includes('assert') ? undefined : 'This Rust block asserts nothing.'
  if (output === undefined) return missing_output
  if (!/[^…\s]/.test(output)) return 'The expected output says nothing; show a line that matters.'
  return undefined
}

/** What is different where a reader pastes the block: into bash or zsh, on a terminal. */
function pastedFault(code: string, output = ''): string | undefined {
  const lines = withoutTexts(code).split('\n')
  if (lines.some((line) => /(^|[\s;])#/.test(line)))
    return 'zsh takes a pasted comment for a command; put its words above the block.'
  if (lines.some((line) => /\$\{\w+:?\+[^}]*\s/.test(line)))
    return 'zsh does not split the alternative of a parameter into words; write it another way.'
  const is_json = /^\s*[{}]/m.test(output)
  if (is_json && lines.some((line) => prints_by_place.test(line) && !has_chosen.test(line)))
    return 'On a terminal this prints for people; add --json, since the output shown is JSON.'
  return undefined
}

/** Without here-documents and with quoted texts cut out, continued lines as one. */
function withoutTexts(code: string): string {
  const commands = code.replace(/<<'?(\w+)'?([^\n]*)\n[\s\S]*?\n\1$/gm, '$2').replaceAll('\\\n', ' ')
  return commands.replace(/'[^']*'|"(?:\\[\s\S]|[^"\\])*"|\\./g, "''")
}

const missing_output =
  'This block has no expected output; add a block "output" right after it, or mark it (not run: reason).'
