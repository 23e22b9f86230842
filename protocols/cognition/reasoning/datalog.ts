// `datalog:` premises: `p(X) :- q(X), not r(X), -s(X), X > 3.` `-` is explicit negation, `not` is NAF.
import {
  args_max,
  body_literals_max,
  type Clause,
  type Condition,
  comparisons,
  constantOf,
  type Literal,
  type Term,
  variable,
} from './clause.ts'

export class Unparsed extends Error {}

interface Token {
  readonly kind: 'word' | 'variable' | 'quoted' | 'number' | 'mark'
  readonly text: string
}

const token_form =
  /\s+|%[^\n]*|(?<variable>[A-Z_][A-Za-z0-9_]*)|(?<word>[a-z][A-Za-z0-9_]*)|(?<number>-?\d{1,15}(?:\.\d{1,15})?)|'(?<quoted>(?:[^'\\]|\\.)*)'|(?<mark>:-|<=|>=|!=|=<|[-~().,<>=?])/sy

export function parseDatalog(text: string, source: number): Clause[] {
  const reader = openReader(tokenize(text))
  const clauses: Clause[] = []
  while (!reader.done()) clauses.push(readClause(reader, source))
  if (clauses.length === 0) throw new Unparsed('there is no clause after datalog:')
  return clauses
}

/** `?- p(X), q(X).`, also without `?-`. */
export function parseDatalogQuery(text: string): Condition[] {
  const reader = openReader(tokenize(text))
  if (reader.takeIf('?')) reader.take('-')
  const conditions = readConditions(reader)
  if (!reader.done()) reader.takeIf('.')
  reader.takeIf('?')
  if (!reader.done()) throw new Unparsed('there is something after the query')
  return conditions
}

function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  token_form.lastIndex = 0
  while (token_form.lastIndex < text.length) {
    const at = token_form.lastIndex
    const match = token_form.exec(text)
    if (!match) throw new Unparsed(`character ${at + 1} begins nothing that datalog knows`)
    const [kind, value] = Object.entries(match.groups!).find(([, group]) => group !== undefined) ?? []
    if (kind === undefined) continue
    const content = kind === 'quoted' ? value!.replace(/\\(.)/gs, '$1') : value!
    if (content.startsWith('#'))
      throw new Unparsed('names that start with # belong to the engine; write another')
    tokens.push({ kind: kind as Token['kind'], text: content })
  }
  return tokens
}

interface Reader {
  done(): boolean
  peek(): Token | undefined
  next(): Token
  takeIf(mark: string): boolean
  take(mark: string): void
  /** A unique name for each `_`. */
  anonymous(): string
}

function openReader(tokens: readonly Token[]): Reader {
  let at = 0
  let unnamed = 0
  const peek = () => tokens[at]
  const isMark = (mark: string) => {
    const token = peek()
    return token !== undefined && token.text === mark && token.kind !== 'quoted'
  }
  const takeIf = (mark: string) => {
    const there = isMark(mark)
    if (there) at += 1
    return there
  }
  return {
    done: () => at >= tokens.length,
    peek,
    next() {
      const token = peek()
      if (!token) throw new Unparsed('the clause ends too early')
      at += 1
      return token
    },
    takeIf,
    take(mark) {
      if (!takeIf(mark))
        throw new Unparsed(`${mark} is expected ${peek() ? `before ${peek()!.text}` : 'at the end'}`)
    },
    anonymous: () => `_${unnamed++}`,
  }
}

function readClause(reader: Reader, source: number): Clause {
  const head = readCondition(reader)
  if (head.naf || comparisons.has(head.predicate))
    throw new Unparsed('a conclusion is one literal, not a test')
  const body = reader.takeIf(':-') ? readConditions(reader) : []
  if (!reader.done()) reader.take('.')
  const { predicate, negated, args } = head
  return { head: { predicate, negated, args }, body, source }
}

function readConditions(reader: Reader): Condition[] {
  const conditions = [readCondition(reader)]
  while (reader.takeIf(',')) conditions.push(readCondition(reader))
  if (conditions.length > body_literals_max)
    throw new Unparsed(`a rule has at most ${body_literals_max} conditions`)
  return conditions
}

function readCondition(reader: Reader): Condition {
  if (reader.peek()?.kind === 'word' && reader.takeIf('not')) {
    const inner = readCondition(reader)
    if (inner.naf || comparisons.has(inner.predicate)) throw new Unparsed('not stands before one literal')
    return { ...inner, naf: true }
  }
  const negated = reader.takeIf('-') || reader.takeIf('~')
  const first = reader.next()
  if (reader.takeIf('(')) return { ...readAtom(first, reader), negated }
  const operator = reader.peek()
  const sign = operator?.kind === 'mark' ? operator.text.replace('=<', '<=') : ''
  if (comparisons.has(sign)) {
    if (negated) throw new Unparsed('a comparison is not negated with -')
    reader.next()
    return { predicate: sign, negated: false, args: [termOf(first, reader), termOf(reader.next(), reader)] }
  }
  if (first.kind !== 'word' && first.kind !== 'quoted') throw new Unparsed(`${first.text} is no predicate`)
  return { predicate: first.text, negated, args: [] }
}

function readAtom(name: Token, reader: Reader): Literal {
  if (name.kind !== 'word' && name.kind !== 'quoted') throw new Unparsed(`${name.text} is no predicate`)
  const args: Term[] = []
  if (!reader.takeIf(')')) {
    do args.push(termOf(reader.next(), reader))
    while (reader.takeIf(','))
    reader.take(')')
  }
  if (args.length > args_max) throw new Unparsed(`a predicate has at most ${args_max} arguments`)
  return { predicate: name.text, negated: false, args }
}

function termOf({ kind, text }: Token, reader: Reader): Term {
  if (kind === 'mark') throw new Unparsed(`${text} is no term`)
  if (kind !== 'variable') return constantOf(text)
  return variable(text === '_' ? reader.anonymous() : text)
}
