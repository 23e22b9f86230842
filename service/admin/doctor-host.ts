// Doctor checks of the machine: space and permissions of the engine's folders, and its ports.
import { rm, stat, statfs, writeFile } from 'node:fs/promises'
import { get as getHttp } from 'node:http'
import { get as getHttps } from 'node:https'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { system_clock } from '@svc/adapters/clock/system'
import type { ClientTlsOptions } from '@svc/contract/client-tls'
import { OwnTls } from '../settings/own-tls.ts'
import { broken, doubtful, type Finding, reasonOf, well } from './finding.ts'
import type { Premises } from './premises.ts'
import type { Target } from './target.ts'

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

const memory_file_systems = [0x0102_1994, 0x8584_58f6]

/** Nothing to say where the journal is on a disk. */
export async function lookAtJournalDisk({ audit_dir, target }: Premises): Promise<Finding[]> {
  const there = target.data_dir === undefined ? await nearestFolder(audit_dir) : undefined
  if (there === undefined) return []
  const { type } = await statfs(there)
  if (!memory_file_systems.includes(type)) return []
  const advice =
    'name a folder on a disk in SVC_AUDIT_BUFFER_DIR: after a restart of the machine answered calls are lost'
  return [doubtful('durability', `the journal in ${audit_dir} is in memory, not on a disk`, advice)]
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

export async function lookAtPorts({ host, port, metrics_port, target }: Premises): Promise<Finding[]> {
  const tls = tlsOf(target)
  const isEngine = (text: string) => /"uptime_seconds":\d/.test(text) && text.includes('"version"')
  return Promise.all([
    lookAtPort({ host, port, tls }, '/health', isEngine),
    lookAtPort({ host, port: metrics_port, tls }, '/metrics', (text) => text.includes('svc_')),
  ])
}

interface Place {
  readonly host: string
  readonly port: number
  readonly tls: ClientTlsOptions | undefined
}

async function lookAtPort(
  { host, port, tls }: Place,
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
  const text = await ask(`${near.includes(':') ? `[${near}]` : near}:${port}${path}`, tls)
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

/** Undefined where the engine has no certificate, or one that the check of the settings complains of. */
function tlsOf({ read, data_dir }: Target): ClientTlsOptions | undefined {
  if (data_dir !== undefined) return undefined
  try {
    const tls = OwnTls.of(read)
    return tls.listener && tls.client()
  } catch {
    return undefined
  }
}

/** The beginning of the answer; undefined if none came in time. */
function ask(address: string, tls: ClientTlsOptions | undefined): Promise<string | undefined> {
  // On this machine, so there is no certificate to verify; ours is shown, for an engine that demands one.
  const asking = tls
    ? getHttps(`https://${address}`, { ...tls, rejectUnauthorized: false, timeout: port_ms_max })
    : getHttp(`http://${address}`, { timeout: port_ms_max })
  return new Promise((resolve) => {
    const late = setTimeout(() => asking.destroy(), port_ms_max)
    asking.on('close', () => clearTimeout(late))
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(undefined))
    asking.on('response', (answer) => {
      let text = ''
      answer.on('data', (chunk) => {
        text += chunk
        if (text.length > answer_chars_max) answer.destroy()
      })
      answer.on('close', () => resolve(text))
    })
  })
}
