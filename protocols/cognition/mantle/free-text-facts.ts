// Facts in plain sentences: "Bolt paid 9 days late again." says (Bolt, pay, late). Reads only what is plainly said:
// a sentence that hedges, denies, asks, supposes or reports what others say is left out.
import type { Triple } from '../content/api.ts'

const text_length_max = 1_000
const sentences_max = 10
const words_max = 24
const name_words_max = 4
const object_words_max = 6

const wordSet = (words: string): ReadonlySet<string> => new Set(words.split(' '))

const doubtful = wordSet(
  'not no never none nobody nothing neither nor cannot hardly scarcely rarely without ' +
    'maybe perhaps probably possibly likely unlikely apparently allegedly supposedly reportedly seemingly presumably ' +
    'may might could would should must can will shall ought seems seemed appears appeared almost nearly ' +
    'if unless whether when suppose assume imagine pretend ' +
    'said says say told tells claims claimed thinks thought believes believed hopes hoped fears feared wants wanted ' +
    'expects expected asks asked wonders wondered heard promises promised denies denied doubts doubted rumour',
)
const openings = wordSet('yesterday today again also then finally meanwhile now so and but')
const fillers = wordSet(
  'again also always often still already finally once more too today yesterday now just recently',
)
/** A sentence that begins with one of these does not begin with a name. */
const no_names = wordSet(
  'i we you he she it they this that these those there here who which what how why where while after before because ' +
    'since the a an our their his her its my your on in at by for from with to of as every each all some any most many ' +
    'few both another other such one two three four five six seven eight nine ten last next',
)
const measures = wordSet(
  'second seconds minute minutes hour hours day days week weeks month months year years euro euros dollar dollars ' +
    'percent piece pieces metre metres kilogram kilograms',
)
const irregular: Readonly<Record<string, string>> = {
  ...{ paid: 'pay', sent: 'send', came: 'come', went: 'go', was: 'is', were: 'is', are: 'is', had: 'has' },
  ...{
    bought: 'buy',
    sold: 'sell',
    broke: 'break',
    lost: 'lose',
    found: 'find',
    left: 'leave',
    made: 'make',
  },
  ...{ gave: 'give', took: 'take', led: 'lead', ran: 'run', met: 'meet', built: 'build', kept: 'keep' },
  ...{
    won: 'win',
    chose: 'choose',
    wrote: 'write',
    became: 'become',
    began: 'begin',
    rose: 'rise',
    fell: 'fall',
  },
}
const base_verbs = new Set(Object.values(irregular))

/** The facts that a text states, in its order. */
export function factsInText(text: string): Triple[] {
  return plainSentences(text).flatMap((sentence) => factIn(wordsOf(sentence)) ?? [])
}

/** Sentences that say something plainly: without hedge, denial, question, condition or report. */
export function plainSentences(text: string): string[] {
  return text
    .slice(0, text_length_max)
    .split(/(?<=[.!?;])\s+|\n+/u)
    .slice(0, sentences_max)
    .map((sentence) => sentence.trim())
    .filter(isPlain)
}

