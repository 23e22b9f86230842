// What only tests use is not part of the product: it is in checks/, or beside its tests as test-*.ts.
import { posix } from 'node:path'
import { isStringLiteral } from 'typescript/unstable/ast'
import { targetOf } from './imports.ts'
import { everyNode, type Finding, type Source } from './source.ts'

const product = ['adapters', 'engine', 'protocols', 'audit', 'gateway', 'service']
const advice = 'only tests import it; move it to checks/, or call it test-*.ts'

function isForTests({ path, area, is_test }: Source): boolean {
  return is_test || area === 'checks' || /^test-|\.fuzz\.ts$/.test(posix.basename(path))
}

export function findTestOnlyModules(sources: readonly Source[]): Finding[] {
  const users = new Map<string, Source[]>()
  for (const source of sources)
    for (const target of namedBy(source)) users.set(target, [...(users.get(target) ?? []), source])
  return sources
    .filter((source) => product.includes(source.area) && !isForTests(source))
    .filter(({ path }) => users.get(path)?.every(isForTests))
    .map(({ path }) => ({ path, line: 1, advice }))
}

/** Our files named in its text: imports, and what `import.meta.resolve` or a URL loads. */
function namedBy(source: Source): Set<string> {
  const targets = new Set<string>()
  everyNode(source, (node) => {
    const target = isStringLiteral(node) ? targetOf(source.path, node.text) : undefined
    if (target !== undefined) targets.add(/\.tsx?$/.test(target) ? target : `${target}.ts`)
  })
  return targets
}
