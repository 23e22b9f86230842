// Boundaries inside protocols/: a folder is imported by its api.ts, planes use of each other what
// ARCHITECTURE.md lists, and there are no cycles.
import { importsOf } from './imports.ts'
import { type Finding, findingAt, type Source } from './source.ts'

/** `protocols/governance/moat`, for a file in a plane's folder. */
function folderOf(path: string): string | undefined {
  const parts = path.split('/')
  return parts[0] === 'protocols' && parts.length > 3 ? parts.slice(0, 3).join('/') : undefined
}

const isTest = ({ path, is_test }: Source) => is_test || path.startsWith('checks/')

export function findBrokenWalls(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) => {
    if (isTest(source)) return []
    return importsOf(source).flatMap(({ node, target }) => {
      const folder = folderOf(target)
      if (folder === undefined || folder === folderOf(source.path)) return []
      const file = target.slice(folder.length + 1).replace(/\.ts$/, '')
      const is_literal = source.area === 'catalogue' && file === folder.split('/')[2]
      if (file === 'api' || is_literal) return []
      return [findingAt(source, node, `reaches past ${folder}/api.ts; export it there, or move the code`)]
    })
  })
}

/** `governance uses economic/ledger`, from the code. */
export function arrowsOf(sources: readonly Source[]): string[] {
  const arrows = sources.flatMap((source) => {
    const from = folderOf(source.path)?.split('/')[1]
    if (from === undefined || source.is_test) return []
    return importsOf(source).flatMap(({ target }) => {
      const [, plane, folder] = folderOf(target)?.split('/') ?? []
      return plane === undefined || plane === from ? [] : [`${from} uses ${plane}/${folder}`]
    })
  })
  return [...new Set(arrows)].sort()
}

/** The same, from the table under its heading. */
export function listedArrows(page: string): string[] {
  const [, section = ''] = page.split('## What planes use of each other')
  const [table = ''] = section.split('\n## ')
  const rows = [...table.matchAll(/^\| (\w+) \| (.+) \|$/gm)].filter(([, plane]) => plane !== 'plane')
  return rows.flatMap(([, plane, used]) => used!.split(', ').map((one) => `${plane} uses ${one}`)).sort()
}

/** Files that import each other, directly or indirectly; types count. */
export function findCycles(sources: readonly Source[]): Finding[] {
  const product = sources.filter((source) => !isTest(source))
  const by_path = new Map(product.map((source) => [source.path, source]))
  const next = new Map(
    product.map((source) => [
      source.path,
      importsOf(source).flatMap(({ target }) => [target, `${target}.ts`].filter((path) => by_path.has(path))),
    ]),
  )
  return cyclesOf(next).map((cycle) => ({
    path: cycle[0]!,
    line: 1,
    advice: `imports itself by way of ${cycle.slice(1).join(', ')}; move what they share into a file of its own`,
  }))
}

/** Tarjan's strongly connected components of more than one node; recursion is safe at this size. */
function cyclesOf(next: ReadonlyMap<string, readonly string[]>): string[][] {
  const order = new Map<string, number>()
  const low = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const visit = (path: string): void => {
    order.set(path, order.size)
    low.set(path, order.get(path)!)
    stack.push(path)
    for (const to of next.get(path) ?? []) {
      if (!order.has(to)) visit(to)
      if (stack.includes(to)) low.set(path, Math.min(low.get(path)!, low.get(to)!))
    }
    if (low.get(path) !== order.get(path)) return
    const members = stack.splice(stack.indexOf(path))
    if (members.length > 1) cycles.push(members.sort())
  }
  for (const path of next.keys()) if (!order.has(path)) visit(path)
  return cycles
}
