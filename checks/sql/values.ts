// Where a value comes from: the expressions behind a name, a member, a parameter or a call.
import ts from 'typescript-compiler-api'
import { blockOf, calleeName, functionOf, isFunction, returnsOf } from './functions.ts'
import { Unresolved } from './pieces.ts'
import { bare, eachNode } from './program.ts'

/** Arguments of the functions on the way here. */
export type Scope = ReadonlyMap<ts.Symbol, Given>

export interface Given {
  readonly expression: ts.Expression
  readonly scope: Scope
}

export class Values {
  readonly checker: ts.TypeChecker
  readonly #files: readonly ts.SourceFile[]
  readonly #calls = new Map<ts.Symbol, readonly ts.CallExpression[]>()

  constructor(program: ts.Program, files: readonly ts.SourceFile[]) {
    this.checker = program.getTypeChecker()
    this.#files = files
  }

  symbolOf(node: ts.Node): ts.Symbol | undefined {
    const symbol = ts.isShorthandPropertyAssignment(node.parent)
      ? this.checker.getShorthandAssignmentValueSymbol(node.parent)
      : this.checker.getSymbolAtLocation(node)
    return symbol && symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol
  }

  isGiven(node: ts.Identifier, scope: Scope): boolean {
    const symbol = this.symbolOf(node)
    return symbol !== undefined && scope.has(symbol)
  }

  ofName(node: ts.Identifier, scope: Scope): Given[] {
    const symbol = this.symbolOf(node)
    const declared = symbol?.valueDeclaration
    if (!symbol || !declared) throw new Unresolved(node, `${node.text} is declared nowhere`)
    const bound = scope.get(symbol)
    if (bound) return [bound]
    if (ts.isVariableDeclaration(declared)) return this.#ofVariable(declared, symbol, scope)
    if (ts.isBindingElement(declared)) return this.#ofBinding(declared, scope)
    if (ts.isParameter(declared)) return this.#ofParameter(declared, scope)
    throw new Unresolved(node, `${node.text} cannot be followed`)
  }

  #ofVariable(declared: ts.VariableDeclaration, symbol: ts.Symbol, scope: Scope): Given[] {
    const loop = declared.parent.parent
    if (ts.isForOfStatement(loop)) return this.elementsOf(loop.expression, scope)
    const values = declared.initializer ? [declared.initializer] : []
    return [...values, ...this.#assigned(declared, symbol)].map((expression) => ({ expression, scope }))
  }

