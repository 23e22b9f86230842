// The SDK as one plain JavaScript module: what a bundler makes of it for browsers, workers and other runtimes.
import { join } from 'node:path'
import { build } from 'esbuild'

const entry = join(import.meta.dirname, '../../../clients/sdk-typescript/sdk.ts')

/** Fails where the SDK imports anything that is not its own: it has no dependencies, of Node neither. */
export async function bundleSdk(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    write: false,
    logLevel: 'silent',
  })
  return outputFiles[0]!.text
}
