// Parses all premises together: each helps to classify the words of the others.
import { body_literals_max, type Clause, type Condition, isVariable, literal } from './clause.ts'
import { parseDatalog, Unparsed } from './datalog.ts'
import { readSentence } from './english.ts'
import { isWitness } from './existence.ts'
import { type Hedge, reportIn } from './hedges.ts'
import { contrapositives, type Rules } from './implications.ts'
import { type Lexicon, readLexicon } from './lexicon.ts'
import { takesBack } from './retraction.ts'
import type { Disjunction } from './scope.ts'
import { openScope, unary } from './scope.ts'
import { isAboutTask, readSentences, type Sentence, type Token } from './tokens.ts'

export interface ReadPremises {
  readonly clauses: readonly Clause[]
  readonly unparsed: readonly { readonly index: number; readonly reason: string }[]
  readonly lexicon: Lexicon
  /** What follows from the clauses by contraposition; not part of what was said. */
  readonly turned: readonly Clause[]
  readonly disjunctions: readonly Disjunction[]
  /** Each is a condition of the clauses it qualifies. */
  readonly hedges: readonly HedgeOf[]
}

export interface HedgeOf extends Hedge {
  readonly predicate: string
  /** Index of its premise. */
  readonly index: number
}

export const hedge_prefix = '#hedge:'

export const datalog_form = /^\s*datalog\s*:/i
const clauses_max = 50_000

/** By entity and class: where its class was first stated. */
type Typed = Map<string, { readonly noun: string; readonly name: string; readonly source: number }>

/** `intent` only contributes its words. */
export function readPremises(
  premises: readonly string[],
  intent: string,
  rules: Rules = 'auto',
): ReadPremises {
  const sentences = premises.map((text) => (datalog_form.test(text) ? undefined : readSentences(text)))
  const tokens = datalog_form.test(intent)
    ? []
    : (readSentences(intent) ?? []).map((sentence) => sentence.tokens).filter((one) => !isAboutTask(one))
  const stated = sentences.flatMap((list) => (list ?? []).map((sentence) => sentence.tokens))
  const lexicon = readLexicon([...stated, ...tokens.map(asStatement)])
  const clauses: Clause[] = []
  const turned: Clause[] = []
  const disjunctions: Disjunction[] = []
  const hedges: HedgeOf[] = []
  const unparsed: { index: number; reason: string }[] = []
  const typed: Typed = new Map()
  const taken_back = takenBack(sentences)
  for (const [index, text] of premises.entries()) {
    try {
      if (taken_back.has(index)) throw new Unparsed('a later sentence takes it back')
      const in_datalog = datalog_form.test(text)
      const english = in_datalog ? undefined : readEnglish(sentences[index], lexicon, typed, index)
      const parsed = english?.clauses ?? parseDatalog(text.replace(datalog_form, ''), index)
      const fault = english?.fault
      // A premise may have many sentences: parsed ones count, the others are reported.
      if (fault !== undefined) unparsed.push({ index, reason: fault })
      if (parsed.some(({ body }) => body.length > body_literals_max))
        throw new Unparsed(`a rule has at most ${body_literals_max} conditions`)
      if (clauses.length + parsed.length > clauses_max)
        throw new Unparsed(`the premises before it fill the ${clauses_max} clauses there may be`)
      for (const clause of parsed) clauses.push(clause)
      if (!english) continue
      for (const clause of contrapositives(parsed, rules, lexicon)) turned.push(clause)
      disjunctions.push(...english.disjunctions)
      hedges.push(...english.hedges)
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      unparsed.push({ index, reason: error.message })
    }
  }
  const facts = typeFacts([...clauses, ...turned], typed)
  return { clauses: [...clauses, ...facts], turned, disjunctions, hedges, unparsed, lexicon }
}

/** Premises of which a sentence is denied by the next, which may be that of the next premise. */
function takenBack(sentences: readonly (readonly Sentence[] | undefined)[]): ReadonlySet<number> {
  const indices = new Set<number>()
  for (const [index, list] of sentences.entries())
    for (const [place, { tokens }] of (list ?? []).entries())
      if (takesBack(tokens)) indices.add(place > 0 ? index : index - 1)
  return indices
}

/** A question's first word says nothing about the premises; a name after it is capitalized as a name. */
function asStatement(sentence: readonly Token[]): readonly Token[] {
  const first = sentence[0]?.text ?? ''
  return ['is', 'are', 'does', 'do', 'was', 'were', 'did', 'true', 'who', 'what', 'which'].includes(first)
    ? []
    : sentence
}

function readEnglish(
  sentences: readonly Sentence[] | undefined,
  lexicon: Lexicon,
  typed: Typed,
  index: number,
): EnglishPremise {
  if (!sentences) throw new Unparsed('it has more words than one premise may have')
  if (sentences.length === 0) throw new Unparsed('it says nothing')
  const clauses: Clause[] = []
  const disjunctions: Disjunction[] = []
  const hedges: HedgeOf[] = []
  const faults: string[] = []
  const nouns = new Map<string, readonly string[]>()
  const counter = { next: 0 }
  let antecedent: string | undefined
  for (const sentence of sentences) {
    const scope = openScope(lexicon, { typed: nouns, counter, antecedent })
    try {
      if (sentence.asks) throw new Unparsed('a question states nothing')
      const fault = sentence.fault ?? reportIn(sentence.tokens)
      if (fault !== undefined) throw new Unparsed(fault)
      const parsed = readSentence(sentence.tokens, scope, index)
      const own = hedgesOf([...sentence.hedges, ...scope.hedges], index, hedges.length)
      hedges.push(...own)
      for (const clause of parsed) clauses.push(qualify(clause, own))
      for (const disjunction of scope.disjunctions) disjunctions.push(qualify(disjunction, own))
    } catch (error) {
      if (!(error instanceof Unparsed)) throw error
      faults.push(error.message)
    }
    const [about] = clauses.at(-1)?.head.args ?? []
    // After "some cats are black" a pronoun may mean them, or whoever was named before.
    if (about !== undefined && !isVariable(about)) antecedent = isWitness(about) ? undefined : about
  }
  for (const [noun, classes] of nouns) {
    for (const name of classes) {
      const key = `${noun}:${name}`
      if (!typed.has(key)) typed.set(key, { noun, name, source: index })
    }
  }
  const [fault] = faults
  if (fault === undefined || sentences.length === 1) return { clauses, disjunctions, hedges, fault }
  const all = `${faults.length} of its ${sentences.length} sentences: ${fault}`
  return { clauses, disjunctions, hedges, fault: all }
}

interface EnglishPremise {
  readonly clauses: readonly Clause[]
  readonly disjunctions: readonly Disjunction[]
  readonly hedges: readonly HedgeOf[]
  readonly fault: string | undefined
}

/** Each hedge once, and each with a name of its own. */
function hedgesOf(hedges: readonly Hedge[], index: number, from: number): HedgeOf[] {
  const by_word = new Map(hedges.map((hedge) => [hedge.word, hedge]))
  return [...by_word.values()].map((hedge, place) => {
    return { ...hedge, index, predicate: `${hedge_prefix}${index}:${from + place}` }
  })
}

/** A hedged sentence holds only if its hedges turn out well. */
function qualify<Said extends { readonly body: readonly Condition[] }>(
  statement: Said,
  hedges: readonly HedgeOf[],
): Said {
  if (hedges.length === 0) return statement
  return { ...statement, body: [...statement.body, ...hedges.map(({ predicate }) => literal(predicate, []))] }
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
