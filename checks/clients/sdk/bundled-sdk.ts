// The SDK as one plain JavaScript module, as a bundler makes it for browsers, workers and other runtimes.
import { join } from 'node:path'
import { build } from 'esbuild'

const entry = join(import.meta.dirname, '../../../clients/sdk-typescript/sdk.ts')

/** Fails if the SDK imports anything but itself: it has no dependencies, not even on Node. */
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
