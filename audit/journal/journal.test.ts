import assert from 'node:assert/strict'
import {
  existsSync,
  ftruncateSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { newFolder } from '../test-audit-log.ts'
import type { Position } from '../writer/signals.ts'
import { encodeFrame } from './frame.ts'
import { Journal, type JournalFiles } from './journal.ts'
import { listSegments, lockDirectory, openDirectory, segmentPath } from './journal-directory.ts'
import { JournalFault, JournalReader } from './journal-reader.ts'

const start: Position = { segment: 1, offset: 0 }

function openJournal(dir: string, files: Partial<JournalFiles> = {}, segment_bytes = 1024): Journal {
  const id = openDirectory(dir)
  const older = listSegments(dir)
  const first_segment = Math.max(0, ...older.keys()) + 1
  return new Journal({ dir, id, older, first_segment, segment_bytes, files, onSegment() {} })
}

function readAll(dir: string, written: Position, from = start): { lines: string[]; torn: number } {
  let torn = 0
  const reader = new JournalReader(dir, from, new Map(), (_, bytes) => {
    torn += bytes
  })
  const lines: string[] = []
  for (let batch = reader.next(written); batch; batch = reader.next(written)) {
    for (const frame of batch.frames) lines.push(...frame.records.split('\n'))
    reader.moveTo(batch.end)
  }
  reader.close()
  return { lines, torn }
}

const line = (n: number) => JSON.stringify({ n, pad: 'x'.repeat(100) })
const frameOf = (n: number) => encodeFrame(line(n))
const upTo = (count: number) => Array.from({ length: count }, (_, n) => line(n))

test('frames are read back in order over rotated segments, and committed ones are deleted', async () => {
  const dir = await newFolder()
  const journal = openJournal(dir)
  for (let n = 0; n < 50; n++) journal.append(frameOf(n))
  assert.ok(journal.position.segment > 5)
  assert.deepEqual(readAll(dir, journal.position).lines, upTo(50))
  const all = journal.pendingBytes(start)
  assert.equal(all, 50 * frameOf(10).length - 10)
  const committed = { segment: 3, offset: 100 }
  journal.release(committed)
  assert.deepEqual([...listSegments(dir).keys()].slice(0, 1), [3])
  assert.ok(journal.pendingBytes(committed) < all)
  assert.equal(journal.pendingBytes(journal.position), 0)
  journal.close()
})

test('only its owner can read the journal', async () => {
  const dir = join(await newFolder(), 'journal')
  const journal = openJournal(dir)
  journal.append(frameOf(1))
  journal.close()
  for (const path of [dir, ...readdirSync(dir).map((name) => join(dir, name))])
    assert.equal(statSync(path).mode & 0o077, 0, path)
  assert.ok(readdirSync(dir).length >= 2, 'its id and a segment')
})

test('a reopened journal continues in a new segment and the old one is read to its end', async () => {
  const dir = await newFolder()
  const first = openJournal(dir)
  for (let n = 0; n < 3; n++) first.append(frameOf(n))
  first.close()
  const second = openJournal(dir)
  for (let n = 3; n < 5; n++) second.append(frameOf(n))
  assert.equal(second.position.segment, first.position.segment + 1)
  assert.deepEqual(readAll(dir, second.position).lines, upTo(5))
  second.close()
})

test('a tail torn at any byte is cut off and nothing before it is lost', async () => {
  const dir = await newFolder()
  const journal = openJournal(dir)
  for (let n = 0; n < 3; n++) journal.append(frameOf(n))
  journal.close()
  const path = segmentPath(dir, 1)
  const whole = readFileSync(path)
  const whole_bytes = frameOf(0).length * 2
  const next = { segment: 2, offset: 0 }
  for (let length = whole.length - 1; length >= whole_bytes; length--) {
    truncateSync(path, length)
    assert.deepEqual(readAll(dir, next), { lines: upTo(2), torn: length - whole_bytes })
  }
  for (let at = whole_bytes; at < whole.length; at++) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 0x10
    writeFileSync(path, changed)
    assert.deepEqual(readAll(dir, next), { lines: upTo(2), torn: whole.length - whole_bytes })
  }
})

test('damage before complete frames stops the journal with its position', async () => {
  const dir = await newFolder()
  const journal = openJournal(dir)
  for (let n = 0; n < 4; n++) journal.append(frameOf(n))
  journal.close()
  const path = segmentPath(dir, 1)
  const whole = readFileSync(path)
  const second = frameOf(0).length
  for (let at = second; at < second * 2; at++) {
    const changed = Buffer.from(whole)
    changed[at]! ^= 0x10
    writeFileSync(path, changed)
    assert.throws(
      () => readAll(dir, { segment: 2, offset: 0 }),
      (error) => error instanceof JournalFault && error.message.includes(`at byte ${second}`),
    )
  }
})

test('in a segment still being written, a fault is never taken for a torn tail', async () => {
  const dir = await newFolder()
  const journal = openJournal(dir)
  for (let n = 0; n < 2; n++) journal.append(frameOf(n))
  const bytes = readFileSync(segmentPath(dir, 1))
  bytes[bytes.length - 1]! ^= 1
  writeFileSync(segmentPath(dir, 1), bytes)
  assert.throws(() => readAll(dir, journal.position), JournalFault)
  journal.close()
})

