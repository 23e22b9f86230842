// Permitted imports between our folders; an unlisted folder may import nothing of ours.
import { posix } from 'node:path'
import {
  isCallExpression,
  isExportDeclaration,
  isImportDeclaration,
  isStringLiteral,
  type Node,
  SyntaxKind,
} from 'typescript/unstable/ast'
import { areaOf, everyNode, type Finding, findingAt, type Source } from './source.ts'

const everything = 'everything'

const arrows: Readonly<Record<string, readonly string[] | typeof everything>> = {
  contract: [],
  database: ['contract'],
  engine: ['contract', 'database'],
  protocols: ['contract', 'database', 'audit'],
  audit: ['contract', 'database'],
  catalogue: ['contract', 'protocols', 'generated'],
  adapters: ['contract', 'database', 'engine', 'audit'],
  gateway: ['contract', 'database', 'engine', 'catalogue'],
  nodes: ['contract', 'database'],
  service: everything,
  checks: everything,
  clients: ['generated'],
  examples: ['contract', 'generated', 'clients'],
}

/** The only verifier of the log. It imports nothing of the server; log readers use it, and no writer does. */
const verifier = 'clients/sdk-typescript/verify/'
const verifier_users = ['audit', 'protocols', 'adapters']

/** Packages whose name differs from their folder's. */
const folders: Readonly<Record<string, string>> = {
  sdk: 'clients/sdk-typescript',
  mcp: 'clients/mcp',
  cli: 'clients/cli',
  plugin: 'clients/plugin-typescript',
}

/** Clients are packed separately: each imports another by its package name, and only downwards. */
const client_arrows: Readonly<Record<string, readonly string[]>> = {
  'clients/mcp': ['clients/sdk-typescript'],
  'clients/cli': ['clients/sdk-typescript', 'clients/mcp'],
  'clients/console': ['clients/sdk-typescript'],
  'clients/plugin-typescript/template': ['clients/plugin-typescript'],
}

/** Tests, except of the contract and the clients, may also use the test database, adapters and migrations. */
const tests_may_also = ['checks', 'adapters', 'service', 'engine']
const tests_stay_alone = ['contract', 'clients']

export function findWrongImports(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) =>
    importsOf(source).flatMap(({ node, target, written }) => {
      const advice = adviceAgainst(source, target, written)
      return advice === undefined ? [] : [findingAt(source, node, advice)]
    }),
  )
}

export interface Import {
  readonly node: Node
  /** The file, from the root; without its extension if the import omits it. */
  readonly target: string
  readonly written: string
}

/** Imports of files of ours. */
export function importsOf(source: Source): Import[] {
  const imports: Import[] = []
  everyNode(source, (node) => {
    const module = importedModule(node)
    const target = module && targetOf(source.path, module.text)
    if (target !== undefined) imports.push({ node: module!.node, target, written: module!.text })
  })
  return imports
}

/** The module that a static import, a re-export or an `import()` names. */
function importedModule(node: Node): { node: Node; text: string } | undefined {
  const named =
    isImportDeclaration(node) || isExportDeclaration(node)
      ? node.moduleSpecifier
      : isCallExpression(node) && node.expression.kind === SyntaxKind.ImportKeyword
        ? node.arguments[0]
        : undefined
  return named && isStringLiteral(named) ? { node: named, text: named.text } : undefined
}

/** Where an import leads inside the repository; undefined for packages and Node's own modules. */
export function targetOf(from: string, module: string): string | undefined {
  if (module.startsWith('@svc/')) {
    const [name = '', ...rest] = module.slice('@svc/'.length).split('/')
    return posix.join(folders[name] ?? name, ...rest)
  }
  return module.startsWith('.') ? posix.join(posix.dirname(from), module) : undefined
}

function adviceAgainst(source: Source, target: string, written: string): string | undefined {
  const to = areaOf(target)
  if (to === source.area) {
    if (to === 'clients' && clientOf(source.path) !== clientOf(target))
      return adviceToClient(source, target, written)
    if (written.startsWith('@svc/')) return `imports its own workspace as ${written}; use a relative path`
    return undefined
  }
  if (target.startsWith(verifier) && verifier_users.includes(source.area)) return undefined
  const allowed = arrows[source.area] ?? []
  if (allowed === everything) return undefined
  const is_test_freedom =
    source.is_test && tests_may_also.includes(to) && !tests_stay_alone.includes(source.area)
  if (allowed.includes(to) || is_test_freedom) return undefined
  const may = allowed.length === 0 ? 'nothing of ours' : `only ${allowed.join(', ')}`
  return `${source.area || 'the root'} imports ${to || target}, but may import ${may}; pass it in through a port or the context, or move the code`
}

/** A template becomes its user's own package. */
function clientOf(path: string): string {
  const parts = path.split('/')
  return parts.slice(0, parts[2] === 'template' ? 3 : 2).join('/')
}

function adviceToClient(source: Source, target: string, written: string): string | undefined {
  const [from, to] = [clientOf(source.path), clientOf(target)]
  if (!client_arrows[from]?.includes(to)) return `${from} imports ${to}, which is not below it`
  return written.startsWith('.') ? `reaches into ${to}; import it by the name of its package` : undefined
}
