// The archive that the settings name.
import { type PageStore, pageStore } from '@svc/audit/archive/page-store'
import type { Clock } from '@svc/engine/ports'
import { type BucketPlace, bucketStore } from './bucket-store.ts'
import { fileStore } from './file-store.ts'

/** Plain data, so that it can be handed to a thread. */
export type ArchivePlace =
  | { readonly kind: 'file'; readonly folder: string }
  | ({ readonly kind: 's3' } & BucketPlace)

export function openPageStore(place: ArchivePlace, clock: Pick<Clock, 'uuid' | 'now_ms'>): PageStore {
  return pageStore(place.kind === 'file' ? fileStore(place.folder, clock) : bucketStore(place, clock))
}
