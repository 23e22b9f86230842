// Subjects: one noun, several joined by "and" or "or", or adjectives joined before one noun.
import type { Literal } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { suspending } from './hedges.ts'
import { isArticle, isClassNoun, readClassNoun, readNoun, requireContent, requireTestable } from './noun.ts'
import { type Alternatives, bothOf, type Noun, type Scope, unary } from './scope.ts'
import type { Token } from './tokens.ts'
import * as word from './words.ts'

/** The subject of a sentence: one noun, several joined by "and", or adjectives joined before one. */
export function readSubjects(tokens: readonly Token[], scope: Scope, plural: boolean): Noun[] {
  if (tokens.some(({ text }) => text === 'but' || text === 'yet'))
    throw new Unparsed('a "but" stands inside of whom it speaks of')
  const parts = splitParts(tokens)
  const article = tokens[0]?.text === 'a' || tokens[0]?.text === 'an'
  if (parts.length <= 1) return [readNoun(parts[0] ?? [], scope, plural || article)]
  const [first] = parts[0]!
  const determined = first !== undefined && word.universal_determiners.has(first.text)
  const last = parts.at(-1)!
  const described = parts.slice(0, -1).map((part, place) => {
    const bare = place === 0 && (determined || article) ? part.slice(1) : part
    return bare.length === 2 && bare[0]!.text === 'not' ? bare.slice(1) : bare
  })
  const describing = described.every((bare) => bare.length === 1 && isDescribing(bare[0]!, scope))
  const are_known = described.every(([word]) => word && scope.lexicon.adjectives.has(word.text))
  const or = tokens.some(({ text }) => text === 'or')
  if (or && are_known)
    throw new Unparsed('descriptions are joined by "or" before a noun; write "who are … or …"')
  const one = article && are_known && !isArticle(last[0]!)
  if (!or && describing && (determined || one || (plural && isClassNoun(last, scope)))) {
    if (determined) requireTestable(first, scope)
    const noun = readClassNoun(last, scope, plural)
    const alternatives: Alternatives = [
      described.map(([bare], place): Literal => {
        requireContent(bare!.text)
        return unary(
          bare!.text,
          noun.term,
          parts[place]!.some(({ text }) => text === 'not'),
        )
      }),
    ]
    return [{ ...noun, restrict: bothOf(alternatives, noun.restrict) }]
  }
  // Each subject has its own variable.
  return parts.map((part, place) =>
    readNoun(determined && place > 0 ? [first, ...part] : part, scope, plural),
  )
}

function isDescribing({ text, capital }: Token, { lexicon }: Scope): boolean {
  if (lexicon.names.has(text) || suspending.has(text)) return false
  return lexicon.adjectives.has(text) || !(word.looksPlural(text) || (capital && lexicon.names.has(text)))
}

function splitParts(tokens: readonly Token[]): Token[][] {
  const parts: Token[][] = [[]]
  for (const token of tokens) {
    if (!word.separators.has(token.text) && token.text !== 'either') parts.at(-1)!.push(token)
    else if (parts.at(-1)!.length > 0) parts.push([])
  }
  return parts.filter((part) => part.length > 0)
}
