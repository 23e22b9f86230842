// What a sentence does not simply state: hedges with a probability, and words that leave it open.

import { no_such_day } from './date-text.ts'
import { copulas, modals, plain_auxiliaries, separators, type Word } from './words.ts'

/** A hedge with its meaning: the probability that the sentence holds. */
export interface Hedge {
  readonly word: string
  readonly probability: number
}

/** A convention of this engine, shown with each answer: what a hedge is worth where nothing else is known. */
const scale: ReadonlyMap<string, number> = new Map([
  ['bound', 0.9],
  ['becomes', 0.9],
  ['will', 0.9],
  ['probably', 0.8],
  ['presumably', 0.8],
  ['usually', 0.8],
  ['generally', 0.8],
  ['typically', 0.8],
  ['normally', 0.8],
  ['mostly', 0.8],
  ['somewhat', 0.8],
  ['fairly', 0.8],
  ['moderately', 0.8],
  ['slightly', 0.7],
  ['relatively', 0.7],
  ['likely', 0.7],
  ['often', 0.7],
  ['frequently', 0.7],
  ['commonly', 0.7],
  ['tends', 0.7],
  ['apparently', 0.7],
  ['seemingly', 0.7],
  ['seems', 0.7],
  ['looks', 0.7],
  ['considered', 0.7],
  ['would', 0.7],
  ['not very', 0.7],
])

/** In a text that was rewritten: "#seems" stands where "seems to be" stood. */
export const hedge_mark = '#'

export function hedgeOf(word: string): Hedge {
  return { word, probability: scale.get(word)! }
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}

const adverbs = words(
  'probably presumably usually generally typically normally mostly likely often frequently commonly apparently seemingly somewhat fairly moderately slightly relatively',
)
/** No probability fits: the sentence is kept out. */
const vague = words(
  `perhaps maybe possibly arguably conceivably supposedly allegedly reportedly purportedly ostensibly hopefully unlikely
  theoretically technically practically virtually partly partially occasionally sometimes rarely seldom hardly barely
  scarcely almost nearly roughly approximately doubtful unclear doubtfully improbably potentially hypothetically
  according opinion rumor rumors rumour rumours likelihood`,
)
/** Its time is neither now nor simply past or future. */
const times = words(
  'yesterday tomorrow soon ago recently lately previously formerly eventually earlier later until till tonight',
)
/** After "not" they deny less than the whole: not certainly guilty is not innocent. */
const strong = words(
  'certainly definitely surely completely totally absolutely clearly obviously truly necessarily',
)
const degrees = words(
  'very quite too really particularly especially extremely incredibly exceptionally highly overly',
)
const attitudes = words(
  `say says said saying claim claims claimed think thinks thought believe believes believed suspect suspects suspected
  doubt doubts doubted deny denies denied report reports reported allege alleges hope hopes hoped wish wishes guess guesses
  guessed expect expects expected imagine imagines dream dreams wonder wonders tell tells told suggest suggests
  suggested argue argues argued assert asserts insist insists pretend pretends predict predicts predicted warn warns hear
  hears heard feel feels felt know knows knew fear fears worry worries admit admits swear swears`,
)

/** With "that" they say what may be. */
const thoughts = words(
  'chance chances possibility probability risk hypothesis theory belief suspicion idea impression evidence',
)

export interface Qualified {
  readonly words: readonly Word[]
  readonly hedges: readonly Hedge[]
  /** Why the sentence cannot be used; undefined if it can. */
  readonly fault: string | undefined
}

