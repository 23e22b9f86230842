// Which protocol and operation a question about calls names. A misspelt name would match no call, and look as if all were well.
import { closest } from '@svc/contract/closest'

export interface NamedPlace {
  readonly protocol?: string | undefined
  readonly operation?: string | undefined
}

interface Served {
  readonly protocol: string
  readonly operation: string
}

export type ServedPlace = NamedPlace & { readonly fault?: undefined }
interface Misfit {
  readonly fault: { readonly field: 'protocol' | 'operation'; readonly message: string }
}

/** With the id as the engine serves it; callers may use any letter case. */
export function servedPlace(
  { protocol, operation }: NamedPlace,
  all: readonly Served[],
): ServedPlace | Misfit {
  if (protocol === undefined)
    return operation === undefined ? {} : { fault: { field: 'operation', message: 'needs protocol' } }
  const ids = [...new Set(all.map((one) => one.protocol))]
  const id = ids.find((one) => one.toUpperCase() === protocol.toUpperCase())
  if (id === undefined)
    return { fault: { field: 'protocol', message: unservedText('protocol', protocol, ids) } }
  if (operation === undefined) return { protocol: id }
  const names = all.filter((one) => one.protocol === id).map((one) => one.operation)
  if (names.includes(operation)) return { protocol: id, operation }
  return { fault: { field: 'operation', message: unservedText(`operation of ${id}`, operation, names) } }
}

function unservedText(what: string, name: string, names: readonly string[]): string {
  const near = closest(name, names)
  return `names no ${what} that this engine serves${near === undefined ? '' : `; did you mean ${near}?`}`
}
