// Joins two sentences into a rule: "A implies B", "being A is necessary for being B", "… and vice versa".
import { Unparsed } from './datalog.ts'
import type { Token } from './tokens.ts'
import { copulas, prepositions, separators } from './words.ts'

export interface Link {
  readonly left: readonly Token[]
  readonly right: readonly Token[]
  /** The left implies the right, requires it, or both. */
  readonly kind: 'leads' | 'needed' | 'equals'
}

const links: readonly (readonly [phrase: readonly string[], kind: Link['kind']])[] = (
  [
    ['is a necessary and sufficient condition for', 'equals'],
    ['is a sufficient and necessary condition for', 'equals'],
    ['is necessary and sufficient for', 'equals'],
    ['is equivalent to', 'equals'],
    ['is the same as', 'equals'],
    ['is a sufficient condition for', 'leads'],
    ['is a sufficient condition of', 'leads'],
    ['is sufficient for', 'leads'],
    ['is enough for', 'leads'],
    ['is a necessary condition for', 'needed'],
    ['is a necessary condition of', 'needed'],
    ['is necessary for', 'needed'],
    ['is required for', 'needed'],
    ['implies', 'leads'],
    ['entails', 'leads'],
    ['guarantees', 'leads'],
    ['means', 'leads'],
  ] as const
).map(([phrase, kind]) => [phrase.split(' '), kind])

/** Only between two clauses: "smoke implies fire" is a fact about smoke. */
export function splitLink(tokens: readonly Token[]): Link | undefined {
  for (const at of tokens.keys()) {
    if (at === 0) continue
    const link = links.find(([phrase]) => startsWith(tokens, phrase, at))
    if (!link) continue
    const left = asClause(tokens.slice(0, at), 'someone')
    const right = asClause(tokens.slice(at + link[0].length), 'they')
    return left && right ? { left, right, kind: link[1] } : undefined
  }
  return undefined
}

export function startsWith(tokens: readonly Token[], phrase: readonly string[], at = 0): boolean {
  return phrase.every((text, place) => tokens[at + place]?.text === text)
}

const told_as = [['the', 'fact', 'that'], ['that']]

/** "that Bob is brave", "Bob being brave" and "being brave" as sentences; undefined for anything else. */
function asClause(tokens: readonly Token[], whoever: string): readonly Token[] | undefined {
  const opening = told_as.find((phrase) => startsWith(tokens, phrase))
  if (opening) return tokens.slice(opening.length)
  const at = tokens.findIndex(({ text }) => participles.has(text))
  if (at < 0) return undefined
  const denied = tokens[at - 1]?.text === 'not'
  const clause_words = tokens.flatMap((token, place): Token[] => {
    if (denied && place === at - 1) return []
    const verb = participles.get(token.text)
    if (!verb) return [token]
    return denied && place === at ? [plain(verb), plain('not')] : [plain(verb)]
  })
  return at === (denied ? 1 : 0) ? [plain(whoever), ...clause_words] : clause_words
}

const participles = new Map([
  ['being', 'is'],
  ['having', 'has'],
])

/** Reads "people having a cat" as people who have one. */
export function openParticiples(tokens: readonly Token[]): readonly Token[] {
  if (!tokens.some(({ text }) => participles.has(text))) return tokens
  return tokens.flatMap((token, at): Token[] => {
    const verb = participles.get(token.text)
    const before = tokens[at - 1]?.text
    if (!verb || before === undefined || copulas.has(before)) return [token]
    if (separators.has(before) || prepositions.has(before) || before === 'a' || before === 'not')
      return [token]
    return [plain('who'), plain(verb)]
  })
}

const he_or_she = [new Set(['he', 'him', 'himself']), new Set(['she', 'her', 'herself'])]

/** No rule here can resolve both "he" and "she". */
export function requireOneGender(tokens: readonly Token[]): void {
  if (he_or_she.every((pronouns) => tokens.some(({ text }) => pronouns.has(text))))
    throw new Unparsed('it says both "he" and "she"; use names')
}

/** Without its "and vice versa"; undefined if there is none. */
export function dropViceVersa(tokens: readonly Token[]): readonly Token[] | undefined {
  if (tokens.at(-1)?.text !== 'versa' || tokens.at(-2)?.text !== 'vice') return undefined
  let end = tokens.length - 2
  while (separators.has(tokens[end - 1]?.text ?? '')) end -= 1
  return tokens.slice(0, end)
}

function plain(text: string): Token {
  return { text, capital: false }
}
