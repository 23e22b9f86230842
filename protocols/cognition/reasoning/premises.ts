// All premises of a task at once: what one shows about a word helps to read the others.
import type { Clause } from './clause.ts'
import { body_literals_max, isVariable } from './clause.ts'
import { parseDatalog, Unparsed } from './datalog.ts'
import { readSentence } from './english.ts'
import { type Lexicon, readLexicon } from './lexicon.ts'
import { openScope, unary } from './scope.ts'
import { readSentences, type Token } from './tokens.ts'

export interface ReadPremises {
  readonly clauses: readonly Clause[]
  readonly unparsed: readonly { readonly index: number; readonly reason: string }[]
  readonly lexicon: Lexicon
}

export const datalog_form = /^\s*datalog\s*:/i
const clauses_max = 50_000

/** `intent` is read with them only for its words. */
export function readPremises(premises: readonly string[], intent: string): ReadPremises {
  const sentences = premises.map((text) => (datalog_form.test(text) ? undefined : readSentences(text)))
  const asked = datalog_form.test(intent) ? [] : (readSentences(intent) ?? [])
  const lexicon = readLexicon([...sentences.flatMap((list) => list ?? []), ...asked.map(asStatement)])
  const clauses: Clause[] = []
  const unparsed: { index: number; reason: string }[] = []
  const typed = new Map<string, number>()
  for (const [index, text] of premises.entries()) {
    try {
      const found = datalog_form.test(text)
        ? parseDatalog(text.replace(datalog_form, ''), index)
        : readEnglish(sentences[index], lexicon, typed, index)
      if (found.some(({ body }) => body.length > body_literals_max))
        throw new Unparsed(`a rule has at most ${body_literals_max} conditions`)
      if (clauses.length + found.length > clauses_max)
        throw new Unparsed(`the premises before it fill the ${clauses_max} clauses there may be`)
      for (const clause of found) clauses.push(clause)
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      unparsed.push({ index, reason: error.message })
    }
  }
  return { clauses: [...clauses, ...typeFacts(clauses, typed)], unparsed, lexicon }
}

/** A question's first word tells nothing about the words of the premises, and its first name has a capital for a reason. */
function asStatement(sentence: readonly Token[]): readonly Token[] {
  const first = sentence[0]?.text ?? ''
  return ['is', 'are', 'does', 'do', 'was', 'were', 'did', 'true', 'who', 'what', 'which'].includes(first)
    ? []
    : sentence
}

function readEnglish(
  sentences: readonly (readonly Token[])[] | undefined,
  lexicon: Lexicon,
  typed: Map<string, number>,
  index: number,
): Clause[] {
  if (!sentences) throw new Unparsed('it has more words than one premise may have')
  if (sentences.length === 0) throw new Unparsed('it says nothing')
  const clauses: Clause[] = []
  const nouns = new Map<string, string>()
  const counter = { next: 0 }
  let antecedent: string | undefined
  for (const sentence of sentences) {
    const scope = openScope(lexicon, { typed: nouns, counter, antecedent })
    for (const clause of readSentence(sentence, scope, index)) clauses.push(clause)
    const [about] = clauses.at(-1)?.head.args ?? []
    if (about !== undefined && !isVariable(about)) antecedent = about
  }
  for (const noun of nouns.keys()) if (!typed.has(noun)) typed.set(noun, index)
  return clauses
}

/** "The cow" is a cow: told only where some rule asks for cows. */
function typeFacts(clauses: readonly Clause[], typed: ReadonlyMap<string, number>): Clause[] {
  const asked = new Set(
    clauses.flatMap(({ body }) =>
      body.filter(({ args }) => args.length === 1).map(({ predicate }) => predicate),
    ),
  )
  return [...typed]
    .filter(([noun]) => asked.has(noun))
    .map(([noun, source]) => ({ head: unary(noun, noun), body: [], source }))
}
