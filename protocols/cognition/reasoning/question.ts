// What an intent asks: a statement to judge, a yes/no question, or a question for individuals.
import {
  type Clause,
  type Condition,
  isComparison,
  isVariable,
  negate,
  type Term,
  type Variable,
  variable,
} from './clause.ts'
import { readDenial, requireOneQuantity, trimCommas } from './conclusion.ts'
import { readCondition } from './condition.ts'
import { parseDatalogQuery, Unparsed } from './datalog.ts'
import { denialOf } from './denial.ts'
import { conditionsOf, readFormula } from './formula.ts'
import { reportIn } from './hedges.ts'
import { variablesOf } from './kernel.ts'
import type { Lexicon } from './lexicon.ts'
import { not_both } from './phrases.ts'
import { datalog_form } from './premises.ts'
import { type Alternatives, openScope, type Scope, type Statement } from './scope.ts'
import { isAboutTask, readSentences, type Token } from './tokens.ts'
import { copulas, modals, plain_auxiliaries, pointing, relative_pronouns, separators } from './words.ts'

export interface Question {
  /** True if any of these conjunctions holds. */
  readonly goal: Alternatives
  /** False if any of these conjunctions holds. */
  readonly denial: Alternatives
  /** The variables asked for; empty for a yes/no question. */
  readonly asked: readonly string[]
  /** Assumed for this question only: the condition of "if" or "every". */
  readonly granted: readonly Clause[]
  /** Over everyone: in a closed world only the named individuals. */
  readonly universal?: boolean
}

/** The hedges that its grammar shows: "looks guilty". */
function requirePlain({ hedges }: Scope): void {
  const [hedge] = hedges
  if (hedge) throw new Unparsed(`it asks with "${hedge.word}"; ask whether it is so, and see the confidence`)
}

/** Throws Unparsed if nothing is understood. `names` are the individuals of the premises. */
export function readQuestion(
  intent: string,
  lexicon: Lexicon,
  names: ReadonlySet<string>,
  source: number,
): Question {
  if (datalog_form.test(intent) || intent.trimStart().startsWith('?-'))
    return readQuery(intent.replace(datalog_form, ''))
  // "True or false. Anne is kind." is split into two sentences.
  const sentence = readSentences(intent)?.findLast(({ tokens }) => !isAboutTask(tokens))
  if (sentence?.fault !== undefined) throw new Unparsed(sentence.fault)
  const [hedge] = sentence?.hedges ?? []
  if (hedge) throw new Unparsed(`it asks with "${hedge.word}"; ask whether it is so, and see the confidence`)
  const tokens = dropTask(sentence?.tokens ?? [])
  if (tokens.length === 0) throw new Unparsed('the intent says nothing')
  const report = reportIn(tokens)
  if (report !== undefined) throw new Unparsed(report)
  const first = tokens[0]!.text
  if (first === 'who' || first === 'what' || first === 'which' || first === 'whom')
    return readWho(tokens, lexicon, names)
  if (first === 'if' || first === 'when') return readGranted(tokens.slice(1), lexicon, names, source)
  const statement = asStatement(tokens, lexicon, names)
  return readJudged(statement, lexicon, source)
}

function readQuery(text: string): Question {
  const goal = parseDatalogQuery(text)
  const names = variablesOf(goal).filter((name) => !name.startsWith('_'))
  return { goal: [goal], denial: names.length > 0 ? [] : denialOf([goal]), asked: names, granted: [] }
}

/** "Based on the rules, can we say that Anne is kind": drops the words about the task. */
function dropTask(all_tokens: readonly Token[]): readonly Token[] {
  let tokens = all_tokens
  const at = tokens.findIndex(({ text }) => text === 'that' || text === 'whether' || text === 'if')
  const opening = tokens.slice(0, Math.max(at, 0)).map(({ text }) => text)
  // "It is false that" is part of the statement.
  const denies = opening.includes('false') && !opening.includes('true')
  if (at > 0 && !denies && isAboutTask(tokens.slice(0, at))) tokens = tokens.slice(at + 1)
  const comma = tokens.findIndex(({ text }) => text === ',')
  if (comma > 0 && isAboutTask(tokens.slice(0, comma))) tokens = tokens.slice(comma + 1)
  while (tokens[0] && (tokens[0].text === ',' || commands.has(tokens[0].text))) tokens = tokens.slice(1)
  const tag = tokens.at(-2)?.text === ',' && ['right', 'correct', 'true'].includes(tokens.at(-1)!.text)
  return tag ? tokens.slice(0, -2) : tokens
}

const commands = new Set(['prove', 'question', 'query', 'statement', 'claim', 'whether'])

