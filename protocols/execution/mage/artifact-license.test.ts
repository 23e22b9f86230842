import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLicense } from './artifact-license.ts'

test('SPDX expressions are parsed and normalized to the official spelling', () => {
  const good: [string, string][] = [
    ['MIT', 'MIT'],
    ['apache-2.0', 'Apache-2.0'],
    ['GPL-2.0+', 'GPL-2.0+'],
    ['gpl-2.0-or-later with classpath-exception-2.0', 'GPL-2.0-or-later WITH Classpath-exception-2.0'],
    ['(MIT or Apache-2.0)  AND CC0-1.0', '(MIT OR Apache-2.0) AND CC0-1.0'],
    ['LicenseRef-house-rules', 'LicenseRef-house-rules'],
  ]
  for (const [text, license] of good) assert.deepEqual(readLicense(text), { license })
  for (const [, license] of good) assert.deepEqual(readLicense(license), { license })
})

test('anything else is refused', () => {
  const bad = ['', 'Mine', 'MIT Apache-2.0', 'MIT AND', '(MIT', 'MIT)', 'MIT WITH nothing', 'AND', '+', '()']
  for (const text of [...bad, '('.repeat(40), 'constructor', '__proto__'])
    assert.ok('fault' in readLicense(text), text)
})
