// Every small change of a source text that a good test notices: operators, conditions, constants, calls, statements.
import ts from 'typescript-compiler-api'

/** Replaces the text from `start` to `end`. */
export interface Mutant {
  readonly start: number
  readonly end: number
  readonly text: string
}

const other_operators: Readonly<Record<string, readonly string[]>> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
  '**': ['*'],
  '<<': ['>>'],
  '>>': ['<<'],
  '&': ['|'],
  '|': ['&'],
  '&&': ['||'],
  '||': ['&&'],
  '+=': ['-='],
  '-=': ['+='],
  '*=': ['/='],
  '||=': ['&&='],
  '??=': ['='],
}
const other_methods: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  find: 'findLast',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  padStart: 'padEnd',
  padEnd: 'padStart',
  indexOf: 'lastIndexOf',
  lastIndexOf: 'indexOf',
  floor: 'ceil',
  ceil: 'floor',
  round: 'floor',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
  push: 'unshift',
  pop: 'shift',
  shift: 'pop',
  reduceRight: 'reduce',
}
/** `list.filter(f)` becomes `list`. */
const omitted_methods = new Set(
  'filter sort toSorted reverse toReversed slice trim flat replace replaceAll toWellFormed'.split(' '),
)

export function mutantsOf(source: string): Mutant[] {
  const tree = parse(source)
  const by_place = new Map<string, Mutant>()
  const visit = (node: ts.Node): void => {
    if (isWithoutEffect(node)) return
    for (const [part, text] of changesOf(node)) {
      const mutant = { start: part.getStart(tree), end: part.getEnd(), text }
      by_place.set(JSON.stringify(mutant), mutant)
    }
    ts.forEachChild(node, visit)
  }
  visit(tree)
  return [...by_place.values()].sort((a, b) => a.start - b.start || a.end - b.end)
}

function parse(source: string): ts.SourceFile {
  return ts.createSourceFile('source.ts', source, ts.ScriptTarget.ESNext, true)
}

/** Types and imports have no effect. A schema's description is compared with generated/ instead. */
function isWithoutEffect(node: ts.Node): boolean {
  return (
    ts.isTypeNode(node) ||
    ts.isInterfaceDeclaration(node) ||
    ts.isTypeAliasDeclaration(node) ||
    ts.isImportDeclaration(node) ||
    ts.isTaggedTemplateExpression(node) ||
    (ts.isPropertyAssignment(node) && node.name.getText() === 'description')
  )
}

type Change = readonly [part: ts.Node, text: string]

function changesOf(node: ts.Node): readonly Change[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node)
  if (ts.isStatement(node)) return ofStatement(node)
  if (ts.isConditionalExpression(node)) return eitherWay(node.condition)
  if (ts.isFunctionLike(node)) return ofFunction(node)
  if (ts.isSpreadElement(node)) return [[node.expression, '[]']]
  if (ts.isSpreadAssignment(node)) return [[node.expression, '{}']]
  if (ts.isPrefixUnaryExpression(node) || ts.isPostfixUnaryExpression(node)) return ofUnary(node)
  return [...ofLiteral(node), ...ofChain(node)]
}

const eitherWay = (condition: ts.Node): Change[] => [
  [condition, 'true'],
  [condition, 'false'],
]

function ofBinary(node: ts.BinaryExpression): Change[] {
  const { left, right, operatorToken } = node
  const operator = operatorToken.getText()
  const others = (other_operators[operator] ?? []).map((text) => [operatorToken, text] as const)
  if (!['&&', '||', '??'].includes(operator)) return others
  return [...others, [node, left.getText()], [node, right.getText()]]
}

function ofUnary(node: ts.PrefixUnaryExpression | ts.PostfixUnaryExpression): Change[] {
  const operand = node.operand.getText()
  const is_prefix = ts.isPrefixUnaryExpression(node)
  if (node.operator === ts.SyntaxKind.PlusPlusToken || node.operator === ts.SyntaxKind.MinusMinusToken) {
    const other = node.operator === ts.SyntaxKind.PlusPlusToken ? '--' : '++'
    return [[node, is_prefix ? other + operand : operand + other]]
  }
  return [[node, operand]]
}

