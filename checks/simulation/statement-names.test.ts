import assert from 'node:assert/strict'
import { test } from 'node:test'
import { StatementNames } from './statement-names.ts'

const message = (type: string, ...texts: string[]): Buffer => {
  const body = Buffer.from(texts.map((text) => `${text}\0`).join(''))
  const head = Buffer.alloc(5)
  head.write(type)
  head.writeUInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}
const parse = (name: string, text: string) => message('P', name, text)
const bind = (name: string) => message('B', '', name)
const unit = (...messages: Buffer[]) => Buffer.concat(messages)

test('a text is parsed once, whatever name its clients use', () => {
  const names = new StatementNames()
  const first = names.translate(unit(parse('', 'SELECT 1'), bind('')), false)
  assert.deepEqual(first, { bytes: unit(parse('s1', 'SELECT 1'), bind('s1')), is_prepared: false })
  names.parsed()
  names.ready()
  names.forgetClient()
  const again = names.translate(unit(parse('one', 'SELECT 1'), bind('one')), false)
  assert.deepEqual(again, { bytes: bind('s1'), is_prepared: true })
  names.ready()
  assert.deepEqual(names.translate(bind('one'), false), { bytes: bind('s1'), is_prepared: false })
})

test('the same name means another text to another client', () => {
  const names = new StatementNames()
  for (const [i, text] of ['SELECT 1', 'SELECT 2'].entries()) {
    const { bytes } = names.translate(unit(parse('name', text), bind('name')), false)
    assert.deepEqual(bytes, unit(parse(`s${i + 1}`, text), bind(`s${i + 1}`)))
    names.parsed()
    names.ready()
    names.forgetClient()
  }
})

test('what the server refused to parse is parsed again', () => {
  const names = new StatementNames()
  names.translate(parse('', 'SELECT nothing'), false)
  names.ready()
  assert.equal(names.translate(parse('', 'SELECT nothing'), false).is_prepared, false)
})

test('in a failed transaction the server gets each statement, so that it refuses it', () => {
  const names = new StatementNames()
  names.translate(parse('', 'SELECT 1'), false)
  names.parsed()
  names.ready()
  const refused = names.translate(parse('', 'SELECT 1'), true)
  assert.deepEqual(refused, { bytes: parse('s1', 'SELECT 1'), is_prepared: false })
  names.ready()
  assert.equal(names.translate(parse('', 'SELECT 1'), false).is_prepared, true)
})