function isPlain(sentence: string): boolean {
  if (sentence === '' || sentence.includes('?') || /["“”«»(]/u.test(sentence)) return false
  const words = wordsOf(sentence)
  if (words.length < 3 || words.length > words_max) return false
  // Within a sentence May is a month.
  const isDoubtful = (word: string, at: number) => doubtful.has(at === 0 ? word.toLowerCase() : word)
  return !words.some((word, at) => isDoubtful(word, at) || /n['’]t$/iu.test(word))
}

function wordsOf(sentence: string): string[] {
  return sentence
    .replace(/[.!;,:]+(?=\s|$)/gu, '')
    .split(/\s+/u)
    .filter((word) => word !== '')
}

function factIn(words: string[]): Triple | undefined {
  while (words.length > 0 && openings.has(words[0]!.toLowerCase())) words.shift()
  return attributeIn(words) ?? actionIn(words)
}

/** "The ceo of Acme is Ada." */
function attributeIn(words: readonly string[]): Triple | undefined {
  const at = words[0]?.toLowerCase() === 'the' ? 1 : 0
  if (words[at + 1] !== 'of' || !/^[a-z]{2,}$/u.test(words[at] ?? '')) return undefined
  const subject = nameAt(words, at + 2)
  const verb = at + 2 + subject.length
  if (subject.length === 0 || lemmaOf(words[verb] ?? '') !== 'is') return undefined
  return tripleOf(subject, words[at]!, words.slice(verb + 1))
}

/** "Bolt delivers pumps.", "Bolt is a supplier." */
function actionIn(words: readonly string[]): Triple | undefined {
  const subject = nameAt(words, 0)
  let at = subject.length
  while (fillers.has(words[at] ?? '')) at++
  const lemma = lemmaOf(words[at] ?? '')
  if (subject.length === 0 || lemma === undefined) return undefined
  const is_kind = lemma === 'is' && /^an?$/u.test(words[at + 1] ?? '')
  return tripleOf(subject, is_kind ? 'is_a' : lemma, words.slice(at + (is_kind ? 2 : 1)))
}

function tripleOf(
  subject: readonly string[],
  predicate: string,
  rest: readonly string[],
): Triple | undefined {
  const object = withoutDegree(rest.filter((word) => !fillers.has(word.toLowerCase())))
  if (object.length === 0 || object.length > object_words_max) return undefined
  if (object.some((word) => joints.has(word.toLowerCase()))) return undefined
  return { subject: subject.join(' '), predicate, object: object.join(' ') }
}

/** "9 days late" and "two days late" are both late: how much differs from one time to the next. */
function withoutDegree(words: readonly string[]): readonly string[] {
  const at = words.findIndex((word) => measures.has(word.toLowerCase()))
  const has_amount =
    at > 0 && /^(?:[\d.,]+|an?|one|two|three|four|five|six|seven|eight|nine|ten)$/iu.test(words[at - 1]!)
  if (
    !has_amount ||
    !/^[a-z]{3,}$/u.test(words[at + 1] ?? '') ||
    /^(?:of|to|in|for|from|and|after|before|ago)$/u.test(words[at + 1]!)
  )
    return words
  return [...words.slice(0, at - 1), ...words.slice(at + 1)]
}

/** Where a second statement begins. */
const joints = wordSet('and or but because which who whom that while although though so until unless as than')

/** Words with capitals, and numbers after the first: "Bolt", "Acme Steel", "Line 2". */
function nameAt(words: readonly string[], from: number): string[] {
  const name: string[] = []
  for (const word of words.slice(from, from + name_words_max + 1)) {
    const fits = /^\p{Lu}[\p{L}\p{N}&.'’-]*$/u.test(word) || (name.length > 0 && /^\d{1,6}$/u.test(word))
    if (!fits || (name.length === 0 && no_names.has(word.toLowerCase()))) break
    name.push(word)
  }
  return name.length > name_words_max ? [] : name
}

/** The base form of a word that can only be a verb here; undefined for others. */
function lemmaOf(word: string): string | undefined {
  if (!/^[a-z]{2,20}$/u.test(word)) return undefined
  const base_form = irregular[word] ?? (base_verbs.has(word) ? word : undefined)
  if (base_form !== undefined) return base_form
  if (word.endsWith('ied')) return `${word.slice(0, -3)}y`
  if (/[^e]ed$/u.test(word) && word.length > 3) return stemOf(word.slice(0, -2))
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`
  if (/(?:s|x|z|ch|sh)es$/u.test(word)) return stemOf(word.slice(0, -2))
  if (word.endsWith('s') && !word.endsWith('ss') && word.length > 3) return word.slice(0, -1)
  return undefined
}

/** As ends of English verbs that are written with an e. */
const silent_e = /(?:[cvzu]|dg|rs|ns|[^aeiouy]l|^.?[aeiou][bdkmnpstw]|(?<![aeiou])[iu]r|at|id|os|us)$/u

/** "planned" is plan, "owed" owe. */
function stemOf(stem: string): string {
  const single = /([bdgmnprt])\1$/u.test(stem) ? stem.slice(0, -1) : stem
  return single === stem && silent_e.test(stem) ? `${stem}e` : single
}
