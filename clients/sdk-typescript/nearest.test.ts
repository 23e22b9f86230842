import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { didYouMean, nearest } from './nearest.ts'

const names = ['MAX', 'MARS', 'MACS', 'MOTET', 'Aegis']

test('a typing error finds the intended name', () => {
  for (const [word, meant] of [
    ['mxa', 'MAX'],
    ['mras', 'MARS'],
    ['motte', 'MOTET'],
    ['aegs', 'Aegis'],
    ['AEGIS', 'Aegis'],
    ['mot', 'MOTET'],
  ] as const)
    assert.equal(nearest(word, names), meant, word)
})

test('nothing is suggested if nothing is near', () => {
  for (const word of ['', 'zebra', 'm', 'x'.repeat(5_000)])
    assert.equal(nearest(word, names), undefined, word)
  assert.equal(didYouMean('zebra', names), '')
  assert.equal(didYouMean('mxa', names), ' Did you mean MAX?')
})

test('a name is always nearest to itself', () => {
  fc.assert(fc.property(fc.constantFrom(...names), (name) => nearest(name, names) === name))
})
