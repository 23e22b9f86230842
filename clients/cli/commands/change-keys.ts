// svc keys rotate and recover: change the own key of an agent, and put a new one in place of a stolen one. Private keys go from
// file to file, and are never printed.
import { existsSync, statSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { readConfigFile } from '@svc/sdk/settings'
import type { Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { configPathOf, withLock, writeConfig } from '../login/config-file.ts'
import { openClient } from '../open-client.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { writeWhole } from '../private-file.ts'
import { profileOf } from '../profile.ts'
import { findSources } from '../setting-sources.ts'
import { hostOf, textFlag } from '../settings.ts'
import { listFlag } from '../subcommands.ts'

const others = 0o077
const key_bytes_max = 1024

export async function rotateKey(_: readonly string[], flags: Flags, terminal: Terminal): Promise<number> {
  const { private_key, agent_did } = findSources(flags, terminal)
  const agent = textFlag(flags, 'agent')
  const is_own = private_key !== undefined && (agent === undefined || agent === agent_did?.value)
  return is_own ? await rotateOwn(flags, terminal, private_key.source) : await rotateKept(flags, terminal)
}

/** The key that this client has. */
async function rotateOwn(flags: Flags, terminal: Terminal, source: string): Promise<number> {
  const format = formatOf(flags, 'human')
  const commit = newFile(flags, 'commit', 'where the next key is written')
  const to = textFlag(flags, 'to')
  const nextPrivateKey = to === undefined ? undefined : await readKey(to)
  const { state, privateKey } = await openClient(flags, terminal).rotateKey({
    keep: ({ nextPrivateKey: next }) => writeKey(commit, next),
    ...(nextPrivateKey !== undefined && { nextPrivateKey }),
    ...recoveryOf(flags),
    signal: terminal.signal,
  })
  const config_path = await useInProfile(state === 'rotated' && source, privateKey, flags, terminal)
  if (format !== 'human') await printValue({ state, next_key_file: commit }, format, terminal)
  else {
    const use =
      config_path === undefined ? `Set SVC_PRIVATE_KEY to the key in ${to}` : `${config_path} has it`
    terminal.out(
      state === 'committed'
        ? `Committed to the next key, which is in ${commit}. The key in use stays.\n`
        : `Changed to the key in ${to}. ${use}; the former one opens nothing. The next key is in ${commit}.\n`,
    )
    terminal.err(`Keep ${commit} where a thief of the key in use does not come.\n`)
  }
  return 0
}

/** Stores the key that is used from now on where the former one was; undefined where that is no file of ours. */
async function useInProfile(
  source: string | false,
  private_key: string,
  flags: Flags,
  terminal: Terminal,
): Promise<string | undefined> {
  const path = configPathOf(terminal, profileOf(flags, terminal))
  if (source !== path) return undefined
  await withLock(path, terminal.signal, async () => {
    const file = readConfigFile(profileOf(flags, terminal), hostOf(terminal))
    await writeConfig(path, { ...file, private_key })
  })
  return path
}

/** A key that the engine keeps, of yourself or a descendant: the engine signs, and there is nothing to store. */
async function rotateKept(flags: Flags, terminal: Terminal): Promise<number> {
  const format = formatOf(flags, 'human')
  refuseFiles(flags, ['to', 'commit'])
  const agent_did = textFlag(flags, 'agent')
  const input = { ...(agent_did !== undefined && { agent_did }), ...recoveryOf(flags) }
  const changed = await openClient(flags, terminal).macs.rotate_key(input, { signal: terminal.signal })
  if (format !== 'human') await printValue(changed, format, terminal)
  else if (changed.state === 'committed') terminal.out('Committed to the next key. The key in use stays.\n')
  else terminal.out(`The engine changed the key. Sessions ended: ${changed.sessions_ended}.\n`)
  return 0
}

export async function recoverKey(
  [agentDid]: readonly string[],
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const format = formatOf(flags, 'human')
  if (agentDid === undefined)
    throw new UsageError('svc keys recover needs the DID of the identity whose key was lost or stolen.')
  const client = openClient(flags, terminal)
  const more = { ...recoveryOf(flags), signal: terminal.signal }
  const publicKey = textFlag(flags, 'agree')
  if (publicKey !== undefined) {
    refuseFiles(flags, ['key', 'commit'])
    return await printRecovery(await client.signRecovery({ agentDid, publicKey, ...more }), flags, terminal)
  }
  if (textFlag(flags, 'key') !== undefined) {
    const key = newFile(flags, 'key', 'where the new key is written')
    const commit = newFile(flags, 'commit', 'where the key after it is written')
    if (key === commit) throw new UsageError('--key and --commit are two keys; name two files.')
    const keep = async (keys: { readonly privateKey: string; readonly nextPrivateKey: string }) => {
      await writeKey(key, keys.privateKey)
      await writeKey(commit, keys.nextPrivateKey)
    }
    const recovered = await client.recoverKey({ agentDid, keep, ...more })
    if (format === 'human')
      terminal.err(`The new key is in ${key}, the one after it in ${commit}: give them to the agent.\n`)
    return await printRecovery(recovered, flags, terminal)
  }
  refuseFiles(flags, ['commit'])
  const input = { agent_did: agentDid, ...recoveryOf(flags) }
  const { state, public_key, signed_by, threshold } = await client.macs.recover_key(input, {
    signal: terminal.signal,
  })
  return await printRecovery(
    { state, publicKey: public_key, signedBy: signed_by, threshold },
    flags,
    terminal,
  )
}

interface Recovery {
  readonly state: 'pending' | 'recovered'
  readonly publicKey: string
  readonly signedBy: readonly string[]
  readonly threshold: number
}

async function printRecovery(
  { state, publicKey: public_key, signedBy: signed_by, threshold }: Recovery,
  flags: Flags,
  terminal: Terminal,
): Promise<number> {
  const format = formatOf(flags, 'human')
  if (format !== 'human') await printValue({ state, public_key, signed_by, threshold }, format, terminal)
  else if (state === 'recovered')
    terminal.out('Recovered. The former key opens nothing; its sessions, and the keys it made, ended.\n')
  else {
    terminal.out(`${signed_by.length} of ${threshold} who are needed have agreed.\n`)
    terminal.err(`Each other one: svc keys recover <did> --agree ${harmless(public_key)}\n`)
  }
  return 0
}

function recoveryOf(flags: Flags): { recovery?: { dids: string[]; threshold: number } } {
  const dids = listFlag(flags, 'recoverer')
  const threshold = textFlag(flags, 'threshold')
  if (dids.length === 0) {
    if (threshold === undefined) return {}
    throw new UsageError('--threshold says how many of those named by --recoverer it takes; name them.')
  }
  if (threshold !== undefined && !/^[1-9]$/.test(threshold))
    throw new UsageError(`--threshold is a whole number from 1 to 9, not ${threshold}.`)
  return { recovery: { dids, threshold: Number(threshold ?? dids.length) } }
}

/** Of an agent with its own key only. */
function refuseFiles(flags: Flags, names: readonly string[]): void {
  const named = names.find((name) => textFlag(flags, name) !== undefined)
  if (named === undefined) return
  throw new UsageError(
    `--${named} does not belong here: no private key of yours is changed or made.`,
    'svc keys --help shows which flags belong together.',
  )
}

/** Nothing is overwritten: it may be a key in use. */
function newFile(flags: Flags, name: string, meaning: string): string {
  const path = textFlag(flags, name)
  if (path === undefined) throw new UsageError(`--${name} <file> is missing: ${meaning}.`)
  if (existsSync(path))
    throw new UsageError(`${path} exists and may hold a key in use; name another file for --${name}.`)
  return path
}

async function writeKey(path: string, private_key: string): Promise<void> {
  try {
    await writeWhole(path, [`${private_key}\n`])
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${path} cannot be written (${code}), so no key was changed; name another file.`)
  }
}

async function readKey(path: string): Promise<string> {
  let text: string
  try {
    const { mode, size } = statSync(path)
    if (mode & others && process.platform !== 'win32')
      throw new UsageError(`${path} holds a key and others can read it; run chmod 600 ${path}.`)
    text = size > key_bytes_max ? '' : (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (error instanceof UsageError) throw error
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${path} cannot be read (${code}); --to names the file that --commit wrote.`)
  }
  if (/^[A-Za-z0-9_-]{43}$/.test(text)) return text
  throw new UsageError(`${path} holds no private key; --to names the file that --commit wrote.`)
}
