// What is hedged, past, possible or reported never counts as stated; and what is stated is followed further.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { compute, type ReasoningTask } from './reasoning-job.ts'

function ask(premises: readonly string[], intent: string, more: Partial<ReasoningTask> = {}) {
  const task: ReasoningTask = {
    intent,
    premises,
    premise_confidence: [],
    facts: [],
    assumption: 'open',
    wants: { proofs: true, confidence: true, alternatives: false },
    work_max: 200_000,
    deadline_ms: 60_000,
    ...more,
  }
  return compute(task, { elapsed_ms: () => 0 })
}

const answerOf = (premises: readonly string[], intent: string) => ask(premises, intent).answer

type HedgedSentence = readonly [said: string, asked: string, answer?: string]

function readSuite<Suite>(name: string): Suite {
  return JSON.parse(readFileSync(new URL(`suites/${name}.json`, import.meta.url), 'utf8'))
}

test('no hedge, tense, modal or report of the suite is proved as if it were stated', () => {
  const suite = readSuite<Record<string, readonly HedgedSentence[]>>('hedges')
  const wrong: string[] = []
  let sentences = 0
  for (const [sentence, question, answer] of Object.values(suite).flat()) {
    sentences += 1
    const result = ask([sentence], question)
    const sure = result.confidence === 1 && result.confidence_upper === 1
    if (answer ? result.answer !== answer || !sure : result.answer !== 'unknown' && sure) wrong.push(sentence)
    // What is used is used with its hedge, and what is not used is named or says something else.
    const query = result.readings.find(({ index }) => index === -1)?.clauses[0]?.replace(/^\?- /, '')
    const reading = result.readings.find(({ index }) => index === 0)
    const named = result.unparsed.some(({ index }) => index === 0) || (reading?.hedges.length ?? 0) > 0
    if (!answer && !named && reading?.clauses.includes(query ?? '')) wrong.push(`not named: ${sentence}`)
    if (result.answer !== 'unknown' && !sure) assert.ok(result.hedges.length > 0, sentence)
  }
  assert.ok(sentences >= 150, `${sentences}`)
  assert.deepEqual(wrong, [])
})

test('a hedge is a leaf of the proof with its probability, beside that of its premise', () => {
  const premises = ['Birds usually fly.', 'Tweety is probably a bird.']
  const result = ask(premises, 'Does Tweety fly?', { premise_confidence: [1, 0.5] })
  assert.equal(result.answer, 'true')
  assert.ok(Math.abs(result.confidence - 0.8 * 0.8 * 0.5) < 1e-12, `${result.confidence}`)
  assert.deepEqual(result.hedges, [
    { index: 0, word: 'usually', probability: 0.8 },
    { index: 1, word: 'probably', probability: 0.8 },
  ])
  assert.equal(result.derivation.filter(({ rule }) => rule === 'hedge').length, 2)
})

test('what is stated outright wins over what is hedged', () => {
  const premises = ['Birds usually fly.', 'Pingu is a bird.', 'Pingu is a penguin.', 'Penguins do not fly.']
  const result = ask(premises, 'Does Pingu fly?')
  assert.deepEqual([result.answer, result.confidence, result.hedges], ['false', 1, []])
  const exception = [
    'Birds fly unless they are penguins.',
    'Tweety is a bird.',
    'Tweety is probably a penguin.',
  ]
  assert.equal(answerOf(exception, 'Does Tweety fly?'), 'unknown')
})

test('no premise or fact can use the names of the engine to make a hedge certain or to stand for everybody', () => {
  const forged = ["datalog: '#hedge:1:0'.", 'Bob is probably guilty.']
  assert.deepEqual(
    [ask(forged, 'Is Bob guilty?').confidence, ask(forged, 'Is Bob guilty?').unparsed.length],
    [0.8, 1],
  )
  assert.equal(answerOf(["datalog: nice('#any:V1')."], 'Every cat is nice.'), 'unknown')
  const facts = [{ subject: '#any:V1', predicate: 'is', object: 'nice' }]
  assert.equal(ask([], 'Every cat is nice.', { facts }).answer, 'unknown')
})

