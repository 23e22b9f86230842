// Compiles sources to JavaScript file by file. Only the extension changes, so relative paths still work.
import { readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build, type Plugin } from 'esbuild'
import { root } from './root.ts'

/** Each round compiles what the previous one imported; real import chains are much shorter. */
const rounds_max = 200

export interface Compiled {
  /** The compiled sources, as paths from the repository root. */
  readonly sources: ReadonlySet<string>
  /** Other files that a source refers to. */
  readonly assets: ReadonlySet<string>
  /** Imported third-party packages. */
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

/** Compiles `entries` and everything they reach. Paths below `out` mirror those below `base`. */
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

/** Every import stays, but refers to the compiled file. */
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

/** Workers and programs are referenced by URL, which the compiler ignores. */
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

/** Marks the file as reached and returns its specifier in the compiled `from`. The content of a folder is not followed. */
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
