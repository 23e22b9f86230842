// Builds the container image: the packed engine, the packages it runs with, and the Node of package-lock.json.
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  rmSync,
  statSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createZstdCompress } from 'node:zlib'
import { billOf, type Part, partsOf } from './bill-of-materials.ts'
import { builtInParts } from './engine.ts'
import type { Packed } from './package-folder.ts'
import { newestCommit } from './provenance.ts'
import { root } from './root.ts'

export const image_bytes_max = 350_000_000
const command_ms_max = 1_800_000
const output_bytes_max = 64 * 1024 * 1024

/** The translator of plugins; the rest of its package optimises and minifies, which the engine does not ask for. */
const translator = ['@bytecodealliance/jco-transpile', '@bytecodealliance/preview2-shim']
const unused_packages = /^@types\//
/** Builds for browsers and other module systems, and sources. */
const unused_folders: Readonly<Record<string, readonly string[]>> = {
  '@cedar-policy/cedar-wasm': ['esm', 'web'],
  'gpt-tokenizer': ['cjs', 'data', 'src'],
}
const unused_everywhere = ['docs', 'doc', 'example', 'examples', 'bench', 'benchmark', 'benchmarks']
const unused_files =
  /\.(map|[cm]?ts|md|markdown|tsbuildinfo|a)$|\.(test|spec)\.[cm]?js$|\/(tests?|__tests__)$/i

/** A program that builds images; `output` is what a command in a container of the image prints. */
interface Builder {
  build(args: readonly string[], tag: string): void
  output(tag: string, command: readonly string[]): string
  save(tag: string, archive: string): void
}

const docker: Builder = {
  build: (args, tag) => void call('docker', ['build', '--quiet', '--tag', tag, ...args]),
  output: (tag, [program = '', ...args]) =>
    call('docker', ['run', '--rm', '--network=none', `--entrypoint=${program}`, tag, ...args]),
  save: (tag, archive) => void call('docker', ['save', '--output', archive, tag]),
}

const buildah: Builder = {
  // The format of OCI has no health check.
  build: (args, tag) => void call('buildah', ['build', '--quiet', '--format=docker', '--tag', tag, ...args]),
  output(tag, command) {
    const container = call('buildah', ['from', tag]).trim()
    try {
      return call('buildah', ['run', container, '--', ...command])
    } finally {
      call('buildah', ['rm', container])
    }
  },
  save: (tag, archive) => void call('buildah', ['push', '--quiet', tag, `docker-archive:${archive}:${tag}`]),
}

function call(command: string, args: readonly string[]): string {
  const settings = { encoding: 'utf8', timeout: command_ms_max, maxBuffer: output_bytes_max } as const
  return execFileSync(command, args, { cwd: root, ...settings, stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Undefined where no image can be built. Docker also needs its daemon. */
export function findBuilder(): Builder | undefined {
  if (process.platform !== 'linux') return undefined
  const works = (command: string, ...args: string[]) =>
    spawnSync(command, args, { timeout: command_ms_max }).status === 0
  if (works('buildah', '--version')) return buildah
  return works('docker', 'info') ? docker : undefined
}

export const no_builder =
  'The image is not built: that needs Linux with buildah, or with Docker and its daemon running.'

export interface Image {
  readonly tag: string
  /** As `docker save` writes it, compressed: for docker load and podman load. */
  readonly archive: string
  readonly bytes: number
  readonly bill: object
}

/** Builds it from a packed engine, and leaves it with the builder under its tag. `base` replaces Debian's image. */
export async function packImage(
  engine: Packed,
  dist: string,
  builder: Builder,
  base?: string,
): Promise<Image> {
  const parts = partsOfImage()
  const context = join(dist, 'image')
  writeContext(engine, parts, context)
  const tag = `svc:${engine.version}`
  const made_of = { VERSION: engine.version, REVISION: newestCommit()?.id, BASE: base }
  const args = Object.entries(made_of).flatMap(([name, value]) =>
    value === undefined ? [] : ['--build-arg', `${name}=${value}`],
  )
  builder.build([...args, '--file', join(root, 'deploy/Dockerfile'), context], tag)
  const archive = join(dist, `svc-image-${engine.version}.tar`)
  builder.save(tag, archive)
  const bytes = statSync(archive).size
  if (bytes > image_bytes_max)
    throw new Error(
      `The image has ${bytes} bytes, more than ${image_bytes_max}; look for what is large in it.`,
    )
  await pipeline(createReadStream(archive), createZstdCompress(), createWriteStream(`${archive}.zst`))
  rmSync(archive)
  const debian = builder.output(tag, ['dpkg-query', '--show'])
  const image = {
    name: 'svc',
    version: engine.version,
    license: engine.license,
    tarball: `${archive}.zst`,
    parts: [...parts, ...builtInParts()],
  }
  return { tag, archive: `${archive}.zst`, bytes, bill: withDebian(billOf(image), debian) }
}

/** What the engine imports, its translator, and Node; packages of other platforms are not installed. */
function partsOfImage(): Part[] {
  const parts = partsOf(['service', 'node_modules/@bytecodealliance/jco-transpile', 'node_modules/node'])
  const own = new Set(partsOf(['service']).map(({ place }) => place))
  return parts.filter(
    ({ place, name }) =>
      existsSync(join(root, place)) &&
      !unused_packages.test(name) &&
      (own.has(place) || translator.includes(name) || name === 'node'),
  )
}

function writeContext(engine: Packed, parts: readonly Part[], context: string): void {
  rmSync(context, { recursive: true, force: true })
  const svc = join(context, 'svc')
  cpSync(engine.folder, svc, { recursive: true })
  for (const part of parts) if (part.name !== 'node') copyPackage(part, svc)
  for (const file of ['health.mjs', 'warm.mjs']) cpSync(join(root, 'deploy', file), join(svc, file))
  chmodSync(join(svc, 'service/main.js'), 0o755)
  cpSync(join(root, 'node_modules/node/bin/node'), join(context, 'node'))
}

/** At the same place below the engine's folder as here, so that Node finds it from the same files. */
function copyPackage({ place, name }: Part, svc: string): void {
  const from = join(root, place)
  const unused = [...unused_everywhere, 'node_modules', ...(unused_folders[name] ?? [])]
  mkdirSync(dirname(join(svc, place)), { recursive: true })
  cpSync(from, join(svc, place), {
    recursive: true,
    verbatimSymlinks: true,
    filter(path) {
      if (path === from) return true
      if (dirname(path) === from && unused.includes(basename(path))) return false
      return !unused_files.test(path) || /licen[cs]e|notice|copying/i.test(basename(path))
    },
  })
}

function withDebian(bill: ReturnType<typeof billOf>, listed: string) {
  const components = listed
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', version = ''] = line.split('\t')
      const ref = `pkg:deb/debian/${name}@${encodeURIComponent(version)}`
      return { type: 'library', 'bom-ref': ref, name, version, purl: ref }
    })
  const [own, ...others] = bill.dependencies
  const ref = `pkg:docker/svc@${bill.metadata.component.version}`
  const dependsOn = [...own!.dependsOn, ...components.map((component) => component.purl)]
  return {
    ...bill,
    metadata: { component: { ...bill.metadata.component, type: 'container', 'bom-ref': ref, purl: ref } },
    components: [...bill.components, ...components],
    dependencies: [{ ref, dependsOn }, ...others],
  }
}
