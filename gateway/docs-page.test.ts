import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { stand_ins } from '@svc/contract/scene'
import fc from 'fast-check'
import { try_page as docs_page, docs_script, docs_style, pages_script, pages_style } from './docs-page.ts'

interface FieldRow {
  readonly name: string
  readonly depth: number
  readonly required: boolean
  readonly form: string
  readonly note: string
}

/** The script's exports, without a page. */
interface PureParts {
  fieldRows(schema: unknown): FieldRow[]
  curlLine(address: string, did: string, request: unknown): string
  adviceFor(error: Record<string, unknown>): string
  ownExample(example: unknown, stand_ins: string[], tenant: string, did: string, now_ms: number): unknown
}

const script = (await import(new URL('docs/docs.js', import.meta.url).href)) as PureParts
const tags = [...docs_page.matchAll(/<(\/?)([a-z][a-z0-9]*)((?:\s+[a-z-]+(?:="[^"]*")?)*)\s*>/g)]
const empty_elements = new Set(['meta', 'link', 'input'])

function attributeValues(name: string): string[] {
  return [...docs_page.matchAll(new RegExp(`\\s${name}="([^"]*)"`, 'g'))].map(([, value]) => value ?? '')
}

const ids = attributeValues('id')

test('every element of the page is read, and closed in order', () => {
  const without_comments = docs_page.replace(/<!--.*?-->/gs, '').replace('<!doctype html>', '')
  assert.equal(without_comments.match(/</g)?.length, tags.length)
  const open: string[] = []
  for (const [text, closing, name = ''] of tags) {
    if (closing) assert.equal(open.pop(), name, `${text} closes something else`)
    else if (!empty_elements.has(name)) open.push(name)
  }
  assert.deepEqual(open, [])
})

test('the policy of the page holds: nothing inline, nothing from elsewhere', () => {
  const attributes = tags.map(([, , , text]) => text).join(' ')
  assert.doesNotMatch(attributes, /\s(on[a-z]+|style)(=|\s|$)/)
  assert.ok(tags.every(([, , name]) => name !== 'style' && name !== 'img' && name !== 'base'))
  assert.deepEqual(docs_page.match(/<script[^>]*>[^<]*/g), ['<script type="module" src="docs.js">'])
  for (const text of [docs_page, docs_script, docs_style, pages_script, pages_style]) {
    const elsewhere = /[a-z]+:\/\/|\burl\(|@import|data:|["'`]\/\/|\bimport\b(?!\.meta)/.exec(text)
    assert.equal(elsewhere?.[0], undefined)
  }
})

test('data becomes text, never markup or code, and the key is not stored beyond the tab', () => {
  assert.doesNotMatch(
    docs_script,
    /innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write|createContextual/,
  )
  assert.doesNotMatch(docs_script, /\beval\b|new Function|localStorage|indexedDB|document\.cookie/)
  assert.match(docs_page, /id="api_key"\s+type="password"/)
})

test('the page works under any prefix', () => {
  const addresses = [...attributeValues('href'), ...attributeValues('src')]
  const paths = addresses.map((address) => new URL(address, 'http://host:8080/any/prefix/docs/try').pathname)
  const served = [
    'docs',
    'docs/docs.css',
    'docs/docs.js',
    'docs/reference',
    'llms.txt',
    'openapi.json',
    'v1/protocols',
  ]
  assert.deepEqual(
    [...new Set(paths)].sort(),
    served.map((path) => `/any/prefix/${path}`),
  )
})

test('every id the script or the page names exists once', () => {
  assert.equal(new Set(ids).size, ids.length)
  const direct = [...docs_script.matchAll(/\b(?:el|fill|on|typed)\('([a-z_]+)'/g)].map(([, id]) => id ?? '')
  const lists = [...docs_script.matchAll(/for \(const id of \[([^\]]+)\]/g)].flatMap(
    ([, list]) => list?.match(/[a-z_]+/g) ?? [],
  )
  const pointed = ['for', 'aria-labelledby', 'aria-describedby', 'aria-controls'].flatMap(attributeValues)
  const named = new Set([...direct, ...lists, ...pointed])
  assert.ok(direct.length > 20 && lists.length >= 6)
  assert.deepEqual(
    [...named].filter((id) => !ids.includes(id)),
    [],
  )
  const unused = ids.filter((id) => !named.has(id))
  assert.deepEqual(unused, ['dry_run'], 'an id that nothing names is left over')
})

test('every field has a label, and screen readers can skip to landmarks', () => {
  const labelled = attributeValues('for')
  for (const [text, closing, name] of tags) {
    if (closing) continue
    if (name === 'input' || name === 'textarea')
      assert.ok(labelled.includes(/id="([^"]+)"/.exec(text)?.[1] ?? ''))
  }
  for (const landmark of ['header', 'nav', 'main']) {
    assert.equal(tags.filter(([, closing, name]) => name === landmark && !closing).length, 1)
  }
})

test("the style is balanced and follows the reader's color scheme", () => {
  assert.equal(docs_style.match(/\{/g)?.length, docs_style.match(/\}/g)?.length)
  assert.match(docs_style, /color-scheme: light dark/)
})

test('a schema becomes rows with form, bounds, need and meaning, nested by depth', () => {
  const rows = script.fieldRows({
    type: 'object',
    required: ['name', 'steps'],
    properties: {
      name: { type: 'string', minLength: 1, maxLength: 64, description: 'What it is called' },
      kind: { enum: ['a', 'b'], default: 'a' },
      steps: {
        type: 'array',
        minItems: 0,
        maxItems: 8,
        items: {
          type: 'object',
          required: ['retry'],
          properties: { retry: { type: 'integer', minimum: 0 } },
        },
      },
      labels: { type: 'object', patternProperties: { '^.*$': {} } },
    },
  })
  assert.deepEqual(rows, [
    {
      name: 'name',
      depth: 0,
      required: true,
      form: 'string, 1 to 64 characters',
      note: 'What it is called.',
    },
    { name: 'kind', depth: 0, required: false, form: '"a" or "b"', note: 'Default "a".' },
    { name: 'steps', depth: 0, required: true, form: 'list of object, up to 8 items', note: '' },
    { name: 'retry', depth: 1, required: true, form: 'integer, at least 0', note: '' },
    { name: 'labels', depth: 0, required: false, form: 'map to any JSON value', note: '' },
  ])
})

test('a choice of shapes shows each shape, and a shape or nothing shows only the shape', () => {
  const shape = (field: string) => ({ type: 'object', properties: { [field]: { const: field } } })
  const rows = script.fieldRows({
    properties: { of: { anyOf: [shape('x'), shape('y')] }, maybe: { anyOf: [shape('z'), { type: 'null' }] } },
  })
  assert.deepEqual(
    rows.map(({ depth, name, form }) => [depth, name, form]),
    [
      [0, 'of', 'object'],
      [1, 'shape 1 of 2', ''],
      [2, 'x', '"x"'],
      [1, 'shape 2 of 2', ''],
      [2, 'y', '"y"'],
      [0, 'maybe', 'object or null'],
      [1, 'z', '"z"'],
    ],
  )
})

test('the curl line reaches curl as typed, whatever the input holds, with the key from the shell', () => {
  const address = 'http://127.0.0.1:8080/v1/dispatch'
  const print_arguments = 'curl() { printf "%s\\0" "$@"; }\n'
  const argument = fc.string({ maxLength: 40 })
  const property = fc.property(argument, fc.jsonValue({ maxDepth: 2 }), (did, input) => {
    const line = script.curlLine(address, did, { input })
    const env = { SVC_API_KEY: "the 'key'", SVC_AGENT_DID: 'the did' }
    const shell_arguments = execFileSync('/bin/sh', ['-c', print_arguments + line], {
      env,
      encoding: 'utf8',
    }).split('\0')
    const expected = [
      '-sS',
      address,
      '-H',
      "Authorization: Bearer the 'key'",
      '-H',
      `X-Agent-Did: ${did || 'the did'}`,
    ]
    const body = JSON.stringify({ input })
    assert.deepEqual(shell_arguments, [
      ...expected,
      '-H',
      'Content-Type: application/json',
      '--data-binary',
      body,
      '',
    ])
  })
  fc.assert(property, {
    numRuns: 60,
    examples: [
      ["it's $HOME `id` \\", '\' " \n $(id)'],
      ['', null],
    ],
  })
})

test('a refusal comes with what to do next', () => {
  const advice = (error: object) => script.adviceFor({ correlation_id: 'the-id', retryable: false, ...error })
  assert.match(advice({ code: 'rate_limited', retryable: true, retry_after_ms: 1200 }), /in 2 s/)
  assert.match(advice({ code: 'circuit_open', retryable: true, retry_after_ms: null }), /longer pause/)
  assert.match(advice({ code: 'unauthenticated' }), /agent DID/)
  // An unknown code, even one that names an inherited property.
  for (const code of ['internal', 'constructor']) assert.match(advice({ code }), /the-id/)
})

test("the example has the reader's tenant and DID, if they are known, and times from now", () => {
  const texts = /data-stand-ins="([^"]+)"/.exec(docs_page)?.[1]?.split(' ') ?? []
  const { tenant, did, asset, now, in_an_hour } = stand_ins
  const example = {
    owner: tenant,
    shop: `${tenant} store`,
    instrument: `${asset}/usd`,
    of: [did, `${did}/lamp`],
    from: now,
    to: in_an_hour,
  }
  const now_ms = Date.parse('2030-05-01T12:00:00Z')
  const [from, to] = ['2030-05-01T12:00:00.000Z', '2030-05-01T13:00:00.000Z']
  const own = script.ownExample(example, texts, 'sud', 'did:oas:sud:agent:1', now_ms)
  const of = ['did:oas:sud:agent:1', 'did:oas:sud:agent:1/lamp']
  assert.deepEqual(own, {
    owner: 'sud',
    shop: 'acme store',
    instrument: 'sud-compute-hours/usd',
    of,
    from,
    to,
  })
  assert.deepEqual(script.ownExample(example, texts, '', '', now_ms), { ...example, from, to })
})
