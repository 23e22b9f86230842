// Builds plugin.ts to a component: one bundle with its JavaScript engine, pre-initialized.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { operationsText, type Plugin } from './operation.ts'

export type WasiFeature = 'clocks' | 'random'

const world = join(import.meta.dirname, 'wit/svc-plugin.wit')
const serving = fileURLToPath(new URL('./serve.ts', import.meta.url))
const features = ['stdio', 'random', 'clocks', 'http', 'fetch-event'] as const
/** Authors without an installed kit use the bundled one and its dependencies. */
const own_packages = createRequire(import.meta.url).resolve.paths('typebox') ?? []

/** The operations of `source`'s exported `plugin`, without building a component. */
export async function readPlugin(source: string): Promise<{ names: string[]; operations_json: string }> {
  const text = await bundled(`export { plugin } from ${JSON.stringify(source)}`)
  const { plugin }: { plugin?: Plugin } = await import(
    `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`
  )
  if (typeof plugin?.operations !== 'object')
    throw new TypeError(`it exports no plugin; write: export const plugin = definePlugin({ operations: … })`)
  return { names: Object.keys(plugin.operations), operations_json: operationsText(plugin) }
}

/** `wasi` lists the interfaces the manifest requests; all others are removed from the component. */
export async function buildComponent(source: string, wasi: readonly WasiFeature[]): Promise<Uint8Array> {
  const bundle = await bundled(
    `import * as host from 'svc:plugin/host@1.0.0'
     import { plugin } from ${JSON.stringify(source)}
     import { serve } from ${JSON.stringify(serving)}
     export const { operations, invoke } = serve(plugin, host)`,
  )
  return componentOf(bundle, wasi)
}

async function bundled(contents: string): Promise<string> {
  const { build } = await import('esbuild')
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'neutral',
    mainFields: ['module', 'main'],
    target: 'es2023',
    charset: 'utf8',
    logLevel: 'silent',
    external: ['svc:*'],
    nodePaths: own_packages,
  })
  return outputFiles[0]!.text
}

async function componentOf(bundle: string, wasi: readonly WasiFeature[]): Promise<Uint8Array> {
  const { componentize } = await import('@bytecodealliance/componentize-js')
  const folder = await mkdtemp(join(tmpdir(), 'svc-component-'))
  try {
    const sourcePath = join(folder, 'plugin.js')
    await writeFile(sourcePath, bundle)
    const disableFeatures = features.filter((name) => !(wasi as readonly string[]).includes(name))
    // Passed as text, because reading files differs between versions. The types lack this option.
    const options = {
      sourcePath,
      witWorld: await readFile(world, 'utf8'),
      worldName: 'plugin',
      disableFeatures,
    }
    return (await componentize(options)).component
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
