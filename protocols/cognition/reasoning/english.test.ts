// What sentences mean: each with the clauses it must become, and questions with the answers they must get.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reason } from './answer.ts'
import { renderLiteral } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { individualsOf } from './kernel.ts'
import { readPremises } from './premises.ts'
import { readQuestion } from './question.ts'

const sentences: readonly (readonly [string, string])[] = [
  ['Anne is not quiet.', '-quiet(anne)'],
  ['Charlie and Bob are kind.', 'kind(charlie); kind(bob)'],
  ['Rex is kind, big and not rough.', 'kind(rex); big(rex); -rough(rex)'],
  ['Bob is neither kind nor big.', '-kind(bob); -big(bob)'],
  ['Neither Anne nor Bob is kind.', '-kind(anne); -kind(bob)'],
  ["The cow doesn't like the dog.", '-like(cow, dog)'],
  ['The bald eagle chases the lion and the cow.', "chase('bald eagle', lion); chase('bald eagle', cow)"],
  ['Bob likes Anne but does not like Dave.', 'like(bob, anne); -like(bob, dave)'],
  ['Every wumpus is a yumpus.', 'yumpus(V1) :- wumpus(V1)'],
  ['Wumpuses are not bright.', '-bright(V1) :- wumpus(V1)'],
  ['A woodware is dispensable.', 'dispensable(V1) :- woodware(V1)'],
  ['All kind, big people are rough.', 'rough(V1) :- kind(V1), big(V1)'],
  ['Big, round people are often rough.', 'rough(V1) :- big(V1), round(V1)'],
  ['Young and kind things are nice.', 'nice(V1) :- young(V1), kind(V1)'],
  ['Everyone who is kind and big is nice.', 'nice(V1) :- kind(V1), big(V1)'],
  ['People that are nice are rough.', 'rough(V1) :- nice(V1)'],
  ['Those who like the dog are kind.', 'kind(V1) :- like(V1, dog)'],
  ['Anything that chases the lion is big.', 'big(V1) :- chase(V1, lion)'],
  [
    'If something is red and it visits the cow then the cow is green.',
    'green(cow) :- red(V1), visit(V1, cow)',
  ],
  ['If someone is young and not kind then they are rough.', 'rough(V1) :- young(V1), -kind(V1)'],
  ['When someone is kind they are nice.', 'nice(V1) :- kind(V1)'],
  ['If a cat is hungry, the cat likes the dog.', 'like(V1, dog) :- cat(V1), hungry(V1)'],
  ['Anyone is a cat if and only if they are furry.', 'furry(V1) :- cat(V1); cat(V1) :- furry(V1)'],
  ['If Bob is red or blue then Bob is big.', 'big(bob) :- red(bob); big(bob) :- blue(bob)'],
  ['Birds fly unless they are penguins.', 'fly(V1) :- bird(V1), not penguin(V1)'],
  ['No cat is a dog.', '-dog(V1) :- cat(V1)'],
  ['Nobody who is kind is rough.', '-rough(V1) :- kind(V1)'],
  ['Only cats are happy.', 'cat(V1) :- happy(V1)'],
  ['All cats and dogs are animals.', 'animal(V1) :- cat(V1); animal(V2) :- dog(V2)'],
  ['Wolves eat sheep.', 'eat(V1, sheep) :- wolf(V1)'],
  ['Bob, who is big, is kind.', 'big(bob); kind(bob)'],
  ['The age of Bob is 20.', "'age of'(20, bob)"],
  ["Bob's father is John.", "'father of'(john, bob)"],
  ['If the age of X is at least 18 then X is adult.', "adult(X) :- 'age of'(N1, X), N1 >= 18"],
  [
    'If X is a parent of Y and Y is a parent of Z then X is a grandparent of Z.',
    "'grandparent of'(X, Z) :- 'parent of'(X, Y), 'parent of'(Y, Z)",
  ],
  ['All citizens of Rome are proud.', "proud(V1) :- 'citizen of'(V1, rome)"],
  ['It is false that Anne is big.', '-big(anne)'],
  ['datalog: p(X) :- q(X), not r(X), X > 3.', 'p(X) :- q(X), not r(X), X > 3'],
]

