import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { addOperation, addProtocol, withProtocol } from './new.ts'

const list = 'catalogue/protocols.ts'

/** A checkout with an empty list of protocols. */
function newCheckout(t: TestContext): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-new-'))
  t.after(() => rmSync(root, { recursive: true }))
  mkdirSync(join(root, 'catalogue'))
  writeFileSync(join(root, list), '// Every protocol.\n')
  return root
}

test('existing files are never overwritten, and a refusal writes nothing', (t) => {
  const root = newCheckout(t)
  addProtocol(root, 'ZEBRA', 'economic')
  const before = readFileSync(join(root, list), 'utf8')
  assert.throws(() => addProtocol(root, 'ZEBRA', 'economic'), /zebra exists already; nothing was written/)
  assert.throws(() => addProtocol(root, 'ZEBRA', 'truth'), /lists ZEBRA already; nothing was written/)
  assert.throws(() => addProtocol(root, 'OTHER', 'nowhere'), /no plane nowhere: use one of identity, /)
  assert.throws(() => addProtocol(root, 'zebra', 'truth'), /not a protocol id/)
  assert.throws(() => addProtocol(root, '../X', 'truth'), /not a protocol id/)
  assert.equal(readFileSync(join(root, list), 'utf8'), before)
  assert.ok(!existsSync(join(root, 'protocols/truth/zebra')))
})

test('an operation is added to its protocol once', (t) => {
  const root = newCheckout(t)
  const [literal] = addProtocol(root, 'ZEBRA', 'economic') as [string]
  assert.deepEqual(addOperation(root, 'ZEBRA', 'count_stripes'), [literal])
  const text = readFileSync(join(root, literal), 'utf8')
  assert.match(text, /operations: \{\n {4}count_stripes: operation\(/)
  assert.throws(() => addOperation(root, 'ZEBRA', 'count_stripes'), /has count_stripes already/)
  assert.throws(() => addOperation(root, 'MAX', 'count'), /lists no MAX/)
  assert.throws(() => addOperation(root, 'ZEBRA', 'Count'), /not a name of an operation/)
  assert.equal(readFileSync(join(root, literal), 'utf8'), text)
})

test('a protocol is one line, in the order of paths', () => {
  const text = `// Head.
export { max } from '@svc/protocols/awareness/max/max'
`
  assert.equal(
    withProtocol(withProtocol(text, 'zeta', 'truth'), 'aaa', 'economic'),
    `// Head.
export { max } from '@svc/protocols/awareness/max/max'
export { aaa } from '@svc/protocols/economic/aaa/aaa'
export { zeta } from '@svc/protocols/truth/zeta/zeta'
`,
  )
})
