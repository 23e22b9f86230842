// Functions as the compiler sees them: their calls, and their return values.
import ts from 'typescript-compiler-api'
import { bare } from './program.ts'

/** The called name: `f`, or the last of `a.b.f`. */
export function calleeName(callee: ts.Expression): ts.Node {
  const node = bare(callee)
  return ts.isPropertyAccessExpression(node) ? node.name : node
}

export function isFunction(node: ts.Node): node is ts.ArrowFunction | ts.FunctionExpression {
  return ts.isArrowFunction(node) || ts.isFunctionExpression(node)
}

export function functionOf(declared: ts.Declaration): ts.FunctionLikeDeclaration | undefined {
  if (ts.isFunctionDeclaration(declared) || ts.isMethodDeclaration(declared)) return declared
  const initializer =
    ts.isVariableDeclaration(declared) || ts.isPropertyAssignment(declared) ? declared.initializer : undefined
  const made = initializer && bare(initializer)
  return made && isFunction(made) ? made : undefined
}

export function returnsOf(made: ts.FunctionLikeDeclaration): ts.Expression[] {
  const { body } = made
  if (!body) return []
  if (!ts.isBlock(body)) return [body]
  const returned: ts.Expression[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) return
    if (ts.isReturnStatement(node) && node.expression) returned.push(node.expression)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(body, visit)
  return returned
}

export function blockOf(node: ts.Node): ts.Node {
  let block = node.parent
  while (!ts.isBlock(block) && !ts.isSourceFile(block)) block = block.parent
  return block
}