test('what was not understood keeps open what rests on the absence of a fact', () => {
  const rules = ['Birds fly unless they are penguins.', 'Tweety is a bird.']
  assert.equal(answerOf(rules, 'Does Tweety fly?'), 'true')
  assert.equal(answerOf([...rules, 'Perhaps Tweety is a penguin.'], 'Does Tweety fly?'), 'unknown')
  const closed = { assumption: 'closed' } as const
  assert.equal(ask(['Anne is kind.'], 'Is Bob kind?', closed).answer, 'false')
  assert.equal(ask(['Anne is kind.', 'Perhaps Bob is kind.'], 'Is Bob kind?', closed).answer, 'unknown')
})

test('a question that is hedged or reported is not understood', () => {
  for (const intent of [
    'Is Bob probably rich?',
    'Bob looks rich.',
    'Anne says that Bob is rich.',
    'Perhaps Bob is rich.',
  ])
    assert.deepEqual(
      ask(['Bob is rich.', 'Carl is rich.'], intent).unparsed.map(({ index }) => index),
      [-1],
      intent,
    )
})

test('a rule over kinds denies its condition where its conclusion is denied', () => {
  const premises = ['All cats are animals.', 'Rex is not an animal.']
  assert.equal(answerOf(premises, 'Is Rex a cat?'), 'false')
  assert.equal(ask(premises, 'Is Rex a cat?', { rules: 'one_way' }).answer, 'unknown')
  const described = ['Kind people are nice.', 'Bob is not nice.']
  assert.equal(answerOf(described, 'Is Bob kind?'), 'unknown')
  assert.equal(ask(described, 'Is Bob kind?', { rules: 'implications' }).answer, 'false')
  // A hedged rule says nothing about its condition.
  assert.equal(answerOf(['Birds usually fly.', 'Rex does not fly.'], 'Is Rex a bird?'), 'unknown')
})

test('what follows from each alternative follows from the disjunction, with one proof of all cases', () => {
  const premises = [
    'Felix is a student or Felix is a teacher.',
    'Students get a discount.',
    'Teachers get a discount.',
  ]
  const result = ask(premises, 'Does Felix get a discount?')
  assert.equal(result.answer, 'true')
  assert.deepEqual(
    result.derivation.map(({ conclusion, rule }) => `${conclusion} ${rule}`),
    [
      'student(felix) or teacher(felix) premise:0',
      'student(felix) case',
      'get(felix, discount) premise:1',
      'teacher(felix) case',
      'get(felix, discount) premise:2',
      'get(felix, discount) cases',
    ],
  )
  assert.deepEqual(result.derivation.at(-1)!.from, [1, 3, 5])
  assert.deepEqual(
    result.leaves.map(({ premise_index }) => premise_index),
    [0, 1, 2],
  )
  assert.equal(answerOf(premises.slice(0, 2), 'Does Felix get a discount?'), 'unknown')
  assert.equal(answerOf([...premises, 'Felix is not a student.'], 'Is Felix a teacher?'), 'true')
  const both = ['Bob is a judge or a baker.', 'Bob is a judge.']
  assert.equal(answerOf(both, 'Is Bob a baker?'), 'unknown')
  assert.equal(
    answerOf(['Bob is a judge or a baker, but not both.', 'Bob is a judge.'], 'Is Bob a baker?'),
    'false',
  )
})

test('somebody exists without a name, answers whether, and is not named', () => {
  const premises = ['Some students are rich.', 'All rich people are happy.', 'Bob is a student.']
  assert.equal(answerOf(premises, 'Is there someone who is happy?'), 'true')
  assert.equal(answerOf(premises, 'Some students are happy.'), 'true')
  assert.equal(answerOf(premises, 'Is Bob rich?'), 'unknown')
  const who = ask(premises, 'Who is rich?')
  assert.deepEqual([who.answer, who.bindings], ['unknown', []])
})

test('a conditional question is true if its condition entails the rest, and false only for who fits it', () => {
  const premises = ['All cats are animals.', 'No animal is a plant.', 'Tom is a cat.']
  assert.equal(answerOf(premises, 'If Rex is a cat, is Rex an animal?'), 'true')
  assert.equal(answerOf(premises, 'If Tom is a cat then Tom is a plant.'), 'false')
  assert.equal(answerOf(premises, 'If Rex is a cat then Rex is a plant.'), 'unknown')
  assert.equal(answerOf(premises, 'Every cat is a plant.'), 'false')
  assert.equal(answerOf(premises.slice(0, 2), 'Every cat is a plant.'), 'unknown')
})

