// Doctor checks of the machine: space and permissions of the engine's folders, and its ports.
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import { broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Premises } from './premises.ts'

const mib = 1024 * 1024
const free_bytes_min = 64 * mib
const port_ms_max = 2_000
const answer_chars_max = 65_536

export async function lookAtFolder(folder: string, wanted_bytes: number): Promise<Finding[]> {
  const check = 'disk'
  const there = await nearestFolder(folder)
  if (there === undefined) return [broken(check, `${folder} is not a folder`, 'move that file away')]
  const unwritable = await tryWriting(there)
  if (unwritable) {
    const advice = 'give the engine write permission, or free disk space'
    return [broken(check, `cannot write to ${there}: ${unwritable}`, advice)]
  }
  const { bavail, bsize } = await statfs(there)
  const free_bytes = bavail * bsize
  const made_later = there === folder ? '' : ', created at the first start'
  const observation = `${folder}${made_later}: writable, ${Math.floor(free_bytes / mib)} MiB free`
  if (free_bytes < free_bytes_min)
    return [broken(check, observation, 'free disk space: the audit log must be written')]
  if (free_bytes < wanted_bytes) {
    const advice = `the journal may take ${Math.ceil(wanted_bytes / mib)} MiB (SVC_AUDIT_BUFFER_MAX_BYTES); free some space`
    return [doubtful(check, observation, advice)]
  }
  return [well(check, observation)]
}

/** The folder, or the parent it would be created in; undefined if a file is in the way. */
async function nearestFolder(folder: string): Promise<string | undefined> {
  for (let path = folder; ; path = dirname(path)) {
    const stats = await stat(path).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      if (error.code === 'ENOTDIR') return error
      throw error
    })
    if (stats instanceof Error) return undefined
    if (stats) return stats.isDirectory() ? path : undefined
    if (path === dirname(path)) return undefined
  }
}

/** Permissions do not show read-only mounts and quotas, so a byte is written and deleted. */
async function tryWriting(folder: string): Promise<string | undefined> {
  const file = join(folder, `.doctor-${system_clock.uuid()}`)
  try {
    await writeFile(file, '.', { flag: 'wx', mode: 0o600 })
    return undefined
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? reasonOf(error)
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}

export async function lookAtPorts({ host, port, metrics_port }: Premises): Promise<Finding[]> {
  const isEngine = (text: string) => /"uptime_seconds":\d/.test(text) && text.includes('"version"')
  return Promise.all([
    lookAtPort(host, port, '/health', isEngine),
    lookAtPort(host, metrics_port, '/metrics', (text) => text.includes('svc_')),
  ])
}

async function lookAtPort(
  host: string,
  port: number,
  path: string,
  isOurs: (text: string) => boolean,
): Promise<Finding> {
  const check = `port ${port}`
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return broken(check, 'it is not a port', 'choose one from 1 to 65535')
  const taken = await whyNotBound(host, port)
  if (taken === undefined) return well(check, 'free')
  if (taken !== 'EADDRINUSE')
    return broken(check, `${host}:${port} cannot be used: ${taken}`, 'choose another')
  const near = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  const text = await ask(`http://${near.includes(':') ? `[${near}]` : near}:${port}${path}`)
  if (text !== undefined && isOurs(text)) return well(check, 'answered by svc')
  return broken(check, 'another program uses it', 'stop that program, or choose another port')
}

/** Undefined if the port is free. */
function whyNotBound(host: string, port: number): Promise<string | undefined> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)))
  })
}

/** The beginning of the answer; undefined if none came in time. */
async function ask(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(port_ms_max), redirect: 'manual' })
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString('utf8')
      if (text.length > answer_chars_max) break
    }
    return text
  } catch {
    return undefined
  }
}
