// svc doctor's checks of this machine: Node, the config file, the settings.
import { statSync } from 'node:fs'
import { readConfigFile, type Settings } from '@svc/sdk/settings'
import type { Flags, Terminal } from '../command.ts'
import { exitCodeOf } from '../exit.ts'
import { trustAuthority } from '../login/certificate-authorities.ts'
import { configPathOf } from '../login/config-file.ts'
import { filled, profileOf } from '../profile.ts'
import { findSources, shownSettings } from '../setting-sources.ts'
import { hostOf, settingsOf } from '../settings.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const node_oldest = { major: 22, minor: 12 }
const usage = 1
const not_authenticated = 2

export function checkNode(version: string): Finding {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const is_old = major < node_oldest.major || (major === node_oldest.major && minor < node_oldest.minor)
  const oldest = `${node_oldest.major}.${node_oldest.minor}`
  return is_old
    ? fail('node', `v${version} is too old`, `install Node ${oldest} or newer.`, usage)
    : ok('node', `v${version}`)
}

/** The mode is checked before the content: a file that others can read is not used. */
export function checkConfigFile(flags: Flags, terminal: Terminal): Finding[] {
  try {
    const profile = profileOf(flags, terminal)
    const path = configPathOf(terminal, profile)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (!stats) return [noFile(path, terminal)]
    const mode = (stats.mode & 0o777).toString(8).padStart(4, '0')
    const is_open = (stats.mode & 0o077) !== 0 && process.platform !== 'win32'
    if (is_open) {
      const message = `${path} has mode ${mode}, so others can read your key`
      return [
        fail('config file', message, `chmod 600 ${path}; then svc logout and svc login for a new key.`, 2),
      ]
    }
    readConfigFile(profile, hostOf(terminal))
    return [ok('config file', `${path}, mode ${mode}`)]
  } catch (error) {
    return [failed('config file', error, 'fix or delete it, then run svc login.')]
  }
}

function noFile(path: string, { env }: Terminal): Finding {
  const is_headless =
    filled(env.SVC_API_KEY ?? env.SVC_PRIVATE_KEY ?? env.SVC_WORKLOAD_TOKEN_FILE) !== undefined
  return is_headless
    ? ok('config file', `there is none at ${path}; the environment has all settings`)
    : warn('config file', `there is none at ${path}`, 'run svc login, or set SVC_API_KEY and SVC_AGENT_DID.')
}

/** One line for each setting and its source; undefined if a required setting is missing. */
export function checkSettings(
  flags: Flags,
  terminal: Terminal,
): { findings: Finding[]; settings?: Settings } {
  try {
    // First, because it rejects addresses that contain a password, which must not be printed.
    const settings = settingsOf(flags, terminal)
    const findings = shownSettings(findSources(flags, terminal)).map(({ name, shown, source }) =>
      ok(name, `${shown}, from ${source}`),
    )
    return { findings, settings }
  } catch (error) {
    const todo = 'run svc login, or set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID.'
    return { findings: [failed('settings', error, todo)] }
  }
}

export function checkAuthority({ env }: Terminal): Finding[] {
  const path = filled(env.SVC_TLS_CA)
  if (path === undefined) return []
  try {
    if (trustAuthority(path)) return [ok('authority', `${path} is trusted, from SVC_TLS_CA`)]
    const todo = `start it with NODE_EXTRA_CA_CERTS=${path}, or use Node 22.19, 24.5 or newer.`
    return [warn('authority', 'this version of Node cannot load SVC_TLS_CA', todo)]
  } catch (error) {
    return [failed('authority', error, 'point SVC_TLS_CA at a PEM file, or unset it.')]
  }
}

function failed(check: string, error: unknown, todo: string): Finding {
  const message = error instanceof Error ? error.message : String(error)
  const code = exitCodeOf(error)
  return fail(check, message, todo, code === 99 ? not_authenticated : code)
}
