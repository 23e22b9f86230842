import { useLocation } from 'react-router'
import { type Place, readPlace } from './address.ts'

/** The current place, updated on every change. */
export function usePlace(): Place {
  const { pathname, search } = useLocation()
  return readPlace(pathname + search)
}