/** Reads "Is Anne kind" as "Anne is kind"; "does the cow like the dog" as "the cow does like the dog". */
function asStatement(
  tokens: readonly Token[],
  lexicon: Lexicon,
  names: ReadonlySet<string>,
): readonly Token[] {
  const [first, ...rest] = tokens
  const { text } = first!
  if (rest.length < 2) return tokens
  if (copulas.has(text) && rest[0]!.text === 'there') return [rest[0]!, first!, ...rest.slice(1)]
  // "Isn't Anne kind" asks whether she is.
  if (rest[0]!.text === 'not' && isAuxiliary(text) && rest.length > 2)
    return asStatement([first!, ...rest.slice(1)], lexicon, names)
  if (copulas.has(text)) return moveVerb(first!, rest, subjectLength(rest, names, lexicon))
  if (plain_auxiliaries.has(text) || modals.has(text)) {
    const verb = rest.findIndex(
      ({ text: word }, at) => at > 0 && (lexicon.isVerb(word) || word === 'not' || word === 'be'),
    )
    return moveVerb(first!, rest, verb > 0 ? verb : subjectLength(rest, names, lexicon))
  }
  return tokens
}

function isAuxiliary(text: string): boolean {
  return copulas.has(text) || plain_auxiliaries.has(text) || modals.has(text)
}

function moveVerb(verb: Token, rest: readonly Token[], length: number): readonly Token[] {
  return [...rest.slice(0, length), verb, ...rest.slice(length)]
}

/** The longest prefix that is a name; else an article and its noun, or one word. */
function subjectLength(tokens: readonly Token[], names: ReadonlySet<string>, lexicon: Lexicon): number {
  if (tokens.length < 2) return tokens.length
  const article =
    pointing.has(tokens[0]?.text ?? '') ||
    ['a', 'an', 'every', 'all', 'each', 'any', 'no', 'some'].includes(tokens[0]?.text ?? '')
  const from = article ? 1 : 0
  for (let to = Math.min(tokens.length - 1, from + 4); to > from; to -= 1) {
    if (
      names.has(
        tokens
          .slice(from, to)
          .map(({ text }) => text)
          .join(' '),
      )
    )
      return joined(tokens, to)
  }
  const of = tokens.findIndex(({ text }) => text === 'of')
  if (article && of > 0) return of + 1 + subjectLength(tokens.slice(of + 1), names, lexicon)
  // "the bald eagle kind", not in the premises: the predicate is the word that describes others.
  const last = tokens.at(-1)!
  const described =
    lexicon.adjectives.has(last.text) && !tokens.some(({ text }) => text === 'a' || text === 'an')
  if (described && article) return tokens.at(-2)!.text === 'not' ? tokens.length - 2 : tokens.length - 1
  let to = from
  while (to < tokens.length - 2 && tokens[to]!.capital && tokens[to + 1]!.capital) to += 1
  return joined(tokens, to + 1)
}

/** "Are Anne and Bob kind": the subject continues after "and". */
function joined(tokens: readonly Token[], to: number): number {
  return tokens[to]?.text === 'and' && tokens[to + 1]?.capital ? to + 2 : to
}

const existential = new Set(['some', 'someone', 'somebody', 'something', 'there'])

/** A statement is proved, denied or neither; "every" and "if" are proved for a new, unknown individual. */
function readJudged(tokens: readonly Token[], lexicon: Lexicon, source: number): Question {
  const scope = openScope(lexicon, { judged: true })
  if (tokens.at(-1)?.text === not_both) {
    const goal = readCondition(tokens, openScope(lexicon, { stance: 'condition' }))
    return { goal, denial: denialOf(goal), asked: [], granted: [] }
  }
  if (existential.has(tokens[0]?.text ?? '')) {
    const asking = openScope(lexicon, { asked: variable('Q'), stance: 'condition' })
    const goal = readCondition(tokens, asking)
    requirePlain(asking)
    return { goal, denial: [], asked: [], granted: [] }
  }
  const none = readDenial(tokens)
  if (none) requireOneQuantity(none)
  const formula = readFormula(none ?? tokens, scope)
  requirePlain(scope)
  const judged = none
    ? formula.map((all) => all.map((one) => ({ ...one, literal: negate(one.literal) })))
    : formula
  const measured = new Set(
    variablesOf(
      judged
        .flat()
        .map(({ literal }) => literal)
        .filter(isComparison),
    ),
  )
  const spoken = variablesOf(judged.flat().map(({ literal }) => literal))
  if (spoken.every((name) => measured.has(name))) {
    const goal = conditionsOf(judged)
    return { goal, denial: denialOf(goal), asked: [], granted: [] }
  }
  if (judged.length !== 1) throw new Unparsed('of "every" one thing is asked at a time')
  return ofEvery(judged[0]!, source)
}

