// Bundles each client with all dependencies except those in its manifest.
import { join } from 'node:path'
import { type BuildOptions, build } from 'esbuild'
import { partsOf } from './bill-of-materials.ts'
import { type Packed, packFolder, readManifest, writeManifest, writeTypes } from './package-folder.ts'
import { root } from './root.ts'

interface Client {
  /** Its folder below clients/, and below dist/. */
  readonly folder: string
  readonly entries: Readonly<Record<string, string>>
  readonly options: BuildOptions
  /** Further fields of its package.json. */
  readonly manifest: Readonly<Record<string, unknown>>
  /** Its npm dependencies; everything else is bundled. */
  readonly outside?: readonly string[]
}

const node_only: BuildOptions = {
  platform: 'node',
  target: 'node22',
  // Some bundled packages are CommonJS and need `require` for Node's modules.
  banner: {
    js: "import { createRequire as svcRequire } from 'node:module'; const require = svcRequire(import.meta.url);",
  },
}

const clients: Readonly<Record<string, Client>> = {
  '@svc/sdk': {
    folder: 'sdk-typescript',
    entries: { sdk: 'sdk.ts', 'ai-sdk': 'ai-sdk.ts' },
    // Only ./ai-sdk imports it, and only whoever has it imports that.
    options: { platform: 'neutral', target: 'es2022', external: ['ai'] },
    manifest: {
      exports: {
        '.': { types: './types/clients/sdk-typescript/sdk.d.ts', default: './sdk.js' },
        './ai-sdk': { types: './types/clients/sdk-typescript/ai-sdk.d.ts', default: './ai-sdk.js' },
      },
      peerDependencies: { ai: '^7.0.0' },
      peerDependenciesMeta: { ai: { optional: true } },
      sideEffects: false,
    },
  },
  '@svc/mcp': {
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
  '@svc/cli': {
    folder: 'cli',
    entries: { svc: 'main.ts' },
    // Its other entry is CommonJS, whose named exports a dynamic import does not find in a bundle.
    options: {
      ...node_only,
      minifySyntax: true,
      alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    },
    manifest: { bin: { svc: './svc.js' } },
  },
}

export async function packClient(name: string, dist: string): Promise<Packed> {
  const client = clients[name]
  if (!client) throw new Error(`${name} is not a client; use ${Object.keys(clients).join(', ')}`)
  const { folder, entries, manifest, outside = [] } = client
  const from = join('clients', folder)
  const out = join(dist, folder)
  await bundle(client, from, out)
  const source = readManifest(from)
  const dependencies = Object.fromEntries(outside.map((each) => [each, source.dependencies?.[each]]))
  writeManifest(out, from, source, { engines: { node: '>=22.12' }, ...manifest, dependencies })
  const files = Object.values(entries).map((file) => join(from, file))
  // Declarations keep the source's folders, so that relative imports of generated files still work.
  if (manifest.exports) writeTypes(files, '.', join(out, 'types'))
  return packFolder(out, dist, partsOf([from]))
}

async function bundle({ entries, options, outside = [] }: Client, from: string, out: string): Promise<void> {
  await build({
    entryPoints: Object.fromEntries(
      Object.entries(entries).map(([to, file]) => [to, join(root, from, file)]),
    ),
    absWorkingDir: root,
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
