import assert from 'node:assert/strict'
import { test } from 'node:test'
import { UsageError } from './exit.ts'
import { parseFlags, splitCommand } from './parse-flags.ts'

const own = { input: { type: 'string' }, stream: { type: 'boolean' } } as const
const parsed = (...argv: string[]) => parseFlags(argv, own, 'invoke')
const refusedWith = (sentence: RegExp, ...argv: string[]) =>
  assert.throws(
    () => parsed(...argv),
    (thrown) => thrown instanceof UsageError && sentence.test(thrown.message),
    argv.join(' '),
  )

test('flags and positionals, in any order', () => {
  const { args, flags } = parsed('MAX', '--stream', 'audit_query', '--input', '-', '-o', 'yaml')
  assert.deepEqual(args, ['MAX', 'audit_query'])
  assert.deepEqual({ ...flags }, { stream: true, input: '-', output: 'yaml' })
  assert.deepEqual(parsed('--', '--stream').args, ['--stream'])
  assert.equal(parsed('--input=-5').flags.input, '-5')
})

test('a value may begin with a dash, as one key in sixty-four does', () => {
  for (const value of ['-abc', '-o4=', '--a_b', '-'])
    assert.equal(parsed('--input', value).flags.input, value)
  refusedWith(/^--input needs a value;/, '--input', '-o')
})

test('a usage error is one sentence', () => {
  refusedWith(/^svc invoke has no flag --inptu\. Did you mean --input\?$/, '--inptu', '{}')
  refusedWith(/^svc invoke has no flag -x\.$/, '-x')
  refusedWith(/^svc invoke has no flag --__proto__\./, '--__proto__')
  refusedWith(/^--input needs a value\.$/, '--input')
  refusedWith(/^--input needs a value; .* write --input=--stream\.$/, '--input', '--stream')
  refusedWith(/^--stream takes no value/, '--stream=yes')
  refusedWith(/^--input is given twice/, '--input', '1', '--input', '2')
})

test('what gh, aws and others call it leads to the flag of svc', () => {
  for (const flag of ['--jq', '--fields', '--query'])
    assert.throws(
      () => parsed(flag, 'x'),
      ({ message, hint }) => message === `svc invoke has no flag ${flag}.` && hint.startsWith('--json=seq,'),
    )
  assert.throws(
    () => parsed('--format', 'json'),
    ({ hint }) => hint.startsWith('-o json'),
  )
})

test('common flags may precede the command', () => {
  const at = (...argv: string[]) => splitCommand(argv)
  assert.deepEqual(at('--profile', 'work', 'whoami', '-o', 'json'), {
    leading: ['--profile', 'work'],
    name: 'whoami',
    rest: ['-o', 'json'],
  })
  assert.deepEqual(at('--profile=work', 'whoami').leading, ['--profile=work'])
  assert.deepEqual(at('-o', 'json', 'whoami').name, 'whoami')
  assert.deepEqual(at('--help', 'invoke'), { leading: ['--help'], name: 'invoke', rest: [] })
  assert.equal(at().name, undefined)
  assert.equal(at('--profile').name, undefined)
})
