// Normalizes equivalent phrases before parsing: "tends to be" becomes "is".
import { type Hedge, takeHedges, takeMarks } from './hedges.ts'
import { spellOutPast } from './time.ts'
import { copulas, fillers, prepositions, separators, type Word } from './words.ts'

type Rewriting = readonly [phrase: readonly string[], instead: readonly string[]]

/** Marks "but not both"; cannot occur in a text. */
export const not_both = '#not-both'
/** Marks a statement too vague for a rule, so that it is not parsed. */
export const loosely = '#loosely'

const copulas_told = ['is', 'are', 'was', 'were']

function sameFor(list: string, instead: string): Rewriting[] {
  return list.split(',').map((phrase) => [wordsOf(phrase), wordsOf(instead)])
}

function wordsOf(phrase: string): string[] {
  return phrase.split(/\s+/).filter((text) => text.length > 0)
}

/** "is certain to be": that it is not certain does not say that it is not so. */
function certainly(list: string, ...mark: string[]): Rewriting[] {
  const unsure = list
    .split(',')
    .flatMap((phrase) => copulas_told.flatMap((be) => sameFor(`${be} not ${phrase}`, loosely)))
  return [...unsure, ...passively(list, ...mark)]
}

/** "is known to be", "are known to be", "can be known to be": each becomes "is" or "are", with the hedge's mark. */
function passively(list: string, ...mark: string[]): Rewriting[] {
  return list.split(',').flatMap((phrase) => {
    const tail = wordsOf(phrase)
    const rewritings: Rewriting[] = copulas_told.flatMap((be): Rewriting[] => [
      [
        [be, ...tail],
        [be, ...mark],
      ],
      [
        [be, 'not', ...tail],
        [be, 'not', ...mark],
      ],
    ])
    return [
      ...rewritings,
      [
        ['can', 'be', ...tail],
        ['do', 'be', ...mark],
      ],
      [
        ['be', ...tail],
        ['be', ...mark],
      ],
    ]
  })
}

/** Words dropped elsewhere are significant in these phrases. */
const before_hedges = indexed([
  ...sameFor('but not both,and not both,but never both', not_both),
  ...sameFor('not both,not always,not necessarily,not entirely,not exactly', loosely),
  ...sameFor('not yet,no longer', 'not'),
  ...sameFor('anymore,any more,at present,at the moment,these days', ''),
  ...sameFor('as a rule,in general,on the whole', '#generally'),
  ...sameFor('most of the time', '#mostly'),
  ...sameFor('it is likely that', '#likely'),
  ...sameFor('it is probable that', '#probably'),
  ...sameFor(
    'is kind of,are kind of,was kind of,sort of,more or less,or so,about as,as far as,in part,on average',
    loosely,
  ),
  ...sameFor('unless i am,unless we are,if i am not,if i remember,if memory serves', loosely),
  ...sameFor('for the most part,by and large,to some extent,to a degree,in a way,in a sense', loosely),
  ...sameFor(
    'last year,next year,last week,next week,last month,next month,is about to,are about to',
    loosely,
  ),
  ...sameFor('the first person,the second person,the former,the latter,the first one,the other one', loosely),
  ...passively('likely to be,also likely to be,very likely to be,most likely to be', '#likely'),
  ...sameFor('sure is', 'is'),
  ...sameFor('sure are', 'are'),
  ...sameFor('even though,although,though,whereas,while', 'but'),
  ...sameFor('even if', 'if'),
])

