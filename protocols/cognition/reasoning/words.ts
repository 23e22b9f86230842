// The closed classes of controlled English, and what one word becomes in its base form.

export interface Word {
  readonly text: string
  readonly capital: boolean
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}

export const copulas = words('is are was were am be been')
export const plural_copulas = words('are were')
/** Said of a verb without changing what is said. */
export const plain_auxiliaries = words('do does did will would shall')
/** Part of what is said: to be able to fly is not to fly. */
export const modals = words('can could may might must should')
export const pronouns = words('it he she they him her them itself himself herself themselves')
export const anyone = words(
  'someone somebody something anyone anybody anything everyone everybody everything whoever whatever',
)
export const nobody = words('nobody noone nothing none')
export const universal_determiners = words('all every each any')
export const relative_pronouns = words('who that which')
export const pointing = words('the this that these those')
export const prepositions = words(
  'of in on at to with by for from than near under over behind above below beside inside outside into onto about against between as among through within across around toward towards',
)
/** Nouns that say no more than "someone" does, unless the premises use them as a class. */
export const trivial_nouns = words('person thing one individual entity folk guy')
/** Measured by the noun: a small elephant is not small, and a good cook who steals is not a good thief. */
export const measured_by_noun = words(
  'big small large little tall short high low long heavy light fast slow good bad great excellent skilled skilful talented fine terrible cheap expensive',
)
/** Of people these are said as they are of anybody. */
export const people_nouns = words('man woman boy girl kid fellow lad lady gentleman')
/** In a condition they would have to be checked of everybody there is. */
export const universal_words = words('all every each everyone everybody everything')
/** Say of whom too loosely, or how things hang together in ways that are not read. */
export const unread = words(
  'most few many several some no none nobody noone nothing half two three four five six seven eight nine ten exactly almost nearly hardly barely scarcely rarely seldom sometimes because since so until before after being having according perhaps maybe possibly supposedly allegedly instead without our my your another named called',
)
/** Kinds of looking that say what somebody is, where what follows is said of others with "is". */
export const linking_verbs = words('look feel act sound')
/** To have a kind heart is to be kind, as far as rules about the kind go. */
export const traits = words(
  'skin nature personality character heart appearance disposition demeanor complexion body attitude temperament soul spirit',
)
export const separators = words(', and or but nor yet')
/** Left out: they strengthen or order a sentence, or say that it holds now. What weakens it is in hedges.ts. */
export const fillers = words(
  'very quite rather fairly somewhat really extremely always also therefore certainly definitely surely simply still indeed too both thus hence furthermore additionally consequently actually just truly naturally basically obviously clearly totally completely absolutely particularly especially incredibly exceptionally highly moreover however now currently presently nowadays already',
)

/** Words about the task and not of it: "Based on the above, is the following statement true, false or unknown". */
export const task_words = words(
  `fact facts rule rules premise premises statement statements sentence sent context hypothesis conclusion question query
  claim assumption axiom law observation given theory true false or unknown uncertain undetermined is are the following
  based on above below information provided determine whether if this that it correct answer choose judge decide can
  we you i infer conclude deduce say prove from be been inferred concluded deduced said proven proved truth value of ,
  and please according to does do follow follows valid proposition tell me check know by using assume holds hold`,
)
/** One of these shows that a sentence made of such words is about the task. */
export const judging_words = words(
  'true false unknown uncertain following statement question conclusion hypothesis correct answer valid above context premises facts rules information query claim concluded inferred deduced proven proved conclude infer deduce say prove follow tell check determine decide know',
)

const known_verbs = words(
  `like love hate chase need visit see eat want know help follow admire fear attack bite call carry catch contact
  contain control create cause defeat defend deliver destroy drive drink employ enjoy exceed find fight give go
  greet guard have hear hire hug hunt include invite join jump keep kick kill kiss lead learn leave lend live lose make manage marry meet
  own pay play prefer protect produce pull push read report respect ride run say sell send sing sleep speak
  study supervise support swim take teach tell think throw touch trust understand use walk wear win work write
  worship belong bring build buy come depend fly grow hold hurt involve lay move offer owe possess provide
  reach remember require rescue return ridicule scare share shout sit smell stay swallow treat watch wash
  dance travel cook paint pet tickle ignore avoid envy orbit resemble imply attend graduate look feel act sound
  drink laugh bark cry talk listen believe
  accept achieve affect afford answer appoint appreciate arrive ask assist attract avoid award ban base become begin
  behave belong benefit bloom borrow breathe breed burn calculate cancel celebrate charge cheat choose clean climb collect
  come compete complete compose conduct consist construct consume continue cost count cross deal decide decline describe
  deserve design develop die differ direct discover discuss earn educate elect enter establish exercise exist expand
  expire explain express fade fail fall feature feed finance finish fix float flow forget found frighten gain gather
  get grade hang happen harm hate hire hold hunt identify increase inherit inspire interest intervene jog
  kneel lack last laugh learn lend listen litter locate love maintain make measure melt merge mention miss notice obey obtain
  occur open operate order organize participate pass perform persuade photograph pick please plant practice pray praise
  prepare prevent print produce promise promote prove publish punish qualify quit raise receive
  recommend recycle reduce refuse reject relate release rely repair represent require respond rest retire
  revolve rise rob rule save schedule score search seek seem serve settle sew shine ski smoke solve spend
  spread start stay steal stop study submit succeed suffer supply surf survive tend train translate trust
  turn type vary vote wait wake want warn waste watch whistle win wish wonder worry yield`,
)

