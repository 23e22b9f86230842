// Sentences with their expected clauses, and questions with their expected answers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { reason } from './answer.ts'
import { renderLiteral } from './clause.ts'
import { Unparsed } from './datalog.ts'
import { individualsOf } from './kernel.ts'
import { readPremises } from './premises.ts'
import { readQuestion } from './question.ts'
import { renderClause } from './reading.ts'

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
  ['Big, round people are often rough.', 'rough(V1) :- big(V1), round(V1) ~ often'],
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
  ['Bob is actually kind.', 'kind(bob)'],
  ['Big people do not tend to be green.', '-green(V1) :- big(V1) ~ tends'],
  ['Kind people are considered to be nice.', 'nice(V1) :- kind(V1) ~ considered'],
  ['Bob can be said to be kind.', 'kind(bob) ~ considered'],
  ['If someone is kind then they will also be nice.', 'nice(V1) :- kind(V1) ~ will'],
  ['As long as someone is brave, they are bold.', 'bold(V1) :- brave(V1)'],
  ['Someone is bold if they are brave.', 'bold(V1) :- brave(V1)'],
  ['Cats are happy when they are fed.', 'happy(V1) :- fed(V1), cat(V1)'],
  ['The cow is green if something visits it.', 'green(cow) :- visit(V1, cow)'],
  ['Being brave implies being bold.', 'bold(V1) :- brave(V1)'],
  ['Bob being brave and not calm implies Anne being bold.', 'bold(anne) :- brave(bob), -calm(bob)'],
  ['It can be concluded that Troy is quiet once knowing that Alfred is long.', 'quiet(troy) :- long(alfred)'],
  [
    'If someone is brave, then he is calm and not sad, and vice versa.',
    'calm(V1) :- brave(V1); -sad(V1) :- brave(V1); brave(V1) :- calm(V1), -sad(V1)',
  ],
  ['If and only if Bob is brave, Anne is calm.', 'calm(anne) :- brave(bob); brave(bob) :- calm(anne)'],
  ['Being brave is a necessary condition for being calm.', 'brave(V1) :- calm(V1)'],
  ['Someone is calm only if they are brave.', 'brave(V1) :- calm(V1)'],
  [
    'If there is someone who is either not fresh or entire, then Terence is serious.',
    'serious(terence) :- -fresh(V1); serious(terence) :- entire(V1)',
  ],
  ['If there is a dog then Bob is calm.', 'calm(bob) :- dog(V1)'],
  ['All not brave and not calm people are weak.', 'weak(V1) :- -brave(V1), -calm(V1)'],
  [
    'If someone is either red or blue but not both, they are weak.',
    'weak(V1) :- red(V1), -blue(V1); weak(V1) :- blue(V1), -red(V1)',
  ],
  ['If either Bob or Anne is kind then Carl is weak.', 'weak(carl) :- kind(bob); weak(carl) :- kind(anne)'],
  ['Every dog barks.', 'bark(V1) :- dog(V1)'],
  ['Anything that barks is loud.', 'loud(V1) :- bark(V1)'],
  ['Dogs bark.', 'bark(V1) :- dog(V1)'],
  ['Metals conduct electricity.', 'conduct(V1, electricity) :- metal(V1)'],
  ['Alan, who is round, red and kind, is blue.', 'round(alan); red(alan); kind(alan); blue(alan)'],
  ['Alan, a teacher, is blue.', 'teacher(alan); blue(alan)'],
  ['People having a cat are kind.', 'kind(V1) :- cat(V2), have(V1, V2)'],
  ["Anyone who's kind is nice.", 'nice(V1) :- kind(V1)'],
  ['Bob is not only kind but also big.', 'kind(bob); big(bob)'],
  ['Someone who is neither kind nor not big is red.', 'red(V1) :- -kind(V1), big(V1) ~ generally'],
  ['Bob neither sings nor dances.', '-sing(bob); -dance(bob)'],
  ['If someone does not sing or dance, they are sad.', 'sad(V1) :- -sing(V1), -dance(V1)'],
  ['Bob is liked by Anne.', 'like(anne, bob)'],
  ['The mouse is liked by the cat and the dog.', 'like(cat, mouse); like(dog, mouse)'],
  ['(1) Anne is kind.', 'kind(anne)'],
  ['Rule 12: If someone is kind then they are nice.', 'nice(V1) :- kind(V1)'],
  ['Unless someone is kind, they are rough.', 'rough(V1) :- not kind(V1)'],
  ['Bob likes every dog that is big.', 'like(bob, V1) :- dog(V1), big(V1)'],
  ['Everyone who likes a dog that is big is kind.', 'kind(V1) :- dog(V2), big(V2), like(V1, V2)'],
  ['Bob has no cat.', '-have(bob, cat)'],
  ['Bob is not kind, big, or red.', '-kind(bob); -big(bob); -red(bob)'],
  ['If Bob is kind, Anne is big, and Carl is red.', 'big(anne) :- kind(bob); red(carl) :- kind(bob)'],
  ['Bob and Anne like each other.', 'like(bob, anne); like(anne, bob)'],
  ['Whoever likes Bob is nice.', 'nice(V1) :- like(V1, bob)'],
  ['Birds are able to fly.', "'can fly'(V1) :- bird(V1)"],
  ['Any animal with wings can fly.', "'can fly'(V1) :- animal(V1), have(V1, wing)"],
  ['Every professor in the school is published.', 'published(V1) :- professor(V1), in(V1, school)'],
  ['Bob likes the cow and he is kind.', 'like(bob, cow); kind(bob)'],
  ['If someone is a bird then they have a beak.', 'have(V1, beak) :- bird(V1)'],
  [
    'People who are cold are kind, and people who are kind are nice.',
    'kind(V1) :- cold(V1); nice(V2) :- kind(V2)',
  ],
  ['Nobody who cheats succeeds.', '-succeed(V1) :- cheat(V1)'],
  ['Every student or teacher is kind.', 'kind(V1) :- student(V1); kind(V2) :- teacher(V2)'],
  [
    'If Max is kind and either Sam is happy or Sam is sad, then Tom is calm.',
    'calm(tom) :- kind(max), happy(sam); calm(tom) :- kind(max), sad(sam)',
  ],
  ['Some cats are black.', "cat('#some:0:V1'); black('#some:0:V1')"],
  ['At least one cat is kind.', "cat('#some:0:V1'); kind('#some:0:V1')"],
  ['There is a dog that is kind.', "dog('#some:0:V1'); kind('#some:0:V1')"],
  ['Someone is kind.', "kind('#some:0:V1')"],
  ['Anne is red or Bob is blue.', 'red(anne) :- -blue(bob); blue(bob) :- -red(anne)'],
  ['Bob or Anne is kind.', 'kind(bob) :- -kind(anne); kind(anne) :- -kind(bob)'],
  [
    'Bob is either kind or big, but not both.',
    'kind(bob) :- -big(bob); -kind(bob) :- big(bob); big(bob) :- -kind(bob); -big(bob) :- kind(bob)',
  ],
  ['Bob visits Ann if it rains.', 'visit(bob, ann) :- rain(it)'],
  ['Bob was rich.', "'past rich'(bob)"],
  ['Bob has studied law.', "'past study'(bob, law)"],
  ['Bob wrote the letter.', "'past write'(bob, letter)"],
  ['Bob will win.', "'future win'(bob)"],
  ['Bob is not very tall.', '-tall(bob) ~ not very'],
  ['datalog: p(X) :- q(X), not r(X), X > 3.', 'p(X) :- q(X), not r(X), X > 3'],
]

