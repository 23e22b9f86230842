// Parses all premises together: each helps to classify the words of the others.
import type { Clause } from './clause.ts'
import { body_literals_max, isVariable } from './clause.ts'
import { parseDatalog, Unparsed } from './datalog.ts'
import { readSentence } from './english.ts'
import { type Lexicon, readLexicon } from './lexicon.ts'
import { openScope, unary } from './scope.ts'
import { isAboutTask, readSentences, type Token } from './tokens.ts'

export interface ReadPremises {
  readonly clauses: readonly Clause[]
  readonly unparsed: readonly { readonly index: number; readonly reason: string }[]
  readonly lexicon: Lexicon
}

export const datalog_form = /^\s*datalog\s*:/i
const clauses_max = 50_000

/** By entity and class: where its class was first stated. */
type Typed = Map<string, { readonly noun: string; readonly name: string; readonly source: number }>

/** `intent` only contributes its words. */
export function readPremises(premises: readonly string[], intent: string): ReadPremises {
  const sentences = premises.map((text) => (datalog_form.test(text) ? undefined : readSentences(text)))
  const tokens = datalog_form.test(intent)
    ? []
    : (readSentences(intent) ?? []).filter((sentence) => !isAboutTask(sentence))
  const lexicon = readLexicon([...sentences.flatMap((list) => list ?? []), ...tokens.map(asStatement)])
  const clauses: Clause[] = []
  const unparsed: { index: number; reason: string }[] = []
  const typed: Typed = new Map()
  for (const [index, text] of premises.entries()) {
    try {
      const { clauses: parsed, fault } = datalog_form.test(text)
        ? { clauses: parseDatalog(text.replace(datalog_form, ''), index), fault: undefined }
        : readEnglish(sentences[index], lexicon, typed, index)
      // A premise may have many sentences: parsed ones count, the others are reported.
      if (fault !== undefined) unparsed.push({ index, reason: fault })
      if (parsed.some(({ body }) => body.length > body_literals_max))
        throw new Unparsed(`a rule has at most ${body_literals_max} conditions`)
      if (clauses.length + parsed.length > clauses_max)
        throw new Unparsed(`the premises before it fill the ${clauses_max} clauses there may be`)
      for (const clause of parsed) clauses.push(clause)
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      unparsed.push({ index, reason: error.message })
    }
  }
  return { clauses: [...clauses, ...typeFacts(clauses, typed)], unparsed, lexicon }
}

/** A question's first word says nothing about the premises; a name after it is capitalized as a name. */
function asStatement(sentence: readonly Token[]): readonly Token[] {
  const first = sentence[0]?.text ?? ''
  return ['is', 'are', 'does', 'do', 'was', 'were', 'did', 'true', 'who', 'what', 'which'].includes(first)
    ? []
    : sentence
}

function readEnglish(
  sentences: readonly (readonly Token[])[] | undefined,
  lexicon: Lexicon,
  typed: Typed,
  index: number,
): { clauses: Clause[]; fault: string | undefined } {
  if (!sentences) throw new Unparsed('it has more words than one premise may have')
  if (sentences.length === 0) throw new Unparsed('it says nothing')
  const clauses: Clause[] = []
  const faults: string[] = []
  const nouns = new Map<string, readonly string[]>()
  const counter = { next: 0 }
  let antecedent: string | undefined
  for (const sentence of sentences) {
    const scope = openScope(lexicon, { typed: nouns, counter, antecedent })
    try {
      for (const clause of readSentence(sentence, scope, index)) clauses.push(clause)
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      faults.push(error.message)
    }
    const [about] = clauses.at(-1)?.head.args ?? []
    if (about !== undefined && !isVariable(about)) antecedent = about
  }
  for (const [noun, classes] of nouns) {
    for (const name of classes) {
      const key = `${noun}:${name}`
      if (!typed.has(key)) typed.set(key, { noun, name, source: index })
    }
  }
  const [fault] = faults
  if (fault === undefined || sentences.length === 1) return { clauses, fault }
  return { clauses, fault: `${faults.length} of its ${sentences.length} sentences: ${fault}` }
}

/** "The cow" is a cow: stated only if a rule needs cows. */
function typeFacts(clauses: readonly Clause[], typed: Typed): Clause[] {
  const predicates = new Set(
    clauses.flatMap(({ body }) =>
      body.filter(({ args }) => args.length === 1).map(({ predicate }) => predicate),
    ),
  )
  return [...typed.values()]
    .filter(({ name }) => predicates.has(name))
    .map(({ noun, name, source }) => ({ head: unary(name, noun), body: [], source }))
}
