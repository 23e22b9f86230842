import assert from 'node:assert/strict'
import { test } from 'node:test'
import { outputFault } from './expected-output.ts'

const output = 'state   ACTIVE\nid      7f28ed5b\n\nrecords 1 to 41\nrecords 42 to 50\nDone.\n'
const fits = (expected: string) => outputFault(expected, output) === undefined

test('an output is compared line by line; spaces at line ends and empty last lines do not count', () => {
  assert.ok(fits('state   ACTIVE  \nid      7f28ed5b\n\nrecords 1 to 41\nrecords 42 to 50\nDone.\n\n'))
  assert.ok(!fits('state   ACTIVE\nid      7f28ed5b\nrecords 1 to 41\nrecords 42 to 50\nDone.'))
  assert.ok(!fits('state  ACTIVE\n…'))
  assert.ok(!fits(''))
})

test('a hole stands for one or more characters of its line, and nothing else is a pattern', () => {
  assert.ok(fits('state   ACTIVE\nid      …\n\nrecords … to …\nrecords … to …\nDone.'))
  assert.ok(!fits('state   ACTIVE…\nid      …\n\nrecords … to …\nrecords … to …\nDone.'))
  assert.ok(!fits('state   ACTIVE\nid      …\nrecords … to …\nDone.'))
  assert.ok(!fits('state   .*\n…'))
})

test('a line that is only a hole stands for one or more lines', () => {
  assert.ok(fits('…\nDone.'))
  assert.ok(fits('state   ACTIVE\n…\nrecords 42 to 50\n  …'))
  assert.ok(!fits('…\nstate   ACTIVE\n…'))
  assert.ok(!fits('…\nrecords 42 to 50\n…\nDone.'))
})

test('a difference names the first line without a match, and shows both texts', () => {
  const fault = outputFault('state   ACTIVE\n…\nrecords 7 to 9\n…', output)
  assert.match(fault ?? '', /^No match for: records 7 to 9\n--- the page shows\nstate {3}ACTIVE\n…/)
  assert.match(fault ?? '', /--- it printed\nstate {3}ACTIVE\nid {6}7f28ed5b\n/)
  assert.match(outputFault('state   ACTIVE', output) ?? '', /^The output goes on after the last line/)
})
