// The number of third-party packages in a production installation, over all platforms.
import type { Finding } from './source.ts'

/** May only decrease. Before adding a package: do we use more than one call of it (docs/decisions/0038)? */
const production_packages_max = 243

export interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>
}

/** Packages of package-lock.json that `npm ci --omit=dev` may install on any platform. */
function countProductionPackages({ packages }: Lock): number {
  const entries = Object.entries(packages)
  return entries.filter(([path, { dev, link }]) => path.includes('node_modules/') && !dev && !link).length
}

export function findMorePackages(lock: Lock, most = production_packages_max): Finding[] {
  const count = countProductionPackages(lock)
  if (count > most) return [at('package-lock.json', `${count} production packages, and at most ${most}`)]
  if (count < most) return [at('checks/tidy/packages.ts', `write ${count}: there are no longer ${most}`)]
  return []
}

function at(path: string, advice: string): Finding {
  return { path, line: 1, advice }
}
