// S-expressions, the syntax of planning domains.

export type Expression = string | readonly Expression[]

const depth_max = 64
/** For a task, an action, a method or a quantifier. */
const parameters_max = 64
const name_form = /^[a-z][a-z0-9_-]{0,255}$/
const token_form = /;[^\n]*|[()]|[^\s();]+/g

/** All expressions of a text, in lower case. Throws an Error with the position of a fault. */
export function readExpressions(text: string): Expression[] {
  const open: Expression[][] = [[]]
  for (const { 0: token, index } of text.matchAll(token_form)) {
    if (token.startsWith(';')) continue
    if (token === '(') {
      if (open.length > depth_max)
        throw new Error(`brackets stand deeper than ${depth_max} at character ${index + 1}`)
      open.push([])
    } else if (token === ')') {
      const closed = open.pop()!
      if (open.length === 0) throw new Error(`a bracket closes nothing at character ${index + 1}`)
      open.at(-1)!.push(closed)
    } else {
      open.at(-1)!.push(token.toLowerCase())
    }
  }
  if (open.length > 1) throw new Error('a bracket is not closed at the end of the text')
  return open[0]!
}

export function isList(expression: Expression | undefined): expression is readonly Expression[] {
  return Array.isArray(expression)
}

/** A name, or an Error that describes what is there instead. */
export function nameAt(expression: Expression | undefined, what: string): string {
  if (typeof expression === 'string' && name_form.test(expression)) return expression
  throw new Error(`${what} is no name of at most 256 letters, digits, hyphens and underscores`)
}

/** `:key value` pairs after the head of a list. */
export function fieldsOf(list: readonly Expression[], start: number, what: string): Map<string, Expression> {
  const fields = new Map<string, Expression>()
  for (let at = start; at < list.length; at += 2) {
    const [key, value] = [list[at], list[at + 1]]
    if (typeof key !== 'string' || !key.startsWith(':') || value === undefined || fields.has(key))
      throw new Error(`${what} is not written as :key value`)
    fields.set(key, value)
  }
  return fields
}

export interface Typed {
  readonly name: string
  readonly type: string
}

/** Parameters: each name once, because every one is bound and filtered for itself. */
export function parameterList(list: Expression, what: string): Typed[] {
  const parameters = typedList(list, what, parameters_max)
  const names = new Set<string>()
  for (const { name } of parameters) {
    if (names.has(name)) throw new Error(`${what} names ${name} twice; rename one`)
    names.add(name)
  }
  return parameters
}

/** `a b - type c`: names without a type are objects. */
export function typedList(list: Expression, what: string, most: number): Typed[] {
  if (!isList(list)) throw new Error(`${what} has no list of names in brackets`)
  if (list.length > 3 * most) throw new Error(`${what} names more than ${most}`)
  const typed: Typed[] = []
  let waiting: string[] = []
  for (let at = 0; at < list.length; at++) {
    const item = list[at]
    if (typeof item !== 'string')
      throw new Error(`${what} holds something in brackets; only plain types are read`)
    if (item !== '-') {
      waiting.push(nameAt(item.replace(/^\?/, ''), `${item} in ${what}`))
      continue
    }
    const type = nameAt(list[++at], `a type in ${what}`)
    typed.push(...waiting.map((name) => ({ name, type })))
    waiting = []
  }
  typed.push(...waiting.map((name) => ({ name, type: 'object' })))
  if (typed.length > most) throw new Error(`${what} names more than ${most}`)
  return typed
}
