import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const sdk = join(import.meta.dirname, '../../../clients/sdk-typescript')
const readSource = (file: string) => readFileSync(join(sdk, file), 'utf8')

test('every export of the SDK is documented, and every method is in the table', () => {
  const listed = readSource('sdk.ts').matchAll(/export (type )?\{([^}]+)\} from '\.\/([^']+)'/g)
  const readme = readSource('README.md')
  let names = 0
  for (const [, is_types, list = '', file = ''] of listed) {
    const source = readSource(file)
    for (const word of list
      .split(',')
      .map((each) => each.trim())
      .filter(Boolean)) {
      names++
      const name = word.replace('type ', '')
      const declared = `\\*/\\nexport (?:async )?(?:function\\*?|class|interface|type|const) ${name}\\b`
      assert.match(source, new RegExp(declared), `${file}: ${name} has no comment`)
      if (!is_types && word === name) assert.ok(readme.includes(name), `the README lacks ${name}`)
    }
  }
  assert.ok(names > 20, `${names} names were found`)
})
