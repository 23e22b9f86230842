// Every statement of the product: its place, its possible texts, and the row that the code expects.
import ts from 'typescript-compiler-api'
import { type Parameter, Unresolved, type Variant, variantsOf } from './pieces.ts'
import { bare, eachNode } from './program.ts'
import { isFragment, isSqlTemplate, Resolver } from './resolver.ts'

export interface FoundStatement {
  readonly node: ts.Node
  readonly row: ts.Type | undefined
  readonly variants: readonly Variant[]
}

export interface Unchecked {
  readonly node: ts.Node
  readonly why: string
}

export interface Found {
  readonly statements: readonly FoundStatement[]
  readonly unchecked: readonly Unchecked[]
}

/** A place where a statement is sent: its text or fragment, its row, and its values if separate. */
interface Sent {
  readonly text: ts.Expression
  readonly row: ts.Type | undefined
  readonly values?: ts.Expression | undefined
}

export function findStatements(program: ts.Program, files: readonly ts.SourceFile[]): Found {
  const checker = program.getTypeChecker()
  const resolver = new Resolver(program, files)
  const statements: FoundStatement[] = []
  const unchecked: Unchecked[] = []
  const templates: ts.Node[] = []
  const add = (node: ts.Node) => {
    if (isSqlTemplate(node)) templates.push(node)
    const sent = ts.isCallExpression(node) && (executed(node, checker) ?? queried(node, checker))
    if (!sent) return
    try {
      const variants = variantsOf(resolver.piecesOf(sent.text))
      const parameters = sent.values && parametersOf(sent.values, checker)
      const whole = parameters ? variants.map(({ text }) => ({ text, parameters })) : variants
      statements.push({ node: sent.text, row: sent.row, variants: whole })
    } catch (error) {
      if (!(error instanceof Unresolved)) throw error
      unchecked.push({ node: sent.text, why: error.message })
    }
  }
  for (const file of files) if (/sql|query/.test(file.text)) eachNode(file, add)
  const loose = templates.filter((node) => !resolver.reached.has(node))
  const why = 'no statement that can be followed uses it'
  return { statements, unchecked: [...unchecked, ...loose.map((node) => ({ node, why }))] }
}

const senders = new Set(['execute', 'all', 'first', 'exists'])

/** `statement.execute(db)`, and the ways to read its rows; `this` is in the tag's own code. */
function executed({ expression: callee }: ts.CallExpression, checker: ts.TypeChecker): Sent | undefined {
  if (!ts.isPropertyAccessExpression(callee) || !senders.has(callee.name.text)) return undefined
  if (callee.expression.kind === ts.SyntaxKind.ThisKeyword) return undefined
  const type = checker.getTypeAtLocation(callee.expression)
  if (!isFragment(type)) return undefined
  const [row] = checker.getTypeArguments(type as ts.TypeReference)
  return { text: callee.expression, row }
}

/** `query<Row>(text, values)`, also of the driver, which accepts an object as well. */
function queried(node: ts.CallExpression, checker: ts.TypeChecker): Sent | undefined {
  const callee = ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression
  const [first, values] = node.arguments
  if (!first || !/^#?query$/.test(callee.getText())) return undefined
  const declared = checker.getResolvedSignature(node)?.declaration
  const is_driver = declared?.getSourceFile().fileName.includes('/@types/pg/') ?? false
  if (!is_driver && !/^(sql|text)$/.test(declared?.parameters[0]?.name.getText() ?? '')) return undefined
  const row_type = node.typeArguments?.[0]
  const row = row_type && checker.getTypeFromTypeNode(row_type)
  const object = literalOf(first, checker)
  if (!object) return { text: first, row, values }
  const text = memberOf(object, 'text')
  return text && { text, row, values: memberOf(object, 'values') }
}

function literalOf(node: ts.Expression, checker: ts.TypeChecker): ts.ObjectLiteralExpression | undefined {
  const value = constantOf(node, checker)
  return ts.isObjectLiteralExpression(value) ? value : undefined
}

function constantOf(node: ts.Expression, checker: ts.TypeChecker): ts.Expression {
  const symbol = ts.isShorthandPropertyAssignment(node.parent)
    ? checker.getShorthandAssignmentValueSymbol(node.parent)
    : checker.getSymbolAtLocation(node)
  const declared = ts.isIdentifier(node) ? symbol?.valueDeclaration : undefined
  return declared && ts.isVariableDeclaration(declared) && declared.initializer
    ? bare(declared.initializer)
    : bare(node)
}

function memberOf(object: ts.ObjectLiteralExpression, name: string): ts.Expression | undefined {
  const property = object.properties.find((one) => one.name?.getText() === name)
  if (!property) return undefined
  if (ts.isPropertyAssignment(property)) return property.initializer
  return ts.isShorthandPropertyAssignment(property) ? property.name : undefined
}

/** As far as their number is known; the rest is not compared. */
function parametersOf(values: ts.Expression, checker: ts.TypeChecker): Parameter[] {
  const list = constantOf(values, checker)
  if (ts.isArrayLiteralExpression(list)) {
    const spread = list.elements.findIndex(ts.isSpreadElement)
    const elements = spread < 0 ? list.elements : list.elements.slice(0, spread)
    return elements.map((at) => ({ type: checker.getTypeAtLocation(at), at }))
  }
  const type = checker.getTypeAtLocation(values)
  if (!checker.isTupleType(type)) return []
  return checker.getTypeArguments(type as ts.TypeReference).map((one) => ({ type: one, at: values }))
}