/** Takes the hedges out of a sentence, with what each is worth. */
export function takeHedges(sentence: readonly Word[]): Qualified {
  const hedges: Hedge[] = []
  const left: Word[] = []
  let fault = sentence[0]?.text === 'let' ? 'it asks for something and states nothing' : undefined
  const joined = sentence.some(({ text }) => text === 'and')
  for (const [at, word] of sentence.entries()) {
    const { text } = word
    const before = sentence[at - 1]?.text ?? ''
    if (text === no_such_day) fault = 'it names a day that does not exist'
    else if (text === 'between' && startsNumber(sentence[at + 1]?.text))
      fault = '"between" two numbers is not read; say at least and at most, or before and after'
    else if (text === 'both' && !joined) fault = '"both" does not say which two'
    else if (vague.has(text)) fault = `"${text}" leaves open whether it holds`
    else if (times.has(text)) fault = `"${text}" gives it a time that is not read`
    else if (before === 'not' && (strong.has(text) || adverbs.has(text)))
      fault = `"not ${text}" leaves open whether it holds`
    else if (text === 'likely' && (before === 'more' || before === 'less' || before === 'a'))
      fault = `"${before} likely" gives no probability`
    else if (before === 'not' && degrees.has(text)) hedges.push(hedgeOf('not very'))
    else if (adverbs.has(text)) {
      hedges.push(hedgeOf(text))
      if (left.at(-1)?.text === 'most') left.pop()
    } else left.push(word)
  }
  return { words: left, hedges, fault }
}

function startsNumber(text: string | undefined): boolean {
  return /^\d/.test(text ?? '')
}

/** The marks that rewriting left. */
export function takeMarks(sentence: readonly Word[]): { words: readonly Word[]; hedges: readonly Hedge[] } {
  const marks = sentence.filter(({ text }) => isMark(text))
  if (marks.length === 0) return { words: sentence, hedges: [] }
  const hedges = marks.map(({ text }) => hedgeOf(text.slice(hedge_mark.length)))
  return { words: sentence.filter(({ text }) => !isMark(text)), hedges }
}

function isMark(text: string): boolean {
  return text.startsWith(hedge_mark) && scale.has(text.slice(hedge_mark.length))
}

const aside_words_max = 5

/** "Ann says that Bob is guilty", "Bob is guilty, Ann says": what somebody says or thinks is not stated. */
export function reportIn(sentence: readonly Word[]): string | undefined {
  const at = sentence.findIndex((_, place) => reportsAt(sentence, place))
  return at < 0 ? undefined : `"${sentence[at]!.text}" reports what somebody says or thinks, not what is so`
}

function reportsAt(sentence: readonly Word[], at: number): boolean {
  if (!attitudes.has(sentence[at]!.text) && !thoughts.has(sentence[at]!.text)) return false
  const next = sentence[at + 1]?.text ?? ''
  const described = ['who', 'that', 'which'].includes(sentence[at - 1]?.text ?? '')
  if (['that', 'whether', 'if', 'to'].includes(next)) return at > 0 || next !== 'to'
  if (thoughts.has(sentence[at]!.text)) return false
  // "Nobody who knows the rules is a beginner": the second verb is the main verb.
  if (described) return false
  for (let place = at + 2; place < sentence.length; place += 1) {
    const { text } = sentence[place]!
    if (separators.has(text) || clause_words.has(text)) break
    if (copulas.has(text) || plain_auxiliaries.has(text) || modals.has(text)) return true
  }
  return standsAside(sentence, at)
}

const clause_words = words('who that which if then when unless')

/** Between commas, or after the last one: ", Ann says". */
function standsAside(sentence: readonly Word[], at: number): boolean {
  let [from, to] = [at, at]
  while (from > 0 && sentence[from - 1]!.text !== ',') from -= 1
  while (to < sentence.length && sentence[to]!.text !== ',') to += 1
  const inner = sentence.slice(from, to)
  const bounded = from > 0 && inner.length <= aside_words_max
  return bounded && !inner.some(({ text }) => clause_words.has(text) || separators.has(text))
}

/** Before a noun these deny or suspend it: a former teacher need not be a teacher. */
export const suspending = words(
  `former future fake alleged suspected possible potential probable likely supposed so-called would-be aspiring
  prospective ostensible apparent presumed false imitation toy pretend hypothetical imaginary fictional counterfeit
  purported accused putative past late expected`,
)
