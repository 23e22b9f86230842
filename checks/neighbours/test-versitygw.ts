// A real S3-compatible server for the test: versitygw, built once from its Go module, with its files in a temporary folder.
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import { type BucketPlace, bucketStore } from '@svc/adapters/log-archive/bucket-store'
import { freePorts } from '../engines/running-engine.ts'
import { is_long } from '../faults/scene/chance.ts'
import { until } from '../suite/eventually.ts'

const version = '1.8.0'
const go = 'go'
const build_ms_max = 900_000
const cache = join(tmpdir(), `svc-test-versitygw-${process.getuid?.() ?? 0}`, version)
const built = join(cache, 'versitygw')

const keys = { access_key_id: 'svc-test', secret_access_key: 'a secret of the test' }
const region = 'eu-central-1'

export interface TestVersitygw {
  /** What an engine's settings would name. */
  placeOf(bucket: string, prefix: string): BucketPlace
  /** The folder in which it stores objects. */
  readonly folder: string
  createBucket(name: string): Promise<void>
  /** `start` brings it back on the same port with its data. */
  stop(): Promise<void>
  start(): Promise<void>
  /** Stops it and removes its files. */
  close(): Promise<void>
}

/** Why it cannot be started here, in a sentence; undefined if it can. */
export function findVersitygwMissing(): string | undefined {
  if (process.env.SVC_TEST_VERSITYGW || existsSync(built)) return undefined
  if (!is_long)
    return `versitygw ${version} was not built yet, which takes minutes; npm run assurance does it once.`
  if (spawnSync(go, ['version'], { stdio: 'ignore' }).status === 0) return undefined
  return `No Go was found to build versitygw ${version} with; install it, or name a versitygw in SVC_TEST_VERSITYGW.`
}

function findProgram(): string {
  const configured_path = process.env.SVC_TEST_VERSITYGW
  if (configured_path) return configured_path
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  // The name can be guessed, so another user's folder is not used.
  if (lstatSync(cache).uid !== process.getuid?.()) throw new Error(`${cache} is not ours.`)
  if (existsSync(built)) return built
  const module = `github.com/versity/versitygw/cmd/versitygw@v${version}`
  const env = { ...process.env, GOBIN: cache }
  execFileSync(go, ['install', module], { env, timeout: build_ms_max, stdio: ['ignore', 'ignore', 'pipe'] })
  return built
}

export async function startVersitygw(): Promise<TestVersitygw> {
  const program = findProgram()
  const port = await freePorts()
  const folder = mkdtempSync(join(tmpdir(), 'svc-versitygw-'))
  const [objects, metadata] = [join(folder, 'objects'), join(folder, 'metadata')]
  for (const path of [objects, metadata]) mkdirSync(path)
  const endpoint = `http://127.0.0.1:${port}`
  const placeOf: TestVersitygw['placeOf'] = (bucket, prefix) => {
    return { bucket, prefix, region, endpoint, session_token: undefined, ca: undefined, ...keys }
  }
  const account = ['--access', keys.access_key_id, '--secret', keys.secret_access_key, '--region', region]
  const args = [...account, '--port', `127.0.0.1:${port}`, '--quiet', 'posix', '--sidecar', metadata, objects]
  let child: ReturnType<typeof spawn> | undefined
  const start = async () => {
    child = spawn(program, args, { stdio: 'ignore' })
    await until('versitygw answers', async () => {
      const answer = bucketStore(placeOf('none', ''), system_clock).get('none', 0)
      return await answer.catch((error: Error) => error.message.includes('NoSuchBucket'))
    })
  }
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  await start()
  return {
    placeOf,
    folder: objects,
    // An object without a name is the bucket itself.
    createBucket: (name) => bucketStore(placeOf(name, ''), system_clock).put('', Buffer.alloc(0)),
    stop,
    start,
    async close() {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
