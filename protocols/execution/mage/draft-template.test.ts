import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '@svc/contract/refusal'
import fc from 'fast-check'
import mustache from 'mustache'
import { renderAtOnce, renderTemplate } from './draft-template.ts'
import { compute } from './draft-template-job.ts'

const text = (template: string, data: unknown, media_type = 'text/plain'): string =>
  renderTemplate(template, data, media_type).text

test('names, sections, inverted sections and lists are filled from the data', () => {
  const data = { who: 'Ann', items: [{ name: 'a' }, { name: 'b' }], none: [], deep: { er: 7 }, off: false }
  assert.equal(text('Hi {{who}}{{! a note }}: {{deep.er}}', data), 'Hi Ann: 7')
  assert.equal(text('{{#items}}{{name}}-{{who}} {{/items}}', data), 'a-Ann b-Ann ')
  assert.equal(text('{{^none}}nothing{{/none}}{{#off}}on{{/off}}', data), 'nothing')
  assert.equal(text('{{#list}}{{.}},{{/list}}', { list: [1, 'x', true] }), '1,x,true,')
  assert.equal(text('{{=<% %>=}}<% who %>', data), 'Ann')
})

test('values are escaped for the media type, if it needs that', () => {
  const data = { v: '<b> & "q"\n' }
  assert.equal(text('{{v}}', data), data.v)
  assert.equal(text('{{v}}', data, 'text/html'), '&lt;b&gt; &amp; &quot;q&quot;\n')
  assert.equal(text('{{{v}}}', data, 'text/html'), data.v)
  assert.deepEqual(JSON.parse(text('{"v":"{{v}}"}', data, 'application/json')), data)
})

test('only the data is accessible', () => {
  for (const name of [
    'constructor',
    'constructor.constructor',
    '__proto__',
    'toString',
    'list.map',
    's.length',
  ])
    assert.deepEqual(
      renderTemplate(`{{${name}}}{{#${name}}}ran{{/${name}}}`, { list: [1], s: 'x' }, 'text/plain'),
      {
        text: '',
        unresolved: [name],
      },
    )
})

test('partials, unclosed tags, endless and huge output are refused', () => {
  const ten = Array.from({ length: 10 }, (_, n) => n)
  const loops = '{{#l}}'.repeat(7)
  const cases: [string, unknown, string][] = [
    ['{{> other}}', {}, 'partial'],
    ['{{#open}}', { open: 1 }, 'template'],
    ['{{open', {}, 'template'],
    [`${loops}${'{{/l}}'.repeat(7)}`, { l: ten }, 'too_large'],
    ['{{#l}}{{#l}}{{#l}}{{v}}{{/l}}{{/l}}{{/l}}', { l: ten, v: 'x'.repeat(10_000) }, 'too_large'],
    ['{{#l}}{{#l}}{{/l}}{{/l}}', { l: Array.from({ length: 1_000 }, () => 1) }, 'too_large'],
    [`${'{{#a}}'.repeat(40)}${'{{/a}}'.repeat(40)}`, { a: 1 }, 'too_large'],
  ]
  for (const [template, data, reason] of cases)
    assert.throws(
      () => text(template, data),
      (error) => error instanceof Refusal && error.details.reason === reason,
    )
})

test('a name of 32,000 dots is split once, however long the list around it', (t) => {
  const template = `{{#list}}{{a${'.a'.repeat(32_000)}}}{{/list}}`
  const list = Array.from({ length: 33_000 }, () => ({ a: 1 }))
  const { mock } = t.mock.method(String.prototype, 'split')
  const { text: written, unresolved } = renderTemplate(template, { list }, 'text/plain')
  const splits = mock.calls.filter((call) => String(call.this).length > 32_000)
  assert.deepEqual([written, unresolved.length, splits.length], ['', 1, 1])
})

test('only quick templates are filled inline', () => {
  const plain = (template: string, data: unknown) => renderAtOnce(template, data, 'text/plain')?.text
  assert.equal(plain('Hi {{who}}', { who: 'Ann' }), 'Hi Ann')
  assert.throws(() => plain('{{open', {}), /does not parse/)
  const list = Array.from({ length: 2_000 }, () => 1)
  for (const [template, data] of [
    [`{{a}}${'b'.repeat(5_000)}`, {}],
    ['{{#list}}{{.}}{{/list}}', { list }],
    ['{{who}}', { who: 'x'.repeat(70_000) }],
    ['{{who}}', { who: { list } }],
  ] as const)
    assert.equal(plain(template, data), undefined, template.slice(0, 30))
})

test('a thread gives the same result, and returns a refusal as data', () => {
  const filling = { template: 'Hi {{who}}', data: { who: 'Ann' }, media_type: 'text/plain' }
  assert.deepEqual(compute(filling), { answer: { text: 'Hi Ann', unresolved: [] } })
  const refused = compute({ ...filling, template: '{{> other}}' })
  assert.ok('refused' in refused && refused.refused.details.reason === 'partial')
})

test('a run of blanks is refused before the slow parser sees it', () => {
  assert.throws(() => text(`{{open${' '.repeat(2_000)}}}`, {}), /blanks in a row/)
  assert.equal(text(`{{open${' '.repeat(900)}}}`, { open: 'x' }), 'x')
})

test('plain data gives the same output as the library', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'a.b')
  const leaf = fc.oneof(
    fc.constantFrom('plain ', '\n', '{ }'),
    name.map((n) => `{{{${n}}}}`),
    name.map((n) => `{{^${n}}}no{{/${n}}}`),
    name.map((n) => `{{#${n}}}[{{{b}}}]{{/${n}}}`),
  )
  const some = fc.oneof(fc.string(), fc.integer(), fc.boolean())
  const value = fc.option(some)
  const data = fc.record(
    { a: fc.oneof(value, fc.record({ b: value })), b: value, c: fc.array(some, { maxLength: 3 }) },
    { requiredKeys: ['b'] },
  )
  const runs = { numRuns: 100 }
  fc.assert(
    fc.property(fc.array(leaf, { maxLength: 8 }), data, (parts, values) => {
      // The library joins lists with commas; here they are JSON.
      const template = parts.join('').replaceAll('{{{c}}}', '{{{b}}}').replaceAll('{{{a}}}', '{{{b}}}')
      assert.equal(text(template, values), mustache.render(template, values))
    }),
    runs,
  )
})
