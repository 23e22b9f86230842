// `npm run pack`: builds and packs every package as it is published. Prints the results and their sizes.
import { mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { packClient } from './bundles.ts'
import { engine_name, packEngine } from './engine.ts'
import { type Packed, root } from './package-folder.ts'
import { packSources } from './sources.ts'

const packers: Readonly<Record<string, (dist: string) => Promise<Packed>>> = {
  '@svc/contract': (dist) => packSources('@svc/contract', dist),
  '@svc/sdk': (dist) => packClient('@svc/sdk', dist),
  '@svc/mcp': (dist) => packClient('@svc/mcp', dist),
  '@svc/cli': (dist) => packClient('@svc/cli', dist),
  '@svc/plugin': (dist) => packSources('@svc/plugin', dist),
  [engine_name]: packEngine,
}

/** Rebuilds everything below `dist`; concurrent runs need separate folders. */
export async function pack(dist: string, names = Object.keys(packers)): Promise<Packed[]> {
  rmSync(dist, { recursive: true, force: true })
  mkdirSync(dist, { recursive: true })
  const packed: Packed[] = []
  for (const name of names) {
    const packer = packers[name]
    if (!packer) throw new Error(`There is no package ${name}; use ${Object.keys(packers).join(', ')}.`)
    packed.push(await packer(dist))
  }
  return packed
}

/** The size of the SDK as loaded by a browser. */
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
  const package_names = process.argv.slice(2)
  for (const { name, tarball } of await pack(
    join(root, 'dist'),
    package_names.length ? package_names : undefined,
  )) {
    console.log(
      `${name.padEnd(13)} ${(statSync(tarball).size / 1024).toFixed(0).padStart(6)} KiB  ${tarball}`,
    )
  }
  const { minified, gzipped } = await browserBytes()
  console.log(`@svc/sdk in a bundle: ${minified} bytes minified, ${gzipped} gzipped`)
}
