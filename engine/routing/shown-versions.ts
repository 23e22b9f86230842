// Which version of an operation a caller is shown and then calls: the default one, or the next that has the operation. So nothing
// disappears while several versions are installed.

import { chooseVersion } from '../stages/1-resolve-version.ts'
import type { Registered, RegisteredOperation, Registry } from './routing.ts'
import { compareVersions, isPreRelease, parseVersion } from './semver.ts'

export interface ShownOperation {
  readonly registered: Registered
  readonly operation: RegisteredOperation
}

/** The tenant's own version first, then other stable ones, then pre-releases: each from the highest down. */
export function shownVersions(registry: Registry, protocol: string, tenant_id = ''): readonly Registered[] {
  const versions = registry.versions(protocol) ?? []
  if (versions.length < 2) return versions
  const canary = tenant_id === '' ? [] : registry.canary(protocol)
  const own = chooseVersion(versions, 'latest', { may_pre_release: false, canary, tenant_id })
  const rankOf = (one: Registered) => (one === own ? 0 : isPreRelease(parseVersion(one.version)!) ? 2 : 1)
  return versions.toSorted(
    (a, b) => rankOf(a) - rankOf(b) || compareVersions(parseVersion(b.version)!, parseVersion(a.version)!),
  )
}

/** Every operation of any version, once. */
export function shownOperations(registry: Registry, protocol: string, tenant_id: string): ShownOperation[] {
  const shown = new Map<string, ShownOperation>()
  for (const registered of shownVersions(registry, protocol, tenant_id)) {
    for (const [name, operation] of registered.operations)
      if (!shown.has(name)) shown.set(name, { registered, operation })
  }
  return [...shown.values()]
}

export function shownOperation(
  registry: Registry,
  protocol: string,
  name: string,
  tenant_id: string,
): ShownOperation | undefined {
  for (const registered of shownVersions(registry, protocol, tenant_id)) {
    const operation = registered.operations.get(name)
    if (operation) return { registered, operation }
  }
  return undefined
}