function ofStatement(node: ts.Statement): readonly Change[] {
  if (ts.isIfStatement(node)) return eitherWay(node.expression)
  if (ts.isWhileStatement(node)) return [[node.expression, 'false']]
  if (ts.isForStatement(node)) return node.condition ? [[node.condition, 'false']] : []
  if (ts.isFunctionDeclaration(node)) return ofFunction(node)
  const is_removable =
    ts.isExpressionStatement(node) ||
    ts.isThrowStatement(node) ||
    ts.isBreakOrContinueStatement(node) ||
    (ts.isReturnStatement(node) && !isFunctionEnd(node))
  return is_removable && !isWholeBranch(node) ? [[node, ';']] : []
}

function isFunctionEnd({ parent }: ts.Statement): boolean {
  return ts.isBlock(parent) && ts.isFunctionLike(parent.parent)
}

/** Its `if` has a mutant that is never taken, which does the same. */
function isWholeBranch({ parent }: ts.Node): boolean {
  if (ts.isBlock(parent) && parent.statements.length === 1) return isWholeBranch(parent)
  return ts.isIfStatement(parent) && parent.elseStatement === undefined
}

function ofFunction(node: ts.Node): readonly Change[] {
  const { body } = node as Partial<ts.FunctionLikeDeclaration>
  if (!body) return []
  if (!ts.isBlock(body)) return [[body, 'undefined']]
  return body.statements.length > 0 ? [[body, '{}']] : []
}

function ofLiteral(node: ts.Node): readonly Change[] {
  const text = node.getText()
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']]
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']]
  if (ts.isNumericLiteral(node)) return [[node, String(Number(text.replaceAll('_', '')) + 1)]]
  if (ts.isBigIntLiteral(node)) return [[node, `${BigInt(text.slice(0, -1).replaceAll('_', '')) + 1n}n`]]
  if (ts.isRegularExpressionLiteral(node)) return ofPattern(node)
  if (ts.isTemplateExpression(node)) return [[node, "''"]]
  if (!ts.isStringLiteralLike(node) || isName(node)) return []
  return [[node, node.text === '' ? "'mutant'" : "''"]]
}

function isName(node: ts.Node): boolean {
  return ts.isPropertyAssignment(node.parent) && node.parent.name === node
}

function ofPattern(node: ts.RegularExpressionLiteral): readonly Change[] {
  const text = node.getText()
  const without_start = text.replace(/^\/\^/, '/')
  const without_end = text.replace(/\$(\/[a-z]*)$/, '$1')
  return [without_start, without_end].filter((other) => other !== text).map((other) => [node, other])
}

function ofChain(node: ts.Node): readonly Change[] {
  const changes: Change[] = []
  if (ts.isPropertyAccessChain(node) && node.questionDotToken) changes.push([node.questionDotToken, '.'])
  if ((ts.isElementAccessChain(node) || ts.isCallChain(node)) && node.questionDotToken)
    changes.push([node.questionDotToken, ''])
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return changes
  const { name, expression } = node.expression
  if (Object.hasOwn(other_methods, name.text)) changes.push([name, other_methods[name.text]!])
  if (omitted_methods.has(name.text)) changes.push([node, expression.getText()])
  return changes
}

/** The mutated text. Each turn of a loop calls `tick`, so that a loop that no longer ends is noticed. */
export function applyMutant(source: string, mutant: Mutant | undefined, tick: string): string {
  const { start, end } = mutant ?? { start: -1, end: -1 }
  const edits = loopEdits(source, tick).filter((edit) => edit.start <= start || edit.start >= end)
  const all = mutant ? [...edits, mutant] : edits
  // From the end, so that earlier places stay valid.
  return all
    .toSorted((a, b) => b.start - a.start || b.end - a.end)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), source)
}

function loopEdits(source: string, tick: string): Mutant[] {
  const tree = parse(source)
  const edits: Mutant[] = []
  const insert = (place: number, text: string) => edits.push({ start: place, end: place, text })
  const visit = (node: ts.Node): void => {
    ts.forEachChild(node, visit)
    if (!ts.isIterationStatement(node, false)) return
    const { statement } = node
    const start = statement.getStart(tree)
    if (ts.isBlock(statement)) insert(start + 1, tick)
    else {
      insert(start, `{${tick}`)
      insert(statement.getEnd(), '}')
    }
  }
  visit(tree)
  return edits
}
