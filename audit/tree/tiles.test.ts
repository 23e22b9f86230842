import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { genesis_hash } from '@svc/contract/audit/audit-record'
import fc from 'fast-check'
import { type TestDatabase, testDatabase } from '../../checks/rehearsal/test-database.ts'
import { queryOf } from '../query/query.ts'
import { asOwner, entryOf } from '../test-audit-log.ts'
import { storeRecords } from '../test-stored.ts'
import { appendLeaf, type Frontier, leafHash, rootOf, type StoredNode } from './merkle.ts'
import { parseTile, readTile, type Tile } from './tiles.ts'

const count = 70_000
const hashes = Array.from({ length: count }, (_, i) => hash('sha256', `${i}`, 'buffer'))
const frontier: Frontier = []
let database: TestDatabase

before(async () => {
  database = await testDatabase()
  const nodes: StoredNode[] = []
  for (const [i, record_hash] of hashes.entries())
    appendLeaf(frontier, i, leafHash(record_hash), (node) => nodes.push(node))
  const fields = entryOf('tiled')
  const texts = hashes.map((record_hash) => record_hash.toString('hex'))
  await asOwner(database.url, async (client) => {
    await storeRecords(
      client,
      texts.map((record_hash, i) => {
        const previous_hash = texts[i - 1] ?? genesis_hash
        return { tenant_id: 'tiled', seq: i + 1, body: '{}', fields, previous_hash, record_hash }
      }),
    )
    await client.query(
      `INSERT INTO audit_tree SELECT 'tiled', * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])`,
      [nodes.map(({ level }) => level), nodes.map(({ index }) => index), nodes.map((node) => node.hash)],
    )
  })
})
after(() => database.close())

const tileAt = (path: string) =>
  asOwner(database.url, (client) => readTile(queryOf(client), 'tiled', parseTile(path)!))

test('a tile has one name', () => {
  assert.deepEqual(parseTile('0/000'), { level: 0, index: 0, width: 256 })
  assert.deepEqual(parseTile('1/x001/x234/067'), { level: 1, index: 1_234_067, width: 256 })
  assert.deepEqual(parseTile('entries/x001/234.p/5'), { level: 'entries', index: 1_234, width: 5 })
  const wrong = [
    '',
    '0',
    '0/1',
    '0/0000',
    '0/x000/001',
    '0/001/002',
    '0/x001',
    '00/000',
    '-1/000',
    '9/000',
    '0/000.p/0',
    '0/000.p/256',
    '0/000.p/01',
    '0/000.p/999',
    `0/${'x999/'.repeat(5)}999`,
    'data/000',
    '0/000/',
    '0/000?x',
    '0/000.p/5/',
    '0/x999/x999/x999/x999/999',
  ]
  for (const path of wrong) assert.equal(parseTile(path), undefined, path)
})

test('every tile has a name that is read back, and no name is read as another', () => {
  const digit = fc.constantFrom('0', '1', 'x', '/', '.p/', '25', '000', 'entries/')
  fc.assert(
    fc.property(fc.array(digit, { maxLength: 12 }), (pieces) => {
      const path = pieces.join('')
      const tile = parseTile(path)
      assert.ok(!tile || nameOf(tile) === path, path)
    }),
  )
  const tiles = fc.record({
    level: fc.constantFrom<Tile['level']>('entries', 0, 1, 2, 3, 4, 5),
    index: fc.integer({ min: 0, max: 2 ** 45 - 2 }),
    width: fc.integer({ min: 1, max: 256 }),
  })
  fc.assert(fc.property(tiles, (tile) => assert.deepEqual(parseTile(nameOf(tile)), { ...tile })))
})

function nameOf({ level, index, width }: Tile): string {
  const groups = index.toLocaleString('en').split(',')
  const digits = groups.map((group) => `x${group.padStart(3, '0')}`).join('/')
  const place = digits.slice(0, -4) + digits.slice(-3)
  return `${level}/${place}${width < 256 ? `.p/${width}` : ''}`
}

test('tiles give every node of the tree, and entries are the hashes of the records', async () => {
  const leaves = await tileAt('0/272')
  assert.deepEqual(leaves, Buffer.concat(hashes.slice(272 * 256, 273 * 256).map(leafHash)))
  const entries = (await tileAt('entries/000.p/3'))!
  assert.equal(entries.length, 3 * 34)
  assert.deepEqual(entries.subarray(36, 68), hashes[1])
  assert.deepEqual([entries.readUInt16BE(0), entries.readUInt16BE(34)], [32, 32])
})

test('the root follows from the tiles of every level', async () => {
  // 70,000 = 65,536 + 17 * 256 + 112
  const [top, middle, low] = [
    await tileAt('2/000.p/1'),
    await tileAt('1/001.p/17'),
    await tileAt('0/273.p/112'),
  ]
  const parts = (tile: Buffer | undefined) =>
    Array.from({ length: tile!.length / 32 }, (_, at) => tile!.subarray(at * 32, (at + 1) * 32))
  const nodeHash = (left: Buffer, right: Buffer) =>
    hash('sha256', Buffer.concat([Buffer.from([1]), left, right]), 'buffer')
  const rootOver = (nodes: readonly Buffer[]): Buffer => {
    if (nodes.length === 1) return nodes[0]!
    const split = 2 ** Math.floor(Math.log2(nodes.length - 1))
    return nodeHash(rootOver(nodes.slice(0, split)), rootOver(nodes.slice(split)))
  }
  // Subtrees of decreasing size: 65,536, then 16 and 1 pages, then what is left.
  const pages = parts(middle)
  const right = nodeHash(rootOver(pages.slice(0, 16)), nodeHash(pages[16]!, rootOver(parts(low))))
  assert.deepEqual(nodeHash(parts(top)[0]!, right), rootOf(frontier))
})

test('a partial tile is a part of what is stored, in a page, in the tail and in the tree', async () => {
  for (const [partial, larger] of [
    ['0/272.p/7', '0/272'],
    ['0/273.p/7', '0/273.p/112'],
    ['entries/273.p/1', 'entries/273.p/112'],
    ['1/000.p/255', '1/000'],
    ['1/001.p/3', '1/001.p/17'],
  ] as const) {
    const [part, whole] = [await tileAt(partial), await tileAt(larger)]
    assert.ok(part && part.length > 0, partial)
    assert.deepEqual(part, whole?.subarray(0, part.length), partial)
  }
})

test('what the log has not reached yet is not there', async () => {
  for (const path of [
    '0/273',
    '0/273.p/113',
    '0/274.p/1',
    '1/001.p/18',
    '2/000.p/2',
    '3/000.p/1',
    '0/x035/x184/x372/x088/830',
    '5/x035/x184/x372/x088/830.p/1',
    'entries/273',
  ])
    assert.equal(await tileAt(path), undefined, path)
})
