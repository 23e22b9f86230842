// The product's code as the compiler sees it: syntax, symbols and types.
import { join } from 'node:path'
import ts from 'typescript-compiler-api'

export function openProgram(root: string, files: readonly string[]): ts.Program {
  const { config, error } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile)
  if (error) throw new Error(ts.flattenDiagnosticMessageText(error.messageText, '\n'))
  const { options } = ts.parseJsonConfigFileContent({ ...config, files: [], include: [] }, ts.sys, root)
  return ts.createProgram(files, options)
}

/** Unwraps brackets, casts and `await`. */
export function bare(node: ts.Expression): ts.Expression {
  if (
    ts.isParenthesizedExpression(node) ||
    ts.isAsExpression(node) ||
    ts.isSatisfiesExpression(node) ||
    ts.isNonNullExpression(node) ||
    ts.isAwaitExpression(node)
  )
    return bare(node.expression)
  return node
}

export function eachNode(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => eachNode(child, visit))
}

export function placeOf(root: string, node: ts.Node): { path: string; line: number } {
  const file = node.getSourceFile()
  const { line } = file.getLineAndCharacterOfPosition(node.getStart())
  return { path: file.fileName.slice(root.length + 1), line: line + 1 }
}