test('a missing segment is a fault, not a gap to skip', async () => {
  const dir = await newFolder()
  const journal = openJournal(dir)
  for (let n = 0; n < 30; n++) journal.append(frameOf(n))
  rmSync(segmentPath(dir, 2))
  assert.throws(() => readAll(dir, journal.position), /needs .*0002\.journal/)
  journal.close()
})

/** Writes that fail while the disk is "full": first a part succeeds, as on real disks. */
function failingFiles(full: { bytes_left: number; truncate_fails?: boolean }): Partial<JournalFiles> {
  return {
    write(fd, bytes, offset) {
      const part = Math.min(bytes.length, full.bytes_left)
      if (part === 0) throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' })
      full.bytes_left -= part
      return writeSync(fd, bytes, 0, part, offset)
    },
    truncate(fd, length) {
      if (full.truncate_fails) throw new Error('EIO: truncate failed')
      ftruncateSync(fd, length)
    },
  }
}

test('a full disk leaves no partial frame, and the journal recovers by itself', async () => {
  const dir = await newFolder()
  const full = { bytes_left: 1_000_000 }
  const journal = openJournal(dir, failingFiles(full))
  journal.append(frameOf(0))
  full.bytes_left = 50
  assert.throws(() => journal.append(frameOf(1)), /cannot be written: .*ENOSPC/)
  assert.ok(journal.fault)
  assert.ok(!existsSync(join(dir, 'reserve')), 'the reserve gave its space')
  for (let n = 0; n < 5; n++) assert.throws(() => journal.append(frameOf(1)))
  assert.ok(listSegments(dir).size <= 2, 'failing turns do not make a file each')
  full.bytes_left = 1_000_000
  journal.append(frameOf(1))
  assert.match(journal.fault ?? '', /full/, 'living on the reserve is still trouble')
  journal.tend()
  assert.equal(journal.fault, undefined)
  assert.equal(statSync(join(dir, 'reserve')).size, 1024 * 1024)
  assert.deepEqual(readAll(dir, journal.position).lines, upTo(2))
  journal.close()
})

test('a frame that cannot be truncated is not written again', async () => {
  const dir = await newFolder()
  const full = { bytes_left: 1_000_000, truncate_fails: false }
  const journal = openJournal(dir, failingFiles(full))
  journal.append(frameOf(0))
  Object.assign(full, { bytes_left: 60, truncate_fails: true })
  assert.throws(() => journal.append(frameOf(1)), /nor cut back/)
  Object.assign(full, { bytes_left: 1_000_000, truncate_fails: false })
  journal.append(frameOf(2))
  assert.deepEqual(readAll(dir, journal.position), { lines: [line(0), line(2)], torn: 60 })
  journal.close()
})

test('a segment that fails to sync is not trusted again', async () => {
  const dir = await newFolder()
  let failing = true
  const sync = async () => {
    if (failing) throw new Error('EIO: i/o error')
  }
  const journal = openJournal(dir, { sync })
  journal.append(frameOf(0))
  assert.ok(journal.needs_sync)
  await assert.rejects(journal.sync(), /could not be synced: .*EIO/)
  failing = false
  journal.append(frameOf(1))
  assert.equal(journal.position.segment, 2)
  await journal.sync()
  assert.ok(!journal.needs_sync)
  assert.deepEqual(readAll(dir, journal.position).lines, upTo(2))
  journal.close()
})

test('a deleted folder is recreated at the next check, and nothing written is lost', async () => {
  const dir = await newFolder()
  const descriptors = new Map<number, number>()
  const id = openDirectory(dir)
  const options = { dir, id, older: new Map(), first_segment: 1, segment_bytes: 1024 }
  const journal = new Journal({ ...options, onSegment: (segment, fd) => descriptors.set(segment, fd) })
  journal.append(frameOf(0))
  rmSync(dir, { recursive: true })
  journal.append(frameOf(1))
  journal.tend()
  journal.append(frameOf(2))
  assert.equal(openDirectory(dir), id)
  assert.ok(existsSync(segmentPath(dir, journal.position.segment)))
  const reader = new JournalReader(dir, start, descriptors, () => {})
  const records: string[] = []
  for (let batch = reader.next(journal.position); batch; batch = reader.next(journal.position)) {
    records.push(...batch.frames.map((frame) => frame.records))
    reader.moveTo(batch.end)
  }
  assert.deepEqual(records, upTo(3))
  assert.deepEqual(readAll(dir, journal.position).lines, upTo(3))
  journal.close()
})

test('a batch stays within its limits and ends with a complete frame', async () => {
  const dir = await newFolder()
  const journal = openJournal(dir, {}, 64 * 1024 * 1024)
  const many = encodeFrame(Array.from({ length: 900 }, () => '{}').join('\n'))
  for (let n = 0; n < 4; n++) journal.append(many)
  const reader = new JournalReader(dir, start, new Map(), () => {})
  const batch = reader.next(journal.position)
  assert.equal(batch?.records, 1800)
  assert.equal(batch.end.offset, many.length * 2)
  reader.close()
  journal.close()
})

test('a folder in use is refused with its name; the lock of a dead process is taken over', async () => {
  const dir = await newFolder()
  openDirectory(dir)
  const unlock = await lockDirectory(dir)
  await assert.rejects(lockDirectory(dir, 0), (error: Error) => error.message.includes(dir))
  unlock()
  symlinkSync('999999999 1', join(dir, 'lock'))
  const again = await lockDirectory(dir)
  again()
  symlinkSync(`${process.pid} 1`, join(dir, 'lock'))
  const third = await lockDirectory(dir)
  third()
})