function tell(premises: readonly string[]): string {
  const { clauses, unparsed } = readPremises(premises, 'Anne is kind.')
  assert.deepEqual(unparsed, [])
  return clauses
    .map(
      ({ head, body }) =>
        renderLiteral(head) + (body.length > 0 ? ` :- ${body.map(renderLiteral).join(', ')}` : ''),
    )
    .join('; ')
}

test('sentences become the clauses they mean', () => {
  for (const [sentence, clauses] of sentences) assert.equal(tell([sentence]), clauses, sentence)
})

test('what does not say of whom is not guessed at', () => {
  const vague = [
    'Some cats are black.',
    'Anne is red or Bob is blue.',
    'Being kind makes someone nice.',
    'There is a dog that is kind.',
    'Not all cats are kind.',
    'is',
    ', and',
    'datalog: p(X',
  ]
  const { clauses, unparsed } = readPremises(vague, 'x')
  assert.deepEqual([clauses.length, unparsed.map(({ index }) => index)], [0, [...vague.keys()]])
})

const premises = [
  'Anne is kind.',
  'Bob is big and kind.',
  'The bald eagle likes the cow.',
  'If something likes the cow then it is red.',
  'All kind people are nice.',
  'Nice things are not rough.',
  'The age of Bob is 20.',
  'Gary Smith is a cat.',
  'Cats are animals.',
]

const questions: readonly (readonly [string, string, string])[] = [
  ['Anne is nice.', 'true', 'true'],
  ['Is Anne rough?', 'false', 'false'],
  ['Is it true that Anne is not nice?', 'false', 'false'],
  ['Does the bald eagle like the cow?', 'true', 'true'],
  ['Does the bald eagle not like the cow?', 'false', 'false'],
  ['Is the cow red?', 'unknown', 'false'],
  ['True or false: Gary Smith is an animal.', 'true', 'true'],
  ['Is the age of Bob at least 18?', 'true', 'true'],
  ['Is the age of Bob more than 25?', 'false', 'false'],
  ['Every cat is an animal.', 'true', 'true'],
  ['Every animal is a cat.', 'unknown', 'true'],
  ['No kind people are rough.', 'true', 'true'],
  ['If Dave is kind then Dave is nice.', 'true', 'true'],
  ['Some cats are animals.', 'true', 'true'],
  ['Are Anne and Bob kind?', 'true', 'true'],
  ['Anne is big or Bob is big.', 'true', 'true'],
  ['Who is nice?', 'anne bob', 'anne bob'],
  ['What does the bald eagle like?', 'cow', 'cow'],
  ['Who likes the cow?', 'bald eagle', 'bald eagle'],
  ['What is the age of Bob?', '20', '20'],
  ['datalog: ?- kind(X), big(X).', 'bob', 'bob'],
]

test('questions are understood in the forms people ask them', () => {
  const budget = { work_max: 10_000, deadline_ms: 60_000, elapsed_ms: () => 0 }
  const wants = { proofs: false, confidence: false, alternatives: false }
  for (const [intent, ...expected] of questions) {
    const { clauses, lexicon } = readPremises(premises, intent)
    const question = readQuestion(intent, lexicon, individualsOf(clauses), premises.length)
    for (const [place, assumption] of (['open', 'closed'] as const).entries()) {
      const { answer, bindings } = reason({ clauses, question, assumption, chanceOf: () => 1, wants }, budget)
      const told = bindings ? bindings.map((one) => Object.values(one)[0]).join(' ') : answer
      assert.equal(told, expected[place], `${intent} (${assumption})`)
    }
  }
})

test('any words at all are read or reported, never a failure of the reader', () => {
  const word = fc.constantFrom(
    ...'a the if then and or not is are who that every no some unless , . kind Anne cat cats likes it they X of than 5 only neither all datalog: does'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { maxLength: 12 }), { maxLength: 4 }),
      fc.array(word, { minLength: 1, maxLength: 8 }),
      (lines, asked) => {
        const said = lines.map((words) => words.join(' '))
        const { clauses, lexicon } = readPremises(said, asked.join(' '))
        try {
          readQuestion(asked.join(' '), lexicon, individualsOf(clauses), said.length)
        } catch (error) {
          assert.ok(error instanceof Unparsed, String((error as Error).stack))
        }
      },
    ),
    { numRuns: 300 },
  )
})
