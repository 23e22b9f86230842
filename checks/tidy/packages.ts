// How many packages of others an installation for production brings, on every platform together.
import type { Finding } from './source.ts'

/** May only fall. Before a package is added: is it more than one call that we use of it (docs/decisions/0038)? */
const production_packages_max = 264

export interface Lock {
  readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly link?: boolean }>>
}

/** Packages of package-lock.json that `npm ci --omit=dev` may install; those for other platforms count as well. */
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
