import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { test } from 'node:test'

const main = join(import.meta.dirname, '../main.ts')
/** Prints the address of each module that is loaded. */
const hook = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) console.log('loaded ' + url)
  return next(url, context)
} })`

test('an administration command starts without the catalogue, the migrations and the doctor', () => {
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(hook)}`,
    main,
    'admin',
    'key',
    '--help',
  ]
  const output = execFileSync(process.execPath, args, { encoding: 'utf8' })
  assert.match(output, /loaded .*\/service\/admin\/keys\.ts/)
  assert.match(output, /key revoke <tenant> <key-id>/)
  assert.doesNotMatch(output, /loaded .*(\/catalogue\/|\/assembly\/migrations\.ts|\/admin\/doctor\.ts)/)
})
