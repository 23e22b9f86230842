import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { projectionsOf } from './projections.ts'

test("the writer's thread starts without schemas: each engine start would load hundreds of modules for nothing", () => {
  const kafka = undefined
  const writer = import.meta.resolve('@svc/audit/writer/chain-writer')
  const source = `import { registerHooks } from 'node:module'
registerHooks({ load(url, context, next) {
  if (url.startsWith('file:')) console.log(url)
  return next(url, context)
} })
for (const address of ${JSON.stringify([writer, ...projectionsOf({ kafka })])}) await import(address)`
  const args = ['--input-type=module', '--eval', source]
  const loaded = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n')
  assert.ok(loaded.some((url) => url.endsWith('/usage-projection.ts')))
  assert.deepEqual(
    loaded.filter((url) => /\/(typebox|catalogue)\//.test(url)),
    [],
  )
})
