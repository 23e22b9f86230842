import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isPlainPattern } from './plain-pattern.ts'

test('the patterns people write for names, dates and codes are plain', () => {
  for (const pattern of [
    '^[a-z][a-z0-9-]{0,62}$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^v?\\d{1,3}\\.\\d{1,3}$',
    '^(GET|POST)$',
    '^(?:ab|c)?x$',
    '^.*$',
    '^sha256:[0-9a-f]{64}$',
    '^[^\\]]+$',
    '^(red|green|blue)-(small|large)-(one|two|6)$',
    '^(?:a|b){40}$',
    '^\\p{L}{1,9}\\u{61}[{]$',
    '^\\d{4}$|^[a-z]{2}$',
  ])
    assert.ok(isPlainPattern(pattern), pattern)
})

test('what may take long on some text is not', () => {
  for (const pattern of [
    '(a+)+$',
    'a*b',
    '^(a+)+$',
    '^(a|aa)+$',
    '^(a*){1,9}$',
    '^((a*)b){2}$',
    '^a*b*$',
    '^a{0,200}a{0,200}$',
    '^(.)\\1$',
    '^(?=a)a$',
    '^(?<n>a)\\k<n>$',
    '^(a',
    '^a)',
    '^x|a*b',
    '^x|a{1,9}b',
    '^(a|aa){40}$',
    '^(?:a|.){0,40}$',
    `^${'(a|a)'.repeat(26)}b`,
    '^((a|a)(a|a)){9}b',
    '^(a|a){0000040}b',
    '^a{1,99999}a{1,99999}$',
    '^a{123456}a*b*',
  ])
    assert.ok(!isPlainPattern(pattern), pattern)
})

test('every pattern that passes answers worst-case texts at once', () => {
  const text = `${'a'.repeat(20_000)}!`
  for (const pattern of ['^a*$', '^[a-z]{0,99}[a-z]{0,99}$', '^(?:a|b)?a{1,9}a+$']) {
    assert.ok(isPlainPattern(pattern), pattern)
    const steps = process.cpuUsage()
    assert.equal(new RegExp(pattern, 'u').test(text), false)
    // A runaway pattern takes minutes here; what passes takes none of a second.
    assert.ok(process.cpuUsage(steps).user < 5_000_000, pattern)
  }
})
