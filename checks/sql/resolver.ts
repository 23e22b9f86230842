// From an expression to its SQL, through constants, functions, conditions and lists of fragments.
import ts from 'typescript-compiler-api'
import { choice, type Piece, Unresolved } from './pieces.ts'
import { bare } from './program.ts'
import { type Given, type Scope, Values } from './values.ts'

const depth_max = 60
const nothing: Scope = new Map()

export class Resolver {
  readonly #values: Values
  readonly #checker: ts.TypeChecker
  /** Every template that is part of a statement. */
  readonly reached = new Set<ts.Node>()
  #depth = 0

  constructor(program: ts.Program, files: readonly ts.SourceFile[]) {
    this.#values = new Values(program, files)
    this.#checker = this.#values.checker
  }

  piecesOf(node: ts.Expression, scope: Scope = nothing): Piece[] {
    if (++this.#depth > depth_max) throw new Unresolved(node, 'it leads too deep, or back to itself')
    try {
      return this.#resolve(bare(node), scope)
    } finally {
      this.#depth--
    }
  }

  #resolve(node: ts.Expression, scope: Scope): Piece[] {
    if (isSqlTemplate(node)) return this.#template(node, scope)
    if (ts.isStringLiteralLike(node) || ts.isNumericLiteral(node)) return [node.text]
    if (ts.isTemplateExpression(node)) {
      const spans = node.templateSpans.map((span) => [
        ...this.piecesOf(span.expression, scope),
        span.literal.text,
      ])
      return [node.head.text, ...spans.flat()]
    }
    if (ts.isConditionalExpression(node))
      return choice([this.piecesOf(node.whenTrue, scope), this.piecesOf(node.whenFalse, scope)])
    if (ts.isBinaryExpression(node)) return this.#binary(node, scope)
    if (ts.isCallExpression(node)) return this.#call(node, scope)
    if (ts.isIdentifier(node)) {
      const literals = this.#values.isGiven(node, scope) ? undefined : this.#literals(node)
      return literals ?? this.#oneOf(node, this.#values.ofName(node, scope))
    }
    if (ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node))
      return this.#literals(node) ?? this.#oneOf(node, this.#values.ofMember(node, scope))
    throw new Unresolved(node, `${node.getText().slice(0, 60)} cannot be followed`)
  }

  #oneOf(node: ts.Node, values: readonly Given[]): Piece[] {
    if (values.length === 0)
      throw new Unresolved(node, `${node.getText().slice(0, 60)} has no value that can be followed`)
    return choice(values.map(({ expression, scope }) => this.piecesOf(expression, scope)))
  }

  #template(node: ts.TaggedTemplateExpression, scope: Scope): Piece[] {
    this.reached.add(node)
    const { template } = node
    if (ts.isNoSubstitutionTemplateLiteral(template)) return [template.text]
    const spans = template.templateSpans.map(({ expression, literal }) => [
      ...this.#interpolated(expression, scope),
      literal.text,
    ])
    return [template.head.text, ...spans.flat()]
  }

  /** SQL if it is a fragment, otherwise a parameter. */
  #interpolated(node: ts.Expression, scope: Scope): Piece[] {
    const type = this.#checker.getTypeAtLocation(node)
    return isFragment(type) ? this.piecesOf(node, scope) : [{ type, at: node }]
  }

  #literals(node: ts.Expression): Piece[] | undefined {
    const type = this.#checker.getTypeAtLocation(node)
    const types = type.isUnion() ? type.types : [type]
    const values = types.map((one) =>
      one.isStringLiteral() || one.isNumberLiteral() ? one.value : undefined,
    )
    return values.includes(undefined) ? undefined : choice(values.map((value) => [String(value)]))
  }

  #binary(node: ts.BinaryExpression, scope: Scope): Piece[] {
    const [left, right] = [node.left, node.right]
    switch (node.operatorToken.kind) {
      case ts.SyntaxKind.PlusToken:
        return [...this.piecesOf(left, scope), ...this.piecesOf(right, scope)]
      case ts.SyntaxKind.AmpersandAmpersandToken:
        return this.piecesOf(right, scope)
      case ts.SyntaxKind.QuestionQuestionToken:
      case ts.SyntaxKind.BarBarToken:
        return choice([this.piecesOf(left, scope), this.piecesOf(right, scope)])
    }
    throw new Unresolved(node, `${node.getText().slice(0, 60)} cannot be followed`)
  }

  #call(node: ts.CallExpression, scope: Scope): Piece[] {
    const { expression: callee } = node
    const [first] = node.arguments
    if (ts.isPropertyAccessExpression(callee) && first) {
      if (callee.expression.getText() === 'sql') return this.#sqlCall(callee.name.text, node, scope)
      if (callee.name.text === 'join') {
        const texts = this.#values.elementsOf(callee.expression, scope)
        return joined(
          texts.map((text) => this.piecesOf(text.expression, text.scope)),
          this.piecesOf(first, scope),
        )
      }
    }
    return this.#oneOf(node, this.#values.returned(node, scope))
  }

  #sqlCall(name: string, node: ts.CallExpression, scope: Scope): Piece[] {
    const [first, second] = node.arguments
    if (!first) throw new Unresolved(node, `sql.${name} is given nothing`)
    if (name === 'raw') return this.piecesOf(first, scope)
    if (name === 'join') {
      const separator = second ? this.piecesOf(second, scope) : [', ']
      return joined(this.#parametersIn(first) ?? this.#elements(first, scope), separator)
    }
    if (name === 'lit') {
      const literals = this.#literals(bare(first)) ?? ['1']
      const is_text = isKind(this.#checker.getTypeAtLocation(first), ts.TypeFlags.StringLike)
      return is_text ? ["'", ...literals, "'"] : literals
    }
    // A column or a table. Without quotes, because `r.seq` is two names.
    return this.piecesOf(first, scope)
  }

  #elements(list: ts.Expression, scope: Scope): Piece[][] {
    const values = this.#values.elementsOf(list, scope)
    return values.map((value) => this.#interpolated(value.expression, value.scope))
  }

  /** For values, not SQL: one each, as many as the type has. */
  #parametersIn(list: ts.Expression): Piece[][] | undefined {
    const type = this.#checker.getTypeAtLocation(list)
    const types = this.#checker.getTypeArguments(type as ts.TypeReference)
    if (types.length === 0 || types.some(isFragment)) return undefined
    return types.map((one) => [{ type: one, at: list }])
  }
}

function joined(elements: readonly Piece[][], separator: readonly Piece[]): Piece[] {
  return elements.flatMap((element, index) => (index === 0 ? element : [...separator, ...element]))
}

export function isSqlTemplate(node: ts.Node): node is ts.TaggedTemplateExpression {
  return ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'sql'
}

export function isFragment(type: ts.Type): boolean {
  const types = type.isUnion() ? type.types : [type]
  return types.some((one) => one.symbol?.name === 'Fragment')
}

function isKind(type: ts.Type, flags: ts.TypeFlags): boolean {
  const types = type.isUnion() ? type.types : [type]
  return types.every((one) => (one.flags & flags) !== 0)
}
