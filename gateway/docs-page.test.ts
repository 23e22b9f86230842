import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stand_ins } from '@svc/contract/scene'
import { api_page, api_script, api_style, pages_script, pages_style, search_script } from './docs-page.ts'

/** The script's exports, without a page. */
interface PureParts {
  ownDocument(document: unknown, stand_ins: readonly string[], did: string, now_ms: number): unknown
}

const { ownDocument } = (await import(new URL('docs/api.js', import.meta.url).href)) as PureParts
const texts = /data-stand-ins="([^"]+)"/.exec(api_page)?.[1]?.split(' ') ?? []
const now_ms = Date.parse('2030-05-01T12:00:00Z')

test('our part of the pages has nothing inline and nothing from elsewhere', () => {
  assert.doesNotMatch(api_page, /<script[^>]*>[^<]|\s(on[a-z]+|style)=|<(style|img|iframe|base)\b/)
  for (const text of [api_page, api_script, api_style, pages_script, pages_style, search_script]) {
    const without_ours = text.replaceAll(/import ?(\{ openSearch \} from |\()'\.\/(mini)?search\.js'/g, '')
    const elsewhere = /[a-z]+:\/\/|\burl\(|@import|data:|["'`]\/\/|\bimport\b(?!\.meta)/.exec(without_ours)
    assert.equal(elsewhere?.[0], undefined)
  }
  assert.doesNotMatch(api_script, /innerHTML|insertAdjacentHTML|\beval\b|localStorage|document\.cookie/)
})

test('the API reference works under any prefix', () => {
  const addresses = [...api_page.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, address]) => address)
  assert.deepEqual(addresses, ['api.css', 'scalar.js', 'api.js', './', './', 'reference'])
})

test("the styles are balanced and follow the reader's color scheme", () => {
  for (const style of [api_style, pages_style])
    assert.equal(style.match(/\{/g)?.length, style.match(/\}/g)?.length)
  assert.match(pages_style, /color-scheme: light dark/)
})

test("examples have the reader's tenant and DID, if they are known, and times from now", () => {
  const { tenant, did, asset, now, in_an_hour } = stand_ins
  const example = {
    owner: tenant,
    shop: `${tenant} store`,
    instrument: `${asset}/usd`,
    of: [did, `${did}/lamp`],
    from: now,
    to: in_an_hour,
  }
  const [from, to] = ['2030-05-01T12:00:00.000Z', '2030-05-01T13:00:00.000Z']
  assert.deepEqual(ownDocument({ example }, texts, 'did:oas:sud:agent:1', now_ms), {
    example: {
      owner: 'sud',
      shop: 'acme store',
      instrument: 'sud-compute-hours/usd',
      of: ['did:oas:sud:agent:1', 'did:oas:sud:agent:1/lamp'],
      from,
      to,
    },
  })
  assert.deepEqual(ownDocument({ example }, texts, '', now_ms), { example: { ...example, from, to } })
})

test('descriptions are shown as they are written; values, and fields of that name, are left alone', () => {
  const document = {
    description: 'did:oas:<tenant> [all](x) \\',
    properties: { description: { type: 'string', description: '![p](y)', examples: ['<b>'] } },
    example: { description: '<b>' },
  }
  assert.deepEqual(ownDocument(document, texts, '', now_ms), {
    description: 'did:oas:\\<tenant> \\[all\\](x) \\\\',
    properties: { description: { type: 'string', description: '!\\[p\\](y)', examples: ['<b>'] } },
    example: { description: '<b>' },
  })
})
