// Conditions of a rule: "there is someone who …", "either … or …, but not both".
import { isComparison, negate } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { conditionsOf, readFormula } from './formula.ts'
import { not_both } from './phrases.ts'
import type { Alternatives, Formula, Scope, Statement } from './scope.ts'
import type { Token } from './tokens.ts'
import { copulas, relative_pronouns, separators } from './words.ts'

export function readCondition(tokens: readonly Token[], scope: Scope): Alternatives {
  const apart = tokens.at(-1)?.text === not_both
  const comma = apart && tokens.at(-2)?.text === ',' ? 1 : 0
  const formula = readFormula(sayWho(apart ? tokens.slice(0, -1 - comma) : tokens), scope)
  return conditionsOf(apart ? oneOfTwo(formula) : formula)
}

/** One holds and the other is denied. */
function oneOfTwo(formula: Formula): Formula {
  const [first, second] = formula
  if (!first || !second || formula.length > 2)
    throw new Unparsed('"but not both" is read after two alternatives')
  return [
    [...first, denied(second)],
    [...second, denied(first)],
  ]
}

function denied(statements: readonly Statement[]): Statement {
  const [only] = statements
  if (!only || statements.length > 1 || isComparison(only.literal))
    throw new Unparsed('"but not both" is read where each alternative says one thing')
  return { ...only, literal: negate(only.literal) }
}

const existence = new Set(['exists', 'exist'])

/** Reads "there is someone who is kind" as "someone is kind": a condition needs only one. */
function sayWho(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(({ text }) => text === 'there' || existence.has(text))) return tokens
  const clause_words: Token[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    const [token, next] = [tokens[at]!, tokens[at + 1]?.text ?? '']
    if (existence.has(token.text) && relative_pronouns.has(next)) at += 1
    else if (token.text === 'there' && (copulas.has(next) || existence.has(next))) {
      const end = describedUntil(tokens, at + 2)
      if (['no', 'not', 'nobody'].includes(tokens[at + 2]?.text ?? ''))
        throw new Unparsed('that there is nobody would have to be checked of everyone')
      const who = relative_pronouns.has(tokens[end]?.text ?? '')
      if (!who) clause_words.push({ text: 'something', capital: false }, { text: 'is', capital: false })
      for (const described of tokens.slice(at + 2, end)) clause_words.push(described)
      at = who ? end : end - 1
    } else clause_words.push(token)
  }
  return clause_words
}

function describedUntil(tokens: readonly Token[], from: number): number {
  let end = from
  while (
    end < tokens.length &&
    !separators.has(tokens[end]!.text) &&
    !relative_pronouns.has(tokens[end]!.text)
  )
    end += 1
  return end
}
