// Which protocol versions run externally, from the enabled registrations. Pure, so that all replicas agree.
import { declareOutside } from '@svc/adapters/external/declaration'
import type { ProtocolSettings, Registration } from '@svc/adapters/external/registrations'
import type { Declaration, Protocol } from '@svc/contract/protocol'
import type { Balance } from '@svc/engine/routing/routing'
import { parseVersion } from '@svc/engine/routing/semver'

/** One external version and its services. */
export interface VersionGroup {
  readonly declaration: Declaration
  readonly registrations: readonly Registration[]
  readonly balance: Balance
}

/** `known` is the whole catalogue, whether this engine runs it or not. */
export function groupByVersion(
  registrations: readonly Registration[],
  settings: readonly ProtocolSettings[],
  protocols: readonly Protocol[],
): readonly VersionGroup[] {
  const groups = new Map<string, Registration[]>()
  for (const registration of registrations) {
    // An invalid row must not prevent the routing of the others.
    if (!registration.enabled || !parseVersion(registration.version)) continue
    if (isAdapter(registration.name, protocols)) continue
    const key = versionKey(registration.name, registration.version)
    groups.set(key, [...(groups.get(key) ?? []), registration])
  }
  return [...groups.values()].map((together) => {
    const { name, version } = together[0]!
    const outside = {
      name,
      version,
      operations: [...new Set(together.flatMap(({ operations }) => operations))],
      timeout_ms: Math.max(...together.map(({ timeout_ms }) => timeout_ms)),
      answers: together.some(({ answers }) => answers === 'unsigned')
        ? ('unsigned' as const)
        : ('signed' as const),
    }
    const declaration = declareOutside(outside, versionsOf(name, protocols))
    const set = settings.find(({ name_key }) => name_key === name.toUpperCase())
    return { declaration, registrations: together, balance: set?.balance ?? 'round-robin' }
  })
}

/** The engine verifies what an adapter returns; an external service in its place would not be verified. */
export function isAdapter(name: string, protocols: readonly Protocol[]): boolean {
  return versionsOf(name, protocols).some(({ estate }) => estate === 'adapter')
}

export function versionsOf(name: string, protocols: readonly Protocol[]): readonly Protocol[] {
  return protocols.filter(({ id }) => id.toUpperCase() === name.toUpperCase())
}

export function versionKey(id: string, version: string): string {
  return `${id.toUpperCase()} ${version}`
}