const after_hedges = indexed([
  ...sameFor('tends to be', 'is #tends'),
  ...sameFor('tend to be', 'are #tends'),
  ...sameFor('seems to be,appears to be', 'is #seems'),
  ...sameFor('seem to be,appear to be', 'are #seems'),
  ...sameFor('happens to be,turns out to be,gets to be', 'is'),
  ...sameFor('happen to be,turn out to be,get to be', 'are'),
  ...sameFor('is going to,are going to', 'will'),
  ...sameFor('has been,had been', 'was'),
  ...sameFor('have been', 'were'),
  ...sameFor('has not been,had not been', 'was not'),
  ...sameFor('have not been', 'were not'),
  ...sameFor('is used to', 'is used to'),
  ...sameFor('are used to', 'are used to'),
  ...sameFor('used to', 'did'),
  ...'day week month year morning evening night weekend'
    .split(' ')
    .flatMap((time) => sameFor(`every ${time},each ${time}`, `every-${time}`)),
  ...certainly('known to be,found to be'),
  ...passively('considered to be,deemed to be', '#considered'),
  ...sameFor('can be said to be', 'do be #considered'),
  ...sameFor('said to be,believed to be,thought to be,reported to be,rumored to be,rumoured to be', loosely),
  ...sameFor(
    'alleged to be,supposed to be,understood to be,assumed to be,expected to be,claimed to be',
    loosely,
  ),
  ...certainly('sure to be,certain to be,bound to be,guaranteed to be', '#bound'),
  ...passively('considered as,regarded as,seen as,viewed as,described as,thought of as', '#considered'),
  ...passively('known as,classified as'),
  ...passively('known for being,a kind of,a type of,a sort of,an example of,an instance of'),
  ...sameFor('as long as,so long as,in case,in the event that,on condition that,on the condition that', 'if'),
  ...sameFor('once knowing that,once we know that,if we know that,if it is known that,knowing that', 'if'),
  ...sameFor(
    'if it is true that,if it is the case that,when it is true that,every time,any time,anytime',
    'if',
  ),
  ...sameFor('assuming that,assuming,provided that,providing that,given the fact that,whenever', 'if'),
  ...sameFor('only when,only once,only provided that', 'only if'),
  ...sameFor('exactly when,exactly if,precisely when,precisely if,just in case,when and only when', 'iff'),
  ...sameFor(
    'it can be concluded that,it can be inferred that,it can be deduced that,we can conclude that',
    '',
  ),
  ...sameFor('we can infer that,we can deduce that,it follows that,it means that,this means that', ''),
  ...sameFor('we know that,i know that,it is known that,it is certain that,it is a fact that', ''),
  ...sameFor('it must be true that,it is clear that,it is obvious that,it is also true that', ''),
  ...sameFor('you can conclude that,one can conclude that,you can be sure that', ''),
  ...sameFor('at least one,at least 1,one or more', 'some'),
  ...sameFor('are all', 'are'),
  ...sameFor('as well as,along with,in addition to being,while being', 'and'),
  ...sameFor('as well,in addition,in fact,of course,for sure,by definition,at all', ''),
  ...sameFor('all the time,by nature,in turn,at the same time,on the other hand', ''),
  ...sameFor('not only', ''),
  ...sameFor('he or she,she or he,he she', 'they'),
  ...sameFor('him or her,her or him', 'them'),
  ...sameFor('whoever,all who,one who,those people who', 'everyone who'),
  ...sameFor('whatever,all that', 'everything that'),
  ...sameFor('all those', 'those'),
  ...sameFor('another person', 'someone else'),
  ...sameFor('another thing', 'something else'),
  ...sameFor('is able to,are able to,has the ability to,have the ability to', 'can'),
  ...sameFor('is not able to,are not able to,is unable to,are unable to', 'can not'),
  ...sameFor('one another', 'each other'),
  ...sameFor('none of the,none of', 'no'),
  ...sameFor('every one of the,each of the,each one of the', 'every'),
  ...sameFor('no one', 'nobody'),
  ...'people persons things those folks'
    .split(' ')
    .flatMap((who) => sameFor(`${who} with`, `${who} who have`)),
  ...'person thing anyone anybody anything everyone everybody everything someone somebody something'
    .split(' ')
    .flatMap((who) => sameFor(`${who} with`, `${who} who has`)),
  ...sameFor('that guy,that man,that woman,that girl,that boy', 'that person'),
])

/** Only before a description: "is considered kind", not "is considered by Anne". */
const before_description = indexed([
  ...passively('considered,deemed', '#considered'),
  ...sameFor('seems,appears', 'is #seems'),
  ...sameFor('seem,appear', 'are #seems'),
  ...sameFor('becomes', 'is #becomes'),
  ...sameFor('become', 'are #becomes'),
  ...sameFor('remains', 'is'),
  ...sameFor('remain', 'are'),
])

type Index = ReadonlyMap<string, readonly Rewriting[]>

function indexed(rewritings: readonly Rewriting[]): Index {
  const index = new Map<string, Rewriting[]>()
  for (const rewriting of rewritings) {
    const first = rewriting[0][0]!
    index.set(first, [...(index.get(first) ?? []), rewriting])
  }
  for (const list of index.values()) list.sort(([a], [b]) => b.length - a.length)
  return index
}

export interface Plain {
  readonly words: readonly Word[]
  readonly hedges: readonly Hedge[]
  /** Why the sentence cannot be used; undefined if it can. */
  readonly fault: string | undefined
}

/** One pass each: at every word the longest matching phrase wins. */
export function plainWording(words: readonly Word[]): Plain {
  const qualified = takeHedges(rewrite(words, before_hedges))
  const bare = qualified.words.filter((word, at, all) => !isFiller(word, all[at + 1]))
  const described = rewrite(rewrite(bare, after_hedges), before_description, (next) => {
    return next !== undefined && !prepositions.has(next.text)
  })
  const marked = takeMarks(described)
  const plain = dropIdleCommas(marked.words).filter(
    (word, at, all) => word.text !== 'yet' || at + 1 < all.length,
  )
  const vague = plain.some(({ text }) => text === loosely)
    ? 'it is said too loosely to prove anything'
    : undefined
  const fault = qualified.fault ?? vague
  return { words: spellOutPast(plain), hedges: [...qualified.hedges, ...marked.hedges], fault }
}

/** "even kind" means kind; "even numbers" and "4 is even" are about numbers. */
function isFiller({ text }: Word, next: Word | undefined): boolean {
  if (text !== 'even') return fillers.has(text)
  return next !== undefined && !separators.has(next.text) && !/^(?:number|integer)s?$/.test(next.text)
}

function rewrite(
  words: readonly Word[],
  index: Index,
  allows: (next: Word | undefined) => boolean = () => true,
): Word[] {
  const plain: Word[] = []
  for (let at = 0; at < words.length; ) {
    const rewriting = index
      .get(words[at]!.text)
      ?.find(
        ([phrase]) =>
          phrase.every((text, place) => words[at + place]?.text === text) &&
          allows(words[at + phrase.length]),
      )
    if (rewriting) for (const text of rewriting[1]) plain.push({ text, capital: false })
    else plain.push(words[at]!)
    at += rewriting ? rewriting[0].length : 1
  }
  return plain
}

/** "However, Bob is kind", "Bob is, in fact, kind": drops the commas around omitted words. */
function dropIdleCommas(words: readonly Word[]): Word[] {
  return words.filter(({ text }, at) => {
    const before = words[at - 1]?.text ?? ','
    return text !== ',' || (before !== ',' && !copulas.has(before))
  })
}