function tell(premises: readonly string[]): string {
  const { clauses, unparsed, hedges } = readPremises(premises, 'Anne is kind.')
  assert.deepEqual(unparsed, [])
  const texts = clauses.map((clause) => renderClause(clause).slice(0, -1)).join('; ')
  return [texts, ...hedges.map(({ word }) => word)].join(' ~ ')
}

test('sentences are parsed to their clauses', () => {
  for (const [sentence, clauses] of sentences) assert.equal(tell([sentence]), clauses, sentence)
})

test('a statement without a clear subject is not parsed', () => {
  const vague = [
    'Being kind makes someone nice.',
    'Not all cats are kind.',
    'If all people are kind then Bob is calm.',
    'Bob is calm if everyone is kind.',
    'If nobody is kind then Bob is calm.',
    'All kind or big people are calm.',
    'If there is nobody who is not kind, then Bob is calm.',
    'Everyone who likes all cats is kind.',
    'Bob thinks that Anne is kind.',
    'If something likes it then it is big.',
    'Most cats are kind.',
    'A few cats are kind.',
    'Bob is not always kind.',
    'Bob does not sing and dance.',
    'Perhaps Bob is kind.',
    'Bob does not like every dog.',
    'No dog likes all cats.',
    'No one other than Bob is rich.',
    'Only Bob is kind.',
    'His mother is Ann.',
    'Bob is kind because he is big.',
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
  ['Is it true, false or unknown that Anne is nice?', 'true', 'true'],
  ['Based on the above, is the following true: Anne is nice.', 'true', 'true'],
  ['Anne is nice. Is this statement true, false or unknown?', 'true', 'true'],
  ['Given the facts above, can we say that Anne is rough?', 'false', 'false'],
  ["Isn't Anne nice?", 'true', 'true'],
  ['Is the cow liked by the bald eagle?', 'true', 'true'],
  ['Is there someone who is nice?', 'true', 'true'],
  ['Is it false that Anne is nice?', 'false', 'false'],
  ['Anne is either nice or rough, but not both.', 'true', 'true'],
  ['If Dave is kind, is Dave nice?', 'true', 'true'],
  ['Who is nice?', 'anne bob', 'anne bob'],
  ['What does the bald eagle like?', 'cow', 'cow'],
  ['Who likes the cow?', 'bald eagle', 'bald eagle'],
  ['What is the age of Bob?', '20', '20'],
  ['datalog: ?- kind(X), big(X).', 'bob', 'bob'],
]

test('questions are understood in common forms', () => {
  const budget = { work_max: 10_000, deadline_ms: 60_000, elapsed_ms: () => 0 }
  const wants = { proofs: false, confidence: false, alternatives: false }
  for (const [intent, ...expected] of questions) {
    const { clauses, lexicon } = readPremises(premises, intent)
    const question = readQuestion(intent, lexicon, individualsOf(clauses), premises.length)
    for (const [place, assumption] of (['open', 'closed'] as const).entries()) {
      const { answer, bindings } = reason({ clauses, question, assumption, chanceOf: () => 1, wants }, budget)
      const actual = bindings ? bindings.map((one) => Object.values(one)[0]).join(' ') : answer
      assert.equal(actual, expected[place], `${intent} (${assumption})`)
    }
  }
})

test('the parsed sentences of a premise count, and the rest is reported', () => {
  const { clauses, unparsed } = readPremises(['Anne is kind. Most cats are black. She is big.'], 'x')
  assert.deepEqual(
    clauses.map(({ head }) => renderLiteral(head)),
    ['kind(anne)', 'big(anne)'],
  )
  assert.deepEqual(
    unparsed.map(({ index }) => index),
    [0],
  )
})

test('a sentence that combines many subjects with many complements is reported', () => {
  const names = (count: number) => Array.from({ length: count }, (_, place) => `X${place}x`).join(', ')
  const reasonOf = (text: string) => readPremises([text], 'x').unparsed.map(({ reason }) => reason)
  assert.equal(readPremises([`${names(16)} like ${names(16)}.`], 'x').clauses.length, 256)
  const refusal = 'it has more than 256 statements; write several sentences'
  assert.deepEqual(reasonOf(`${names(16)} like ${names(17)}.`), [refusal])
  assert.deepEqual(reasonOf(`${names(257)} sleep.`), [refusal])
  assert.deepEqual(reasonOf(`If ${names(8)} like ${names(9)} then Bob is kind.`), [
    'it has more than 64 conditions; write several sentences',
  ])
})

test('any text is parsed or reported, and never crashes the parser', () => {
  const word = fc.constantFrom(
    ...'a the if then and or not is are who that every no some unless , . kind Anne cat cats likes it they X of than 5 only neither all datalog: does either nor being implies there with vice versa but both as long can not 1. ) people sings'.split(
      ' ',
    ),
  )
  fc.assert(
    fc.property(
      fc.array(fc.array(word, { maxLength: 12 }), { maxLength: 4 }),
      fc.array(word, { minLength: 1, maxLength: 8 }),
      (lines, words_asked) => {
        const sentences = lines.map((words) => words.join(' '))
        const { clauses, lexicon } = readPremises(sentences, words_asked.join(' '))
        try {
          readQuestion(words_asked.join(' '), lexicon, individualsOf(clauses), sentences.length)
        } catch (error) {
          assert.ok(error instanceof Unparsed, String((error as Error).stack))
        }
      },
    ),
    { numRuns: 300 },
  )
})