const measured: readonly (readonly [premises: readonly string[], question: string, answer: string])[] = [
  [['Bob has at least two cats.'], 'Does Bob have at least one cat?', 'true'],
  [['Bob has at least two cats.'], 'Does Bob have at least three cats?', 'unknown'],
  [['Bob has at most two cats.'], 'Does Bob have at least three cats?', 'false'],
  [['Bob has exactly two cats.'], 'Does Bob have exactly two cats?', 'true'],
  [['Bob has exactly two cats.'], 'Does Bob have more than two cats?', 'false'],
  [['Bob has two cats.'], 'Does Bob have more than two cats?', 'unknown'],
  [['Bob had three cats.'], 'Does Bob have at least two cats?', 'unknown'],
  [['Bob has at least two cats.'], 'Does Bob have at least one dog?', 'unknown'],
  [['Whoever has more than two cats is happy.', 'Bob has three cats.'], 'Is Bob happy?', 'true'],
  [['Whoever has more than two cats is happy.', 'Bob has two cats.'], 'Is Bob happy?', 'unknown'],
  [['Ann is taller than Bob.', 'Bob is taller than Carl.'], 'Is Carl shorter than Ann?', 'true'],
  [['Ann is taller than Bob.'], 'Is Bob taller than Ann?', 'false'],
  [['Ann is not taller than Bob.'], 'Is Bob taller than Ann?', 'unknown'],
  [['Ann was taller than Bob.'], 'Is Ann taller than Bob?', 'unknown'],
  [
    ['The river is longer than the road.', 'The road is longer than the wall.'],
    'Is the wall shorter than the river?',
    'true',
  ],
  [
    ['Ann is more careful than Bob.', 'Bob is more careful than Carl.'],
    'Is Carl less careful than Ann?',
    'true',
  ],
  [['Bob was born on 3 May 1990.'], 'Was Bob born before 1990?', 'false'],
  [['Bob was born on May 3, 1990.'], 'Was Bob born before 1991?', 'true'],
  [['Bob was born in 1990.'], 'Was Bob born after 1990?', 'false'],
  [['Bob was born in 1990.'], 'Was Bob born before 3 May 1990?', 'unknown'],
  [['Bob was born in 1990.'], 'Was Bob born after 3 May 1990?', 'unknown'],
  [['Bob was born on 2020-05-03.'], 'Was Bob born after May 1, 2020?', 'true'],
  [['Bob was born on 31 February 2020.'], 'Was Bob born before 2021?', 'unknown'],
  [['Bob was born on 2020-02-30.'], 'Was Bob born before 2021?', 'unknown'],
  [['Bob was born on 2020-13-05.'], 'Was Bob born before 2022?', 'unknown'],
  [['Bob was born on 29 February 2020.'], 'Was Bob born before 2021?', 'true'],
  [['Bob has between 300 and 500 dollars.'], 'Does Bob have more than 400 dollars?', 'unknown'],
  [['Bob has 1,500 dollars.'], 'Does Bob have more than 1,200 dollars?', 'true'],
  [['The car costs 500 dollars.'], 'Does the car cost 400 dollars?', 'false'],
  [['The price of the car is -5.'], 'Does the price of the car exceed 4?', 'unknown'],
  [['The price of the car is 5,000.'], 'Does the price of the car exceed 4,999?', 'true'],
  [['The car costs at least 500 dollars.'], 'Does the car cost 600 dollars?', 'unknown'],
  [
    [
      'Every bridge that was built before 1900 is old.',
      'The pont is a bridge.',
      'The pont was built in 1890.',
    ],
    'Is the pont old?',
    'true',
  ],
]

test('counts are bounds, comparatives are orders, and dates come before and after each other', () => {
  for (const [premises, question, answer] of measured)
    assert.equal(answerOf(premises, question), answer, `${premises.join(' ')} ${question}`)
})

test('a description says no more of the noun than its adjective does', () => {
  const of = (sentence: string, question: string) =>
    answerOf([sentence, 'Mice are small.', 'Coins are fake.'], question)
  assert.equal(of('Jumbo is a small elephant.', 'Is Jumbo an elephant?'), 'true')
  assert.equal(of('Jumbo is a small elephant.', 'Is Jumbo small?'), 'unknown')
  assert.equal(of('Bob is a fake doctor.', 'Is Bob a doctor?'), 'unknown')
  assert.equal(answerOf(['A dog bit Bob.', 'Rex is a dog.'], 'Did Rex bite Bob?'), 'unknown')
})

