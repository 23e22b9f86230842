// Names and sizes. A file that fits only a banned name is not understood yet.
import {
  isArrowFunction,
  isCallExpression,
  isConstructorDeclaration,
  isFunctionDeclaration,
  isFunctionExpression,
  isMethodDeclaration,
  type Node,
} from 'typescript/unstable/ast'
import { everyNode, type Finding, lineOf, type Source } from './source.ts'

/** Never a name, nor a part of one: `string-utils` is as vague as `utils`. */
const banned_words = ['util', 'utils', 'helper', 'helpers', 'manager', 'impl', 'misc']
const banned_names = [...banned_words, 'common', 'shared', 'core', 'internal', 'lib', 'types', 'index']

export function findBannedNames(sources: readonly Source[]): Finding[] {
  return sources.flatMap(({ path }) => {
    const names = path.split('/').map((name) => name.replace(/(\.test|\.fuzz)?\.tsx?$/, ''))
    const bad = names.find(
      (name) =>
        banned_names.includes(name) || name.split(/[-_.]/).some((word) => banned_words.includes(word)),
    )
    return bad === undefined
      ? []
      : [{ path, line: 1, advice: `"${bad}" names no thing; call it after what it holds` }]
  })
}

const file_lines_max = 300
const test_lines_max = 400
/** The guideline is about fifty; the check is a little more lenient. */
const function_lines_max = 60

/** Files that were too long when listed, and their length. Entries only shrink or go; none is added. */
const long_files: Readonly<Record<string, number>> = {}
const long_functions: Readonly<Record<string, number>> = {}

export function findLongFiles(sources: readonly Source[], listed = long_files): Finding[] {
  const lengths = sources.map((source) => {
    const limit = source.is_test ? test_lines_max : file_lines_max
    return {
      key: source.path,
      path: source.path,
      line: 1,
      lines: lineOf(source, source.tree.text.trimEnd().length),
      limit,
    }
  })
  return ratchet(lengths, listed, 'long_files')
}

export function findLongFunctions(sources: readonly Source[], listed = long_functions): Finding[] {
  const lengths: Length[] = []
  for (const source of sources) {
    everyNode(source, (node) => {
      if (!isFunction(node) || isSuite(node)) return
      const line = lineOf(source, node.getStart(source.tree))
      const lines = lineOf(source, node.getEnd()) - line + 1
      lengths.push({
        key: `${source.path}#${nameOf(node)}`,
        path: source.path,
        line,
        lines,
        limit: function_lines_max,
      })
    })
  }
  return ratchet(lengths, listed, 'long_functions')
}

function isFunction(node: Node): boolean {
  return (
    isFunctionDeclaration(node) ||
    isFunctionExpression(node) ||
    isArrowFunction(node) ||
    isMethodDeclaration(node) ||
    isConstructorDeclaration(node)
  )
}

/** A suite's body is a list of tests, not a function to follow. */
function isSuite(node: Node): boolean {
  return isCallExpression(node.parent) && ['describe', 'suite'].includes(node.parent.expression.getText())
}

/** Its own name, or that of the variable or field it is assigned to. */
function nameOf(node: Node): string {
  for (const holder of [node, node.parent]) {
    const name = (holder as { name?: Node }).name
    if (name) return name.getText()
  }
  return 'anonymous'
}

interface Length {
  readonly key: string
  readonly path: string
  readonly line: number
  readonly lines: number
  readonly limit: number
}

/** Too long is a finding unless listed; so are growth past the listed length and an unnecessary entry. */
function ratchet(
  lengths: readonly Length[],
  listed: Readonly<Record<string, number>>,
  table: string,
): Finding[] {
  const findings: Finding[] = []
  const needed = new Set<string>()
  for (const { key, path, line, lines, limit } of lengths) {
    if (lines <= limit) continue
    needed.add(key)
    const allowed = listed[key] ?? limit
    if (lines > allowed)
      findings.push({
        path,
        line,
        advice: `${key} has ${lines} lines and may have ${allowed}; split it by what its parts do`,
      })
  }
  for (const key of Object.keys(listed)) {
    if (!needed.has(key))
      findings.push({
        path: 'checks/tidy/shape.ts',
        line: 1,
        advice: `${key} is no longer too long; take it out of ${table}`,
      })
  }
  return findings
}
