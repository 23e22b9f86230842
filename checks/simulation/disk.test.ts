import assert from 'node:assert/strict'
import { closeSync, fdatasync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { openDirectory } from '../../audit/journal/journal-directory.ts'
import { SimulationDatabase } from './database.ts'
import { Disk } from './disk.ts'
import { serveDisks } from './disk-files.ts'
import { Random } from './random.ts'
import { type SimulatedProcess, World } from './world.ts'

let database: SimulationDatabase
before(async () => {
  database = await SimulationDatabase.open()
})
after(() => database.close())

/** Runs as a simulated process on a new disk. */
function onDisk(name: string, work: (disk: Disk, process: SimulatedProcess) => void): void {
  const world = new World(1, database)
  const disk = new Disk(world, name)
  const restore = serveDisks(world.disks)
  try {
    const process = world.start('engine')
    process.run(() => work(disk, process))
  } finally {
    restore()
  }
}

test('a power loss keeps what was synced, and of the rest at most a beginning', () => {
  const lengths = new Set<number>()
  for (let seed = 0; seed < 40; seed++) {
    onDisk('torn', (disk) => {
      const path = `${disk.root}/file`
      const fd = openSync(path, 'wx+')
      writeSync(fd, Buffer.from('synced '), 0, 7, 0)
      fsyncSync(fd)
      const folder = openSync(disk.root, 'r')
      fsyncSync(folder)
      writeSync(fd, Buffer.from('unsynced'), 0, 8, 7)
      closeSync(folder)
      disk.losePower(new Random(`${seed}`))
      const text = readFileSync(path, 'utf8')
      assert.ok('synced unsynced'.startsWith(text) && text.length >= 7, text)
      lengths.add(text.length)
    })
  }
  assert.ok(lengths.size > 3, 'writes are torn at different bytes')
})

test('a disk that lies about syncs loses them, and a dead process writes nothing', () => {
  onDisk('lying', (disk, process) => {
    disk.lies_about_sync = true
    const fd = openSync(`${disk.root}/file`, 'wx+')
    fsyncSync(fd)
    assert.throws(() => fdatasync(-1, () => {}), /out of range/, 'real descriptors stay real')
    process.kill()
    assert.throws(() => writeSync(fd, Buffer.from('x'), 0, 1, 0), /EBADF/)
  })
})

test("a journal's folder and id survive a power loss from the moment that it is open", () => {
  for (let seed = 0; seed < 40; seed++) {
    onDisk('journal', (disk) => {
      const dir = `${disk.root}/data/audit`
      const id = openDirectory(dir)
      disk.losePower(new Random(`${seed}`))
      assert.equal(openDirectory(dir), id)
    })
  }
})

test('a new file is as old as the moment, before anything is written to it', () => {
  onDisk('new', (disk) => {
    const path = `${disk.root}/file`
    openSync(path, 'wx+')
    const { mtimeMs } = statSync(path)
    assert.ok(mtimeMs > 0)
    assert.equal(mtimeMs, statSync(disk.root).mtimeMs)
  })
})
