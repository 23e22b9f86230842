// The closed classes of controlled English, and what one word becomes in its base form.

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
  'of in on at to with by for from than near under over behind above below beside inside outside into onto about against between as',
)
/** Nouns that say no more than "someone" does, unless the premises use them as a class. */
export const trivial_nouns = words('person thing one individual entity')
export const separators = words(', and or but nor yet')
/** Left out: they weaken, strengthen or order a sentence, and a rule is a rule. */
export const hedges = words(
  'very quite rather fairly somewhat really extremely often usually always generally also typically normally therefore certainly definitely surely simply still indeed too both either probably likely mostly thus hence furthermore additionally consequently',
)

const known_verbs = words(
  `like love hate chase need visit see eat want know help follow admire fear attack bite call carry catch contact
  contain control create cause defeat defend deliver destroy drive drink employ enjoy exceed find fight give go
  greet guard have hear hire hug hunt include invite join jump keep kick kill kiss lead learn leave lend live lose make manage marry meet
  own pay play prefer protect produce pull push read report respect ride run say sell send sing sleep speak
  study supervise support swim take teach tell think throw touch trust understand use walk wear win work write
  worship belong bring build buy come depend fly grow hold hurt involve lay move offer owe possess provide
  reach remember require rescue return ridicule scare share shout sit smell stay swallow treat watch wash
  dance travel cook paint pet tickle ignore avoid envy orbit resemble imply attend graduate`,
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

export function looksPlural(word: string): boolean {
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
  const known = candidates.find((candidate) => known_verbs.has(candidate))
  return known ?? candidates.find((candidate) => used.has(candidate)) ?? candidates[0]!
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
