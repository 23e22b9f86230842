// Counts which blocks of chosen modules run: a load hook inserts a call at the start of every block, branch
// and function. The same calls limit the effort of one input, so that no clock decides.
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript-compiler-api'

const root = join(import.meta.dirname, '..', '..')
const blocks_max = 65_536
const word_chars_max = 40
const counter_name = '__count_block'

/** Thrown inside a parser that takes too many steps; also seen where the parser catches everything. */
class EffortExceeded extends Error {}

interface Block {
  readonly path: string
  /** The first block of the function it is in. */
  readonly entry: number
}

export class Coverage {
  readonly blocks: Block[] = []
  /** Texts in the instrumented modules, by path: a parser compares its input with them. */
  readonly words = new Map<string, Set<string>>()
  readonly counts = new Uint32Array(blocks_max)
  /** The blocks of the current input, each once. */
  readonly touched: number[] = []
  steps = 0
  #steps_max = Number.POSITIVE_INFINITY

  begin(steps_max: number): void {
    for (const block of this.touched) this.counts[block] = 0
    this.touched.length = 0
    this.steps = 0
    this.#steps_max = steps_max
  }

  isExceeded(): boolean {
    return this.steps > this.#steps_max
  }

  count(block: number): void {
    if (this.counts[block]!++ === 0) this.touched.push(block)
    if (++this.steps > this.#steps_max) throw new EffortExceeded('too many steps')
  }

  addBlock(path: string, entry?: number): number {
    if (this.blocks.length >= blocks_max) throw new Error(`more than ${blocks_max} blocks are instrumented`)
    return this.blocks.push({ path, entry: entry ?? this.blocks.length }) - 1
  }
}

/** From here on, modules below these path prefixes are loaded with counters. */
export function instrumentModules(prefixes: readonly string[]): Coverage {
  const coverage = new Coverage()
  Object.defineProperty(globalThis, counter_name, { value: (block: number) => coverage.count(block) })
  registerHooks({
    load(url, context, nextLoad) {
      const path = url.startsWith('file:') ? fileURLToPath(url).slice(root.length + 1) : ''
      const is_chosen = prefixes.some((prefix) => path.startsWith(prefix))
      if (!is_chosen || !/\.m?[jt]s$/.test(path) || context.format === 'commonjs')
        return nextLoad(url, context)
      const source = withCounters(readFileSync(join(root, path), 'utf8'), path, coverage)
      return { format: path.endsWith('.ts') ? 'module-typescript' : 'module', source, shortCircuit: true }
    },
  })
  return coverage
}

interface Insertion {
  readonly at: number
  readonly text: string
}

/** By text and place, so that everything else stays exactly as it was written. */
function withCounters(text: string, path: string, coverage: Coverage): string {
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true)
  const insertions: Insertion[] = []
  const words = new Set<string>()
  coverage.words.set(path, words)
  const visit = (node: ts.Node, entry: number | undefined): void => {
    const word = wordOf(node)
    if (word !== undefined && word.length > 0 && word.length <= word_chars_max) words.add(word)
    let inner = entry
    for (const part of partsOf(node)) {
      const is_body = ts.isFunctionLike(node)
      const block = coverage.addBlock(path, is_body ? undefined : entry)
      if (is_body) inner = block
      insertions.push(...insertionsFor(part, `${counter_name}(${block})`))
    }
    ts.forEachChild(node, (child) => visit(child, inner))
  }
  visit(file, undefined)
  return inserted(text, insertions)
}

/** What runs only sometimes: bodies, branches, cases, and the right side of operators that may skip it. */
function partsOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isFunctionLike(node)) return 'body' in node && node.body ? [node.body as ts.Node] : []
  if (ts.isIfStatement(node))
    return [node.thenStatement, node.elseStatement].filter((part) => part !== undefined)
  if (ts.isIterationStatement(node, false)) return [node.statement]
  if (ts.isCaseOrDefaultClause(node)) return node.statements.slice(0, 1)
  if (ts.isCatchClause(node)) return [node.block]
  if (ts.isConditionalExpression(node)) return [node.whenTrue, node.whenFalse]
  return ts.isBinaryExpression(node) && isSkipping(node.operatorToken.kind) ? [node.right] : []
}

function isSkipping(kind: ts.SyntaxKind): boolean {
  return [
    ts.SyntaxKind.AmpersandAmpersandToken,
    ts.SyntaxKind.BarBarToken,
    ts.SyntaxKind.QuestionQuestionToken,
    ts.SyntaxKind.AmpersandAmpersandEqualsToken,
    ts.SyntaxKind.BarBarEqualsToken,
    ts.SyntaxKind.QuestionQuestionEqualsToken,
  ].includes(kind)
}

function insertionsFor(part: ts.Node, call: string): Insertion[] {
  const [start, end] = [part.getStart(), part.getEnd()]
  if (ts.isCaseOrDefaultClause(part.parent)) return [{ at: start, text: `${call};` }]
  if (ts.isBlock(part)) return [{ at: start + 1, text: `${call};` }]
  const [open, close] = ts.isStatement(part) ? [`{${call};`, '\n}'] : [`(${call},`, ')']
  return [
    { at: start, text: open },
    { at: end, text: close },
  ]
}

/** Parts that begin at one place are nested outermost first; those that end there close innermost first. */
function inserted(text: string, insertions: readonly Insertion[]): string {
  const closing = (one: Insertion) => one.text === ')' || one.text === '\n}'
  const order = insertions.map((one, place) => ({ ...one, rank: closing(one) ? -place : place }))
  order.sort((a, b) => a.at - b.at || Number(closing(b)) - Number(closing(a)) || a.rank - b.rank)
  let [result, from] = [`const ${counter_name} = globalThis.${counter_name};`, 0]
  for (const { at, text: call } of order) {
    result += text.slice(from, at) + call
    from = at
  }
  return result + text.slice(from)
}

function wordOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node))
    return ts.isImportDeclaration(node.parent) ? undefined : node.text
  if (ts.isPropertyAssignment(node) && ts.isIdentifier(node.name)) return node.name.text
  return undefined
}
