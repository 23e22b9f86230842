// `npm run pack`: builds the clients as plain JavaScript and packs each as people install it. Prints what came out, and how large.
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { type BuildOptions, build } from 'esbuild'

const root = join(import.meta.dirname, '..')

interface Manifest {
  readonly name: string
  readonly version: string
  readonly description: string
  readonly license: string
  readonly dependencies?: Readonly<Record<string, string>>
}

interface Client {
  /** Its folder below clients/, and below dist/. */
  readonly folder: string
  readonly entries: Readonly<Record<string, string>>
  readonly options: BuildOptions
  /** What its package.json says beyond name, version and license. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** Packages it asks npm for; everything else is inside. */
  readonly outside?: readonly string[]
}

const node_only: BuildOptions = {
  platform: 'node',
  target: 'node22',
  // Some packages inside are CommonJS, which asks for Node's modules by `require`.
  banner: {
    js: "import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);",
  },
}

const clients: readonly Client[] = [
  {
    folder: 'sdk-typescript',
    entries: { sdk: 'sdk.ts' },
    options: { platform: 'neutral', target: 'es2022' },
    manifest: {
      exports: { '.': { types: './types/clients/sdk-typescript/sdk.d.ts', default: './sdk.js' } },
      sideEffects: false,
    },
  },
  {
    folder: 'mcp',
    entries: { server: 'server.ts', http: 'http.ts', stdio: 'stdio.ts' },
    options: node_only,
    manifest: {
      exports: Object.fromEntries(
        ['server', 'http', 'stdio'].map((name) => [
          `./${name}`,
          { types: `./types/clients/mcp/${name}.d.ts`, default: `./${name}.js` },
        ]),
      ),
    },
    outside: ['@modelcontextprotocol/server'],
  },
  {
    folder: 'cli',
    entries: { svc: 'main.ts' },
    // Its other half is CommonJS, whose names a dynamic import does not find in a bundle.
    options: {
      ...node_only,
      minifySyntax: true,
      alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    },
    manifest: { bin: { svc: './svc.js' } },
  },
]

/** Where a client's tarball lies after `pack`. */
export interface Packed {
  readonly name: string
  readonly tarball: string
  readonly folder: string
}

/** Everything below `dist` is made anew; two that pack at once need a folder each. */
export async function pack(dist: string): Promise<Packed[]> {
  rmSync(dist, { recursive: true, force: true })
  const packed: Packed[] = []
  for (const client of clients) {
    const folder = join(dist, client.folder)
    await bundle(client, folder)
    const { name, version } = writeManifest(client, folder)
    if (client.manifest.exports) writeTypes(client, folder)
    run('npm', ['pack', '--silent', '--pack-destination', dist, folder])
    const tarball = join(dist, `${name.slice(1).replace('/', '-')}-${version}.tgz`)
    packed.push({ name, tarball, folder })
  }
  return packed
}

async function bundle({ folder, entries, options, outside = [] }: Client, out: string): Promise<void> {
  const from = join(root, 'clients', folder)
  await build({
    entryPoints: Object.fromEntries(Object.entries(entries).map(([to, file]) => [to, join(from, file)])),
    outdir: out,
    bundle: true,
    splitting: true,
    format: 'esm',
    charset: 'utf8',
    legalComments: 'eof',
    external: [...outside],
    logLevel: 'warning',
    ...options,
  })
}

function writeManifest({ folder, manifest, outside = [] }: Client, out: string): Manifest {
  const from = join(root, 'clients', folder)
  const source: Manifest = JSON.parse(readFileSync(join(from, 'package.json'), 'utf8'))
  const { name, version, description, license } = source
  const dependencies = Object.fromEntries(outside.map((each) => [each, source.dependencies?.[each]]))
  const engines = { node: '>=22.12' }
  const written = { name, version, description, license, type: 'module', engines, ...manifest, dependencies }
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(written, null, 2)}\n`)
  for (const file of [join(root, 'LICENSE'), join(from, 'README.md')]) {
    if (existsSync(file)) cpSync(file, join(out, file.split('/').at(-1)!))
  }
  return source
}

/** Declarations keep the folders of the source, so that what is derived stands beside them as it does here. */
function writeTypes({ folder, entries }: Client, out: string): void {
  mkdirSync(join(out, 'types'), { recursive: true })
  const files = Object.values(entries).map((file) => join('clients', folder, file))
  const flags = '--declaration --emitDeclarationOnly --noEmit false --rewriteRelativeImportExtensions'
  const places = ['--rootDir', '.', '--outDir', join(out, 'types')]
  const settings = '--target esnext --module nodenext --lib esnext --types node --strict --skipLibCheck'
  const more = '--allowImportingTsExtensions --verbatimModuleSyntax --resolveJsonModule --ignoreConfig'
  const args = [...flags.split(' '), ...settings.split(' '), ...more.split(' '), ...places, ...files]
  run(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), ...args])
}

function run(command: string, args: readonly string[]): void {
  const done = spawnSync(command, args, { cwd: root, encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`${command} ${args.join(' ')} failed:\n${done.stdout}${done.stderr}`)
}

/** Of the SDK as a browser would load it. */
async function browserBytes(): Promise<{ minified: number; gzipped: number }> {
  const entry = join(root, 'clients/sdk-typescript/sdk.ts')
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    target: 'es2022',
    write: false,
  })
  const { contents } = result.outputFiles[0]!
  return { minified: contents.length, gzipped: gzipSync(contents).length }
}

if (import.meta.main) {
  for (const { name, tarball } of await pack(join(root, 'dist'))) {
    console.log(
      `${name.padEnd(10)} ${(statSync(tarball).size / 1024).toFixed(0).padStart(6)} KiB  ${tarball}`,
    )
  }
  const { minified, gzipped } = await browserBytes()
  console.log(`@svc/sdk in a bundle: ${minified} bytes minified, ${gzipped} gzipped`)
}
