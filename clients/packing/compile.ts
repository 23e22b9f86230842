// Sources to plain JavaScript, file by file: no path changes but its ending, so whatever finds a file beside itself still does.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { root } from './package-folder.ts'

/** Each round compiles what the one before named; the deepest chain of imports is far shorter. */
const rounds_max = 200

export interface Compiled {
  /** What was compiled, as paths from the root of the repository. */
  readonly sources: ReadonlySet<string>
  /** Files of other kinds that a source names. */
  readonly assets: ReadonlySet<string>
  /** Packages of others that are imported by name. */
  readonly packages: ReadonlySet<string>
}

interface Reached {
  readonly sources: Set<string>
  readonly assets: Set<string>
  readonly packages: Set<string>
}

interface Workspace {
  readonly folder: string
  readonly exports: Readonly<Record<string, string>>
}

/** Compiles `entries` and all they reach. Paths below `out` are those below `base`, which is a folder of the repository. */
export async function compile(entries: readonly string[], base: string, out: string): Promise<Compiled> {
  const reached: Reached = { sources: new Set(), assets: new Set(), packages: new Set() }
  const plugin = keepingPaths(reached)
  let todo = [...entries]
  for (let round = 0; todo.length > 0; round++) {
    if (round === rounds_max) throw new Error(`imports go more than ${rounds_max} deep`)
    const done = new Set([...reached.sources, ...todo])
    await build({
      entryPoints: todo,
      absWorkingDir: root,
      outbase: base,
      outdir: out,
      bundle: true,
      treeShaking: false,
      platform: 'node',
      target: 'node24.12',
      format: 'esm',
      charset: 'utf8',
      logLevel: 'warning',
      plugins: [plugin],
    })
    for (const path of todo) reached.sources.add(path)
    todo = [...reached.sources].filter((path) => !done.has(path))
  }
  return reached
}

/** Every import stays an import, of the file that will stand there. */
function keepingPaths(reached: Reached): Plugin {
  const workspaces = readWorkspaces()
  const toFile = (specifier: string, from: string) =>
    placed(reached, targetOf(specifier, from, workspaces), from)
  return {
    name: 'keeping-paths',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /.*/ }, ({ path, importer, kind }) => {
        if (kind === 'entry-point') return undefined
        if (path.startsWith('.') || path.startsWith('@svc/'))
          return { path: toFile(path, importer), external: true }
        if (!path.startsWith('node:')) reached.packages.add(packageOf(path))
        return { path, external: true }
      })
      onLoad({ filter: /\.ts$/ }, ({ path }) => ({
        contents: withFilesNamed(readFileSync(path, 'utf8'), (specifier) => toFile(specifier, path)),
        loader: 'ts',
      }))
    },
  }
}

/** Workers and programs are named by address, which no compiler looks at. */
function withFilesNamed(text: string, toFile: (specifier: string) => string): string {
  return text
    .replaceAll(
      /(new URL\(\s*)'([^']+)'(?=,\s*import\.meta\.url)/g,
      (_, before: string, path: string) => `${before}'${toFile(path.startsWith('.') ? path : `./${path}`)}'`,
    )
    .replaceAll(
      /(import\.meta\.resolve\(\s*)'(@svc\/[^']+)'/g,
      (_, before: string, name: string) => `${before}'${toFile(name)}'`,
    )
}

/** Notes the file as reached, and says how `from` names it once both are compiled. What a folder holds nobody can tell here. */
function placed(reached: Reached, path: string, from: string): string {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new Error(`${from} names ${path}, which is not there`)
  const is_source = path.endsWith('.ts')
  if (stat.isFile()) (is_source ? reached.sources : reached.assets).add(relative(root, path))
  const to = relative(dirname(from), is_source ? path.replace(/\.ts$/, '.js') : path)
  const named = to.startsWith('.') ? to : `./${to}`
  return stat.isDirectory() ? `${named}/` : named
}

function targetOf(specifier: string, from: string, workspaces: ReadonlyMap<string, Workspace>): string {
  if (specifier.startsWith('.')) return join(dirname(from), specifier)
  const [scope, name, ...rest] = specifier.split('/')
  const { folder, exports } = workspaces.get(`${scope}/${name}`) ?? {}
  const way = rest.length === 0 ? exports?.['.'] : exports?.['./*']?.replace('*', rest.join('/'))
  if (!folder || !way) throw new Error(`${from} imports ${specifier}, which no workspace exports`)
  return join(root, folder, way)
}

function readWorkspaces(): ReadonlyMap<string, Workspace> {
  const manifest = (folder: string) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'))
  const folders: readonly string[] = manifest('.').workspaces
  return new Map(
    folders.map((folder) => {
      const { name, exports = {} } = manifest(folder)
      return [name, { folder, exports }]
    }),
  )
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}