/** Assumes the description for a new individual; denied by one who fits it but not the rest. */
function ofEvery(statements: readonly Statement[], source: number): Question {
  const { restrict } = statements[0]!
  if (restrict.length !== 1) throw new Unparsed('of "every" one description is asked at a time')
  const literals = statements.map(({ literal }) => literal)
  const stand_ins = standIns([...literals, ...restrict[0]!])
  const granted = restrict[0]!.map((condition): Clause => {
    if (isComparison(condition) || condition.naf) throw new Unparsed('a comparison cannot be granted')
    return { head: stand_ins(condition), body: [], source }
  })
  return {
    goal: [literals.map(stand_ins)],
    denial: literals.map((literal) => [...restrict[0]!, negate(literal)]),
    asked: [],
    granted,
    universal: true,
  }
}

function readGranted(
  tokens: readonly Token[],
  lexicon: Lexicon,
  names: ReadonlySet<string>,
  source: number,
): Question {
  const then = tokens.findIndex(({ text }) => text === 'then')
  const at = then > 0 ? then : tokens.findIndex(({ text }) => text === ',')
  if (at < 1) throw new Unparsed('an "if" has no "then"')
  const scope: Scope = openScope(lexicon, { conditional: true, stance: 'condition', judged: true })
  const conditions = readCondition(trimCommas(tokens.slice(0, at)), scope)
  scope.stance = 'conclusion'
  const concluded = asStatement(trimCommas(tokens.slice(at + 1)), lexicon, names)
  const goal = conditionsOf(readFormula(concluded, scope))
  requirePlain(scope)
  if (conditions.length !== 1) throw new Unparsed('after "if" one case is granted at a time')
  const stand_ins = standIns([...conditions[0]!, ...goal.flat()])
  const granted = conditions[0]!.map((condition): Clause => {
    if (isComparison(condition)) throw new Unparsed('a comparison cannot be granted')
    return { head: stand_ins(condition), body: [], source }
  })
  const renamed = goal.map((all) => all.map(stand_ins))
  const denial = denialOf(goal).map((denied) => [...conditions[0]!, ...denied])
  return { goal: renamed, denial, asked: [], granted }
}

function standIns(conditions: readonly Condition[]) {
  const names = new Map<string, Term>(variablesOf(conditions).map((name) => [name, `#any:${name}`]))
  return (condition: Condition): Condition => ({
    ...condition,
    args: condition.args.map((arg) => (isVariable(arg) ? names.get(arg.variable)! : arg)),
  })
}

/** "Who is kind", "what does the cow like", "which cats are big": the question word becomes a variable. */
function readWho(tokens: readonly Token[], lexicon: Lexicon, names: ReadonlySet<string>): Question {
  const subject: Variable = variable('Who')
  const scope = openScope(lexicon, { asked: subject, conditional: true })
  const who: Token = { text: 'who', capital: false }
  const rest = tokens.slice(1)
  const kind: Token[] = []
  while (tokens[0]!.text === 'which' && rest.length > 0 && !isVerbWord(rest[0]!, lexicon))
    kind.push(rest.shift()!)
  const next = rest[0]?.text ?? ''
  const turned = (plain_auxiliaries.has(next) || modals.has(next)) && rest[1]?.text !== 'not'
  const sentence = turned ? [...asStatement(rest, lexicon, names), who] : [who, ...rest]
  // The question word is not a relative pronoun here.
  if (sentence.slice(1).some(({ text }) => relative_pronouns.has(text) && text !== 'who'))
    throw new Unparsed('a question with a relative clause is not read; ask for one thing')
  const goal = conditionsOf(readFormula(sentence, scope))
  requirePlain(scope)
  const narrowed = kind.length > 0 ? goal.map((all) => [...kindOf(kind, subject, lexicon), ...all]) : goal
  return { goal: narrowed, denial: [], asked: [subject.variable], granted: [] }
}

function isVerbWord({ text }: Token, lexicon: Lexicon): boolean {
  return isAuxiliary(text) || lexicon.isVerb(text)
}

function kindOf(kind: readonly Token[], subject: Variable, lexicon: Lexicon): readonly Condition[] {
  const tokens = [{ text: 'who', capital: false }, { text: 'are', capital: false }, ...kind]
  const scope = openScope(lexicon, { asked: subject, conditional: true })
  return kind.some(({ text }) => separators.has(text))
    ? []
    : (conditionsOf(readFormula(tokens, scope))[0] ?? [])
}
