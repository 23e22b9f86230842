// Which protocol versions run outside, by what is registered and turned on: pure, so that every replica comes to the same answer.
import { declareOutside } from '@svc/adapters/external/declaration'
import type { ProtocolSettings, Registration } from '@svc/adapters/external/registrations'
import type { Declaration, Protocol } from '@svc/contract/protocol'
import type { Balance } from '@svc/engine/routing/routing'
import { parseVersion } from '@svc/engine/routing/semver'

/** One version that runs outside, with the services that answer for it. */
export interface VersionGroup {
  readonly declaration: Declaration
  readonly registrations: readonly Registration[]
  readonly balance: Balance
}

/** `known` is all the catalogue has, whether this engine runs it or not. */
export function groupByVersion(
  registrations: readonly Registration[],
  settings: readonly ProtocolSettings[],
  protocols: readonly Protocol[],
): readonly VersionGroup[] {
  const groups = new Map<string, Registration[]>()
  for (const registration of registrations) {
    // A row that no command would have written must not keep the others from being routed.
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

/** The engine itself checks what stands behind an adapter; a service in its place would be believed unchecked. */
export function isAdapter(name: string, protocols: readonly Protocol[]): boolean {
  return versionsOf(name, protocols).some(({ estate }) => estate === 'adapter')
}

export function versionsOf(name: string, protocols: readonly Protocol[]): readonly Protocol[] {
  return protocols.filter(({ id }) => id.toUpperCase() === name.toUpperCase())
}

export function versionKey(id: string, version: string): string {
  return `${id.toUpperCase()} ${version}`
}