interface Story {
  readonly premises: readonly string[]
  readonly asks: readonly (readonly [question: string, label: string])[]
}

test('a hundred problems in the English of people: none wrong, and more than a third of the definite ones answered', () => {
  const wrong: string[] = []
  let [problems, definite, answered] = [0, 0, 0]
  for (const { premises, asks } of readSuite<readonly Story[]>('people')) {
    for (const [question, label] of asks) {
      problems += 1
      if (label !== 'unknown') definite += 1
      const answer = answerOf(premises, question)
      if (answer === 'unknown') continue
      if (answer !== label) wrong.push(`${question} (${answer})`)
      else answered += 1
    }
  }
  assert.deepEqual(wrong, [])
  assert.ok(problems >= 100 && answered > definite / 3, `${answered} of ${definite} definite of ${problems}`)
})

test('what a later sentence takes back is not proved', () => {
  const denied = [
    ['Anne is rich. That is false.'],
    ['Anne is rich; that is a lie.'],
    ['Anne is rich. But this is not true.'],
    ['Anne is rich.', 'That is wrong.'],
    ['Anne is rich. It is untrue.'],
  ]
  for (const premises of denied) {
    const { answer, unparsed } = ask(premises, 'Is Anne rich?')
    assert.deepEqual([answer, unparsed[0]?.index], ['unknown', 0], premises.join(' '))
  }
  assert.equal(answerOf(['Anne is rich.', 'It is false that Bob is rich.'], 'Is Anne rich?'), 'true')
  assert.equal(answerOf(['Anne is rich. It is not true that Bob is rich.'], 'Is Bob rich?'), 'false')
})

/** Each was answered otherwise before: [premises, question, answer]. */
const denied: readonly (readonly [premises: readonly string[], question: string, answer: string])[] = [
  [['It is not the case that all birds fly.', 'Tweety is a bird.'], 'Does Tweety fly?', 'unknown'],
  [['It is not true that every dog is friendly.', 'Rex is a dog.'], 'Is Rex friendly?', 'unknown'],
  [['It is false that birds fly.', 'Tweety is a bird.'], 'Does Tweety fly?', 'unknown'],
  [['It is false that Bob is rich.'], 'Is Bob rich?', 'false'],
  [['If someone is kind then it is not true that they are cruel.', 'Ann is kind.'], 'Is Ann cruel?', 'false'],
  [['Bob is not rich and happy.'], 'Is Bob rich?', 'unknown'],
  [['Bob is not rich and happy.'], 'Is Bob happy?', 'unknown'],
  [['Bob does not like cats and dogs.'], 'Does Bob like dogs?', 'unknown'],
  [['Bob is not rich but happy.'], 'Is Bob happy?', 'true'],
  [['Bob is not rich and not happy.'], 'Is Bob happy?', 'false'],
  [['Whoever is not rich and happy is wise.', 'Bob is not rich.', 'Bob is happy.'], 'Is Bob wise?', 'true'],
  [['Bob is not known to be a thief.'], 'Is Bob a thief?', 'unknown'],
  [['Bob is not certain to be rich.'], 'Is Bob rich?', 'unknown'],
  [['Ann and Bob are a couple.'], 'Is Ann a couple?', 'unknown'],
  [['Bob is rich, unless I am mistaken.'], 'Is Bob rich?', 'unknown'],
  [['A dog is barking.', 'Rex is a dog.'], 'Is Rex barking?', 'unknown'],
  [['Both dogs bark.', 'Rex is a dog.'], 'Does Rex bark?', 'unknown'],
  [['Both Ann and Bob are rich.'], 'Is Bob rich?', 'true'],
  [['Ann and Bob are doctors.'], 'Is Ann a doctor?', 'true'],
  [['Dodos are extinct.', 'Rex is a dodo.'], 'Is Rex extinct?', 'unknown'],
  [['All gems are rare.', 'Ruby is a gem.'], 'Is Ruby rare?', 'true'],
]

test('a denial reaches no further than what it surely denies, and what is said of many not to each', () => {
  for (const [premises, question, answer] of denied)
    assert.equal(answerOf(premises, question), answer, `${premises.join(' ')} ${question}`)
})