  #assigned(declared: ts.VariableDeclaration, symbol: ts.Symbol): ts.Expression[] {
    if (declared.parent.flags & ts.NodeFlags.Const) return []
    const values: ts.Expression[] = []
    eachNode(blockOf(declared), (node) => {
      if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.EqualsToken) return
      if (ts.isIdentifier(node.left) && this.symbolOf(node.left) === symbol) values.push(node.right)
    })
    return values
  }

  /** `const { name } = …`, `const [first] = …`, or the same in a parameter. */
  #ofBinding(declared: ts.BindingElement, scope: Scope): Given[] {
    const pattern = declared.parent
    const whole = pattern.parent
    const sources = ts.isParameter(whole)
      ? this.#ofParameter(whole, scope)
      : whole.initializer
        ? [{ expression: whole.initializer, scope }]
        : []
    const members = sources.flatMap((source) =>
      ts.isArrayBindingPattern(pattern)
        ? this.#elementAt(source, pattern.elements.indexOf(declared))
        : this.memberNamed(source, (declared.propertyName ?? declared.name).getText()),
    )
    return declared.initializer ? [...members, { expression: declared.initializer, scope }] : members
  }

  #elementAt({ expression, scope }: Given, index: number): Given[] {
    const at_index = this.elementsOf(expression, scope)[index]
    return at_index ? [at_index] : []
  }

  /** Every argument passed to it anywhere, unless the path here determines it. */
  #ofParameter(declared: ts.ParameterDeclaration, scope: Scope): Given[] {
    const bound = scope.get(this.parameterSymbol(declared))
    if (bound) return [bound]
    const made = declared.parent
    const index = made.parameters.indexOf(declared)
    const mapped = this.#mappedList(made)
    if (mapped && index === 0) return this.elementsOf(mapped, scope)
    const values = this.#callsOf(made).flatMap((call) => {
      const expression = call.arguments[index] ?? declared.initializer
      return expression ? [{ expression, scope: new Map() }] : []
    })
    if (values.length === 0) throw new Unresolved(declared, `nobody passes ${declared.name.getText()}`)
    return values
  }

  /** The list whose `map` runs this function. */
  #mappedList(made: ts.SignatureDeclaration): ts.Expression | undefined {
    const call = made.parent
    if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return undefined
    return ['map', 'flatMap'].includes(call.expression.name.text) ? call.expression.expression : undefined
  }

  /** Destructured parameters have no name, but a symbol. */
  parameterSymbol(declared: ts.ParameterDeclaration): ts.Symbol {
    return (declared as unknown as { readonly symbol: ts.Symbol }).symbol
  }

  #callsOf(made: ts.SignatureDeclaration): readonly ts.CallExpression[] {
    const named = ts.isFunctionDeclaration(made) || ts.isMethodDeclaration(made) ? made : made.parent
    const name =
      ts.isFunctionLike(named) || ts.isVariableDeclaration(named) || ts.isPropertyAssignment(named)
        ? named.name
        : undefined
    const symbol = name && this.symbolOf(name)
    if (!symbol) return []
    const cached = this.#calls.get(symbol)
    if (cached) return cached
    const calls: ts.CallExpression[] = []
    for (const file of this.#files) {
      if (!file.text.includes(`${symbol.name}(`) && !file.text.includes(`${symbol.name}<`)) continue
      eachNode(file, (node) => {
        if (!ts.isCallExpression(node)) return
        const callee = calleeName(node.expression)
        if (callee.getText() === symbol.name && this.symbolOf(callee) === symbol) calls.push(node)
      })
    }
    this.#calls.set(symbol, calls)
    return calls
  }

  /** A function's return values, with its parameters bound to the call's arguments. */
  returned(node: ts.CallExpression, scope: Scope): Given[] {
    const declared = this.symbolOf(calleeName(node.expression))?.valueDeclaration
    const made = declared && functionOf(declared)
    if (!made) throw new Unresolved(node, `${node.expression.getText().slice(0, 60)} is no function of ours`)
    const inner = new Map(scope)
    made.parameters.forEach((parameter, index) => {
      const expression = node.arguments[index] ?? parameter.initializer
      if (expression) inner.set(this.parameterSymbol(parameter), { expression, scope })
    })
    return returnsOf(made).map((expression) => ({ expression, scope: inner }))
  }

  /** `a.b`, or `a[b]` for any b. */
  ofMember(node: ts.PropertyAccessExpression | ts.ElementAccessExpression, scope: Scope): Given[] {
    const source = { expression: node.expression, scope }
    if (ts.isPropertyAccessExpression(node)) return this.memberNamed(source, node.name.text)
    const properties = this.checker.getTypeAtLocation(node.expression).getProperties()
    return properties.flatMap((property) => this.memberNamed(source, property.name))
  }

  memberNamed({ expression, scope }: Given, name: string): Given[] {
    const node = bare(expression)
    if (ts.isObjectLiteralExpression(node)) return this.#ofLiteral(node, name, scope)
    if (ts.isConditionalExpression(node))
      return [node.whenTrue, node.whenFalse].flatMap((way) =>
        this.memberNamed({ expression: way, scope }, name),
      )
    if (ts.isBinaryExpression(node)) return this.memberNamed({ expression: node.right, scope }, name)
    const sources = ts.isIdentifier(node)
      ? this.ofName(node, scope)
      : ts.isCallExpression(node)
        ? this.returned(node, scope)
        : ts.isPropertyAccessExpression(node) || ts.isElementAccessExpression(node)
          ? this.ofMember(node, scope)
          : []
    if (sources.length === 0)
      throw new Unresolved(node, `${name} of ${node.getText().slice(0, 60)} cannot be followed`)
    return sources.flatMap((source) => this.memberNamed(source, name))
  }

  #ofLiteral(node: ts.ObjectLiteralExpression, name: string, scope: Scope): Given[] {
    for (const property of node.properties) {
      if (property.name?.getText() !== name) continue
      if (ts.isPropertyAssignment(property)) return [{ expression: property.initializer, scope }]
      if (ts.isShorthandPropertyAssignment(property)) return [{ expression: property.name, scope }]
    }
    const spreads = node.properties.filter(ts.isSpreadAssignment)
    return spreads.flatMap((spread) => this.memberNamed({ expression: spread.expression, scope }, name))
  }

  /** All possible elements of an array. */
  elementsOf(from: ts.Expression, scope: Scope): Given[] {
    const node = bare(from)
    const again = (values: readonly Given[]) =>
      values.flatMap((value) => this.elementsOf(value.expression, value.scope))
    if (ts.isArrayLiteralExpression(node))
      return node.elements.flatMap((element) =>
        ts.isSpreadElement(element)
          ? this.elementsOf(element.expression, scope)
          : [{ expression: element, scope }],
      )
    if (ts.isConditionalExpression(node)) {
      const [yes, no] = [this.elementsOf(node.whenTrue, scope), this.elementsOf(node.whenFalse, scope)]
      return yes.length >= no.length ? yes : no
    }
    if (ts.isIdentifier(node)) return [...again(this.ofName(node, scope)), ...this.#pushed(node, scope)]
    if (ts.isPropertyAccessExpression(node)) return again(this.ofMember(node, scope))
    if (ts.isCallExpression(node)) return this.#elementsOfCall(node, scope)
    throw new Unresolved(node, `the list ${node.getText().slice(0, 60)} cannot be followed`)
  }

  #elementsOfCall(node: ts.CallExpression, scope: Scope): Given[] {
    const { expression: callee } = node
    const [first] = node.arguments
    if (
      !ts.isPropertyAccessExpression(callee) ||
      this.symbolOf(callee.name)?.valueDeclaration?.getSourceFile().isDeclarationFile === false
    )
      return this.returned(node, scope).flatMap((value) => this.elementsOf(value.expression, value.scope))
    const { text: name } = callee.name
    if (name === 'values' && callee.expression.getText() === 'Object' && first) {
      const properties = this.checker.getTypeAtLocation(first).getProperties()
      return properties.flatMap((property) => this.memberNamed({ expression: first, scope }, property.name))
    }
    const mapper = first && bare(first)
    if ((name === 'map' || name === 'flatMap') && mapper && isFunction(mapper))
      return this.#mapped(callee.expression, mapper, scope)
    if (['filter', 'toSorted', 'toReversed', 'slice'].includes(name))
      return this.elementsOf(callee.expression, scope)
    throw new Unresolved(node, `the list ${node.getText().slice(0, 60)} cannot be followed`)
  }

  /** Once per element if they are known, otherwise once for all. */
  #mapped(list: ts.Expression, mapper: ts.ArrowFunction | ts.FunctionExpression, scope: Scope): Given[] {
    const [parameter] = mapper.parameters
    const elements = this.#knownElements(list, scope)
    if (!parameter || !elements) return returnsOf(mapper).map((expression) => ({ expression, scope }))
    return elements.flatMap((element) => {
      const inner = new Map([...scope, [this.parameterSymbol(parameter), element]])
      return returnsOf(mapper).map((expression) => ({ expression, scope: inner }))
    })
  }

  #knownElements(list: ts.Expression, scope: Scope): Given[] | undefined {
    try {
      return this.elementsOf(list, scope)
    } catch (error) {
      if (error instanceof Unresolved) return undefined
      throw error
    }
  }

  /** `tests.push(…)`, anywhere. */
  #pushed(node: ts.Identifier, scope: Scope): Given[] {
    const symbol = this.symbolOf(node)
    const declared = symbol?.valueDeclaration
    if (!declared || !ts.isVariableDeclaration(declared)) return []
    const pushed: Given[] = []
    eachNode(blockOf(declared), (call) => {
      if (!ts.isCallExpression(call) || !ts.isPropertyAccessExpression(call.expression)) return
      const { expression: list, name } = call.expression
      if (name.text !== 'push' || !ts.isIdentifier(list) || this.symbolOf(list) !== symbol) return
      for (const expression of call.arguments) pushed.push({ expression, scope })
    })
    return pushed
  }
}
