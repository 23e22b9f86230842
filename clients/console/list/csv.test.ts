import assert from 'node:assert/strict'
import { test } from 'node:test'
import { csvOf } from './csv.ts'

const columns = [
  { key: 'a', head: 'A', cell: String, text: (row: { a: string; n: number }) => row.a },
  { key: 'n', head: 'N', cell: String, text: (row: { a: string; n: number }) => row.n },
]

test('texts are quoted, and a text that looks like a formula stays a text', () => {
  const rows = [
    { a: 'plain', n: -1 },
    { a: 'with "quotes", and a comma', n: 2 },
    { a: '=HYPERLINK("https://evil.example")', n: 3 },
    { a: '-5+2', n: 4 },
    { a: '＝1+1', n: 5 },
  ]
  assert.equal(
    csvOf(columns, rows),
    [
      'A,N',
      'plain,-1',
      '"with ""quotes"", and a comma",2',
      '"\'=HYPERLINK(""https://evil.example"")",3',
      "'-5+2,4",
      "'＝1+1,5",
      '',
    ].join('\r\n'),
  )
})
