// The archive of old pages: the real one in a folder, on a simulated disk, behind a service with faults of its own.
import { hash } from 'node:crypto'
import { fileStore } from '@svc/adapters/log-archive/file-store'
import type { PageArchive } from '@svc/contract/audit/page-archive'
import { nameOf, type ObjectStore, type PageStore, pageStore } from '../../../audit/archive/page-store.ts'
import { Disk } from '../disk.ts'
import type { Random } from '../random.ts'
import type { SimulatedProcess, World } from '../world.ts'

export type ArchiveTrouble =
  /** Every request fails, at once or after the longest wait. */
  | 'away'
  /** Answers come, some of them later than anybody waits. */
  | 'slow'
  /** Some reads return other bytes than are stored. */
  | 'other bytes'
  /** New objects are cut off, or not stored at all, and it says they are. */
  | 'half write'
  /** Its disk is away: an empty folder is in its place, and takes what is written. */
  | 'unmounted'

const read_ms_max = 8_000
const write_ms_max = 60_000
const slow_ms_max = 20_000
const marker_name = 'svc-log-archive'

export class SimulatedArchive {
  readonly disk: Disk
  trouble: ArchiveTrouble | undefined
  /** Reads of a page so far whose answer was not that page. */
  wrong_answers = 0
  readonly #world: World
  /** By path, what was stored there before somebody changed it. */
  readonly #damaged = new Map<string, Buffer>()
  #marker: Buffer | undefined
  #folder: string
  #folder_below: string

  constructor(world: World) {
    this.#world = world
    this.disk = new Disk(world, 'disk-archive')
    this.#folder = `${this.disk.root}/mounted`
    this.#folder_below = `${this.disk.root}/below`
    this.disk.syncs_folders_alone = true
    for (const folder of [this.#folder, this.#folder_below]) this.disk.makeFolder(folder)
    // Both folders are there for certain, as a mounted disk and its place are.
    this.disk.put(`${this.disk.root}/lost+found`, Buffer.alloc(0))
  }

  /** As this process uses it. */
  pagesFor(process: SimulatedProcess): PageStore {
    const clock = { uuid: () => this.#world.random.uuid() }
    const files = () => fileStore(this.trouble === 'unmounted' ? this.#folder_below : this.#folder, clock)
    const objects: ObjectStore = {
      place: 'the archive',
      put: async (name, bytes) => {
        await this.#answer(process, write_ms_max)
        const stored = this.#asStored(name, bytes)
        if (stored) await files().put(name, stored)
        this.#adoptBelow()
      },
      get: async (name, bytes_max) => {
        await this.#answer(process, read_ms_max)
        const bytes = this.#asRead(await files().get(name, bytes_max))
        this.#count(name, bytes)
        return bytes
      },
    }
    return pageStore(objects)
  }

  /** Outside of the simulation: what is in it, or was before somebody changed it. */
  readonly contents: PageArchive = {
    read: async ({ sha256 }) => {
      const path = this.#pathOf(nameOf(sha256))
      return this.#damaged.get(path) ?? this.disk.read(path)
    },
  }

  /** The page is stored, and stays so through a power loss; or it was until somebody changed it. */
  isSafe(sha256: string): boolean {
    const path = this.#pathOf(nameOf(sha256))
    const bytes = this.#damaged.get(path) ?? this.disk.durable(path)
    return bytes !== undefined && hash('sha256', bytes) === sha256
  }

  isDamaged(sha256: string): boolean {
    return this.#damaged.has(this.#pathOf(nameOf(sha256)))
  }

  /** Somebody changes an object, or deletes it. */
  damage(random: Random): void {
    const paths = this.#objects()
    if (paths.length === 0) return
    const path = random.pick(paths)
    const bytes = this.disk.read(path)!
    if (!this.#damaged.has(path)) this.#damaged.set(path, bytes)
    const other = random.pick([otherThan(bytes, random), this.disk.read(random.pick(paths))!, undefined])
    if (other) this.disk.put(path, other)
    else this.disk.remove(path, true)
  }

  loseMarker(): void {
    this.#marker ??= this.disk.read(this.#pathOf(marker_name))
    this.disk.remove(this.#pathOf(marker_name), true)
  }

  /** Everything is as it was before. */
  repair(): void {
    this.trouble = undefined
    this.disk.fault = undefined
    this.disk.capacity_bytes = Number.POSITIVE_INFINITY
    for (const [path, bytes] of this.#damaged) this.disk.put(path, bytes)
    this.#damaged.clear()
    if (this.#marker) this.disk.put(this.#pathOf(marker_name), this.#marker)
    this.#marker = undefined
  }

  #pathOf(name: string): string {
    return `${this.#folder}/${name}`
  }

  /** An archive that was begun while the disk was away, and no page was archived, is the archive from then on. */
  #adoptBelow(): void {
    if (this.trouble !== 'unmounted' || !this.disk.read(`${this.#folder_below}/${marker_name}`)) return
    const folder = this.#folder
    this.#folder = this.#folder_below
    this.#folder_below = folder
    this.trouble = undefined
  }

  #objects(): string[] {
    const pages = this.#pathOf('pages')
    return this.disk
      .list_if_folder(pages)
      .flatMap((folder) => this.disk.list(`${pages}/${folder}`).map((name) => `${pages}/${folder}/${name}`))
  }

  async #answer(process: SimulatedProcess, wait_ms_max: number): Promise<void> {
    const { random } = this.#world
    if (this.trouble === 'slow') await wait(process, random.below(slow_ms_max))
    if (this.trouble !== 'away') return
    await wait(process, random.pick([0, wait_ms_max]))
    throw new Error('the archive did not answer')
  }

  /** Only where there is none: whoever replaces an object does so at once, or not at all. */
  #asStored(name: string, bytes: Uint8Array): Uint8Array | undefined {
    const { random } = this.#world
    if (this.trouble !== 'half write' || this.disk.read(this.#pathOf(name)) || random.chance(0.3))
      return bytes
    return random.chance(0.5) ? bytes.subarray(0, random.below(bytes.length)) : undefined
  }

  #asRead(bytes: Buffer | undefined): Buffer | undefined {
    const { random } = this.#world
    if (!bytes || this.trouble !== 'other bytes' || random.chance(0.3)) return bytes
    return otherThan(bytes, random)
  }

  #count(name: string, bytes: Buffer | undefined): void {
    // In an empty folder nothing is missing: the marker is, so that reads are refused.
    if (name === marker_name || this.trouble === 'unmounted') return
    if (!bytes || !name.endsWith(hash('sha256', bytes))) this.wrong_answers++
  }
}

function otherThan(bytes: Buffer, random: Random): Buffer {
  const changed = Buffer.from(bytes)
  if (changed.length > 0) changed[random.below(changed.length)]! ^= 1 + random.below(255)
  return random.pick([
    changed,
    bytes.subarray(0, bytes.length / 2),
    Buffer.alloc(0),
    Buffer.concat([bytes, bytes]),
  ])
}

function wait(process: SimulatedProcess, ms: number): Promise<void> {
  const { world } = process
  return new Promise((resolve) => {
    const due_ms = world.now_ms + ms
    world.add({ name: 'answer of the archive', process, due_ms, run: () => process.run(resolve) })
  })
}