export function isKnownVerb(base: string): boolean {
  return known_verbs.has(base)
}

const irregular_plurals = new Map(
  `people person, persons person, men man, women woman, children child, mice mouse, geese goose, feet foot, teeth tooth,
  oxen ox, wolves wolf, knives knife, wives wife, lives life, leaves leaf, calves calf, halves half, elves elf,
  thieves thief, shelves shelf, loaves loaf, sheep sheep, deer deer, fish fish, moose moose, species species,
  series series, buses bus, gases gas, shoes shoe, toes toe, canoes canoe, movies movie, cookies cookie, pies pie,
  ties tie, lies lie, zombies zombie, genies genie, calories calorie, cacti cactus, fungi fungus, nuclei nucleus,
  alumni alumnus, criteria criterion, phenomena phenomenon, vertices vertex, indices index, analyses analysis,
  crises crisis, dice die, lice louse, houses house, horses horse, nurses nurse, spouses spouse, causes cause,
  roses rose, noses nose, cases case, bases base, purses purse, uses use, courses course, geniuses genius,
  bonuses bonus, viruses virus, walruses walrus, octopuses octopus, hippopotamuses hippopotamus, platypuses platypus`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

const never_plural = /(?:ss|us|is|ous)$/

const names_in_s = words(
  'james charles thomas lucas nicholas agnes frances carlos jonas silas elias tobias hans jens lars wes giles jules texas athens mars paris hercules socrates',
)

export function looksPlural(word: string): boolean {
  if (names_in_s.has(word)) return false
  return irregular_plurals.has(word) || (word.length > 2 && word.endsWith('s') && !never_plural.test(word))
}

/** The form after "a": of several that are possible, one that the premises use. */
export function singular(word: string, used: ReadonlySet<string>): string {
  const irregular = irregular_plurals.get(word)
  if (irregular) return irregular
  if (word.endsWith('men') && word.length > 4) return `${word.slice(0, -2)}an`
  if (!looksPlural(word)) return word
  const candidates = endingsOf(word, true)
  return candidates.find((candidate) => used.has(candidate)) ?? candidates[0]!
}

/** Third person to base form: likes, watches, tries, goes, has. */
export function verbBase(word: string, used: ReadonlySet<string>): string {
  if (word === 'has' || word === 'had') return 'have'
  if (word.length < 3 || !word.endsWith('s') || word.endsWith('ss')) return word
  const candidates = endingsOf(word, false)
  const verb = candidates.find((candidate) => known_verbs.has(candidate))
  return verb ?? candidates.find((candidate) => used.has(candidate)) ?? candidates[0]!
}

const irregular_participles = new Map(
  `seen see, eaten eat, known know, bitten bite, caught catch, driven drive, fought fight, found find, given give,
  heard hear, held hold, hurt hurt, kept keep, led lead, left leave, lost lose, made make, met meet, paid pay,
  read read, ridden ride, sold sell, sent send, taken take, taught teach, told tell, thrown throw, understood understand,
  worn wear, won win, written write, gone go, come come, driven drive, flown fly, drunk drink, begun begin, become become,
  broken break, chosen choose, fallen fall, forgotten forget, risen rise, spoken speak, stolen steal, run run, sung sing, swum swim,
  spent spend, slept sleep, felt feel, thought think, said say, drawn draw, sought seek, built build, bought buy, brought bring, grown grow, laid lay, hidden hide`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

/** liked, carried, hugged, seen: the verb they are formed of, the likeliest first. */
export function participleBases(word: string): string[] {
  const irregular = irregular_participles.get(word)
  if (irregular) return [irregular]
  if (!word.endsWith('ed') || word.length < 5) return []
  const stem = word.slice(0, -2)
  if (stem.endsWith('i')) return [`${stem.slice(0, -1)}y`]
  const doubled = stem.at(-1) === stem.at(-2) ? [stem.slice(0, -1)] : []
  return [`${stem}e`, stem, ...doubled]
}

const irregular_pasts = new Map(
  `saw see, ate eat, knew know, bit bite, caught catch, drove drive, fought fight, found find, gave give, went go, came come,
  heard hear, held hold, kept keep, led lead, left leave, lost lose, made make, met meet, paid pay, rode ride, sold sell,
  sent send, took take, taught teach, told tell, threw throw, understood understand, wore wear, won win, wrote write,
  built build, bought buy, brought bring, grew grow, hid hide, sang sing, swam swim, ran run, sat sit, slept sleep, spoke speak,
  stood stand, flew fly, drank drink, began begin, became become, broke break, chose choose, fell fall, felt feel, forgot forget,
  got get, rose rise, spent spend, stole steal, thought think, woke wake, said say, drew draw, lent lend, sought seek,
  shone shine, sewed sew`
    .split(',')
    .map((pair) => pair.trim().split(' ') as [string, string]),
)

/** wrote, went: the verb of which this is the past form; empty if it is none, or looks like others. */
export function pastBases(word: string): string[] {
  const irregular = irregular_pasts.get(word)
  return irregular ? [irregular] : []
}

/** What may stand without this ending, the likeliest first. */
function endingsOf(word: string, noun: boolean): string[] {
  const without_s = word.slice(0, -1)
  if (word.endsWith('ies') && word.length > 4) return [`${word.slice(0, -3)}y`, without_s]
  if (!word.endsWith('es')) return [without_s]
  const without_es = word.slice(0, -2)
  const hisses = /(?:ch|sh|ss|x|zz|o)$/.test(without_es) || (noun && without_es.endsWith('us'))
  return hisses ? [without_es, without_s] : [without_s, without_es]
}
