import { useSyncExternalStore } from 'react'
import { type Place, readPlace } from './address.ts'

/** The current place, updated on every change. */
export function usePlace(): Place {
  return readPlace(useSyncExternalStore(follow, () => location.hash))
}

function follow(changed: () => void): () => void {
  addEventListener('hashchange', changed)
  return () => removeEventListener('hashchange', changed)
}
