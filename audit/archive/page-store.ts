// Pages in an object store, each under the hash of its bytes.
import { hash } from 'node:crypto'
import type { ArchivedPage } from '@svc/contract/audit/page-archive'

/** A folder, or a bucket of an S3-compatible service. Its methods throw where it does not answer. */
export interface ObjectStore {
  /** For messages; without credentials. */
  readonly place: string
  /** Afterwards the whole object is stored under this name. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /** Undefined where there is none, or a longer one. */
  get(name: string, bytes_max: number): Promise<Buffer | undefined>
}

/** The first object of an archive: an empty folder may be one that is not mounted. */
const marker = {
  name: 'svc-log-archive',
  text: 'svc-log-archive/1: pages of svc audit logs, each under the SHA-256 of its bytes.\n',
  bytes_max: 1_000,
}
const marker_form = /^svc-log-archive\/(\d+):/

/** Above the largest page: a changed size in the database must not fill the memory. */
const page_bytes_max = 128 * 1024 * 1024

export interface PageStore {
  readonly place: string
  /** False before the first page, and where a disk is not mounted. */
  isArchive(): Promise<boolean>
  /** Begins an archive unless there is one; throws where there should be one and is not. */
  prepare(hasPages: () => Promise<boolean>): Promise<void>
  put(page: ArchivedPage, bytes: Uint8Array): Promise<void>
  /** Undefined where the object is missing or has other content. */
  get(page: ArchivedPage): Promise<Buffer | undefined>
}

export function pageStore(objects: ObjectStore): PageStore {
  const isArchive = async () => {
    const text = (await objects.get(marker.name, marker.bytes_max))?.toString() ?? ''
    const format = marker_form.exec(text)?.[1]
    if (format !== undefined && format !== '1')
      throw new Error(
        `${objects.place} is an archive of format ${format}: use a newer version of svc with it`,
      )
    return format === '1'
  }
  return {
    place: objects.place,
    isArchive,
    async prepare(hasPages) {
      if (await isArchive()) return
      if (await hasPages()) throw noArchive(objects)
      await objects.put(marker.name, Buffer.from(marker.text))
    },
    put: ({ sha256 }, bytes) => objects.put(nameOf(sha256), bytes),
    async get({ sha256, bytes: length }) {
      const bytes = await objects.get(nameOf(sha256), Math.min(length, page_bytes_max))
      if (bytes === undefined && !(await isArchive())) throw noArchive(objects)
      return bytes && hash('sha256', bytes) === sha256 ? bytes : undefined
    },
  }
}

export function nameOf(sha256: string): string {
  return `pages/${sha256.slice(0, 2)}/${sha256}`
}

function noArchive({ place }: ObjectStore): Error {
  return new Error(`${place} has no ${marker.name}, so it is not the archive of this log, or is not mounted`)
}
