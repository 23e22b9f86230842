// Who can decide, in words.
import type { AskedConsent } from '@svc/contract/authority/approval'

const did_start = 'did:'
const did_shown = 12

/** `role finance`, `2 of anna, bob`. DIDs are shortened: their full form is in the details. */
export function consentText({ count, names }: Pick<AskedConsent, 'count' | 'names'>): string {
  const list = names.map(shortName).join(', ')
  if (count > 1) return `${count} of ${list}`
  return names.length > 1 ? `one of ${list}` : list
}

function shortName(name: string): string {
  if (!name.startsWith(did_start)) return name
  const parts = name.split(':')
  return `${parts[3]} ${parts.at(-1)!.slice(0, did_shown)}…`
}
