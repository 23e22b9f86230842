// Before and after a date.

import { type Condition, literal } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { isDate } from './date-text.ts'
import { freshVariable, type Noun, type Scope } from './scope.ts'
import type { Token } from './tokens.ts'

/** "built before 1900" as a condition or a question: when it was built, compared; undefined if it says no such thing. */
export function readWhen(
  name: string,
  tokens: readonly Token[],
  subject: Noun,
  negated: boolean,
  scope: Scope,
): Condition[] | undefined {
  const date = tokens.at(-1)?.text ?? ''
  const order = tokens.at(-2)?.text
  if ((order !== 'before' && order !== 'after') || !isDate(date)) return undefined
  const phrase = [name, ...tokens.slice(0, -2).map(({ text }) => text)].filter((text) => text !== '')
  if (phrase.length !== 1) throw new Unparsed('what was before or after is more than one word')
  const tests = scope.stance === 'condition' || scope.judged || scope.asked !== undefined
  if (!tests || negated)
    throw new Unparsed('a time before or after another is read in conditions and questions')
  const year = date.slice(0, 4)
  const when = freshVariable(scope)
  // Of an event of which only the year is known, nothing is known within that year.
  const within = date === year ? [] : [literal('!=', [when, year])]
  const compared =
    order === 'before'
      ? literal('<', [when, date])
      : date === year
        ? literal('>=', [when, String(Number(year) + 1)])
        : literal('>', [when, date])
  return [literal(`${phrase[0]!} in`, [subject.term, when]), ...within, compared]
}
