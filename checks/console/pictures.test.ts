import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { picture_size, pictures } from './pictures.ts'

const root = join(import.meta.dirname, '../..')
const bytes_max = 250_000

test('the README shows the pictures that the script takes, and they are as it takes them', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  const shown = [...readme.matchAll(/\]\(docs\/pictures\/(console-[\w-]+\.png)\)/g)].map(([, file]) => file)
  assert.deepEqual(
    shown,
    pictures.map(({ file }) => file),
  )
  for (const { file } of pictures) {
    const png = readFileSync(join(root, 'docs/pictures', file))
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [picture_size.width, picture_size.height])
    assert.ok(png.length < bytes_max, `${file} has ${png.length} bytes`)
  }
})
