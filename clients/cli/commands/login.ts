// svc login: the person signs in on the engine's pages; this machine gets tokens and an API key bound to their DID.
import { existsSync } from 'node:fs'
import { hostname } from 'node:os'
import { createClient } from '@svc/sdk/client'
import { SvcError } from '@svc/sdk/errors'
import { type ConfigFile, readConfigFile } from '@svc/sdk/settings'
import type { Command, Flags, Terminal } from '../command.ts'
import { UsageError } from '../exit.ts'
import { type Callback, listenForCallback } from '../login/callback-server.ts'
import { configPathOf, withLock, writeConfig } from '../login/config-file.ts'
import { endLogin } from '../login/end-login.ts'
import { keyIdOf, type MintedKey, mintKey } from '../login/own-keys.ts'
import { findLoginPlace, type LoginPlace } from '../login/place.ts'
import { openSignInServer, type Tokens } from '../login/sign-in-server.ts'
import { harmless } from '../output/harmless-text.ts'
import { formatOf, printValue } from '../output/output.ts'
import { profileOf, refuseArguments } from '../profile.ts'
import { hostOf, textFlag } from '../settings.ts'

const callback_port = 8600
const sign_in_ms_max = 5 * 60_000
const label_chars_max = 100

export const login: Command = {
  summary: 'Sign in through the browser and store an API key for this machine',
  usage: 'login [--api-url URL] [--auth-url URL] [--profile P] [--no-browser] [--port N]',
  help: `Opens the engine's sign-in page in your browser, waits up to five minutes for you to come
back, creates an API key bound to your DID, and stores it in ~/.svc/config.json (only you can read it).
An existing login is replaced once the new one works.

Flags
  --api-url URL    the engine; else SVC_API_URL, else that of the config file
  --auth-url URL   where to sign in; else SVC_AUTH_URL, else the file, else what the engine says
  --profile P      store it in ~/.svc/profiles/P.json
  --no-browser     only print the address
  --port N         where the browser comes back to on 127.0.0.1; 8600

On a machine without a browser: ssh -L 8600:127.0.0.1:8600 to it, run svc login --no-browser there,
and open the address here. Programs need no login: SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID do.

Examples
  svc login --api-url https://svc.example.org
  svc login --auth-url https://svc.example.org/oauth --profile work`,
  flags: {
    'auth-url': { type: 'string' },
    'no-browser': { type: 'boolean' },
    port: { type: 'string' },
  },
  async run(args, flags, terminal) {
    refuseArguments(args, 'login')
    const format = formatOf(flags, 'human')
    const port = readPort(textFlag(flags, 'port'))
    const profile = profileOf(flags, terminal)
    const path = configPathOf(terminal, profile)
    const before = readBefore(terminal, profile, path)
    const place = await findLoginPlace(flags, terminal, before)
    const config = await signIn(place, port, flags, terminal, (fresh) =>
      withLock(path, terminal.signal, () => writeConfig(path, fresh)),
    )
    const { agent_did, tenant_id, api_url, api_key } = config
    const key_id = keyIdOf(api_key)
    if (format === 'human') {
      terminal.out(`Signed in as ${agent_did}\n`)
      terminal.out(`Tenant ${tenant_id}, engine ${api_url}, API key ${key_id}\n`)
      terminal.out(`Stored in ${path}, which only you can read. svc whoami shows what you may call.\n`)
    } else await printValue({ agent_did, tenant_id, api_url, key_id, file: path }, format, terminal)
    await forget(before, config, terminal)
    warnOfEnvironment(terminal)
    return 0
  },
}

function readPort(text: string | undefined): number {
  if (text === undefined) return callback_port
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (port >= 1 && port <= 65_535) return port
  throw new UsageError(`--port is ${harmless(text)}; give a port from 1 to 65535.`)
}

/** An unreadable file is replaced by the new login. */
function readBefore(terminal: Terminal, profile: string | undefined, path: string): ConfigFile {
  if (!existsSync(path)) return {}
  try {
    return readConfigFile(profile, hostOf(terminal))
  } catch {
    terminal.err(`${path} cannot be read as a config file; this login will replace it.\n`)
    return {}
  }
}

/** Signs in and stores a working login; on failure, revokes what was created on the way. */
async function signIn(
  place: LoginPlace,
  port: number,
  flags: Flags,
  terminal: Terminal,
  keep: (config: ConfigFile) => Promise<void>,
): Promise<ConfigFile> {
  const server = await openSignInServer(place.auth_url, terminal.fetch)
  const callbacks = await listenForCallback(port, sign_in_ms_max, terminal.signal)
  let callback: Callback | undefined
  let tokens: Tokens | undefined
  let key: MintedKey | undefined
  try {
    const { url, redeem } = await server.begin(callbacks.redirect_uri, place.api_url)
    await showPage(url, flags, terminal)
    callback = await callbacks.came
    tokens = await redeem(callback.url)
    const { api_url } = place
    const { fetch, signal } = terminal
    key = await mintKey({ api_url, access_token: tokens.access_token, fetch, signal }, keyLabel())
    const config = { ...place, ...tokens, agent_did: key.did, api_key: key.api_key, tenant_id: key.tenant_id }
    await tryOut(config, terminal)
    await keep(config)
    await callback.answer({
      title: 'You are signed in',
      text: 'svc has what it needs. You can close this page and go back to the terminal.',
    })
    return config
  } catch (error) {
    await callback?.answer({
      title: 'Sign-in failed',
      text: 'You are not signed in, and nothing was changed. The terminal says why, and what to do.',
    })
    if (tokens) await undo({ ...place, ...tokens, api_key: key?.api_key, agent_did: key?.did }, terminal)
    throw error
  } finally {
    await callbacks.close()
  }
}

async function showPage(url: URL, flags: Flags, terminal: Terminal): Promise<void> {
  const is_opened = flags['no-browser'] !== true && (await terminal.openBrowser(url.href))
  terminal.err(
    is_opened
      ? 'Opening the sign-in page in your browser. If it does not open, use this address:\n'
      : 'Open this address in a browser on this machine to sign in:\n',
  )
  terminal.err(`\n  ${url.href}\n\nWaiting for you to come back (Ctrl-C stops) ...\n`)
}

function keyLabel(): string {
  return `svc login on ${hostname()}`.slice(0, label_chars_max)
}

/** The old login is ended only after the new one works. */
async function tryOut(
  config: Required<Omit<ConfigFile, 'private_key'>>,
  { fetch, signal }: Terminal,
): Promise<void> {
  const { api_url, api_key, agent_did, tenant_id } = config
  const client = createClient({
    apiUrl: api_url,
    apiKey: api_key,
    agentDid: agent_did,
    tenantId: tenant_id,
    fetch,
  })
  const whoami = await client.whoami({ signal })
  if (whoami.agent_did !== agent_did || whoami.tenant_id !== tenant_id)
    throw new SvcError({
      code: 'bad_answer',
      message: `${api_url} created a key for ${harmless(agent_did)} but resolves it to another identity; ask its operator why.`,
    })
}

async function undo(config: ConfigFile, { fetch }: Terminal): Promise<void> {
  await endLogin(config, { fetch, renew: refusesToRenew })
}

/** Its tokens are new, so they are not refreshed. */
function refusesToRenew(): Promise<never> {
  return Promise.reject(new SvcError({ code: 'unauthenticated', message: 'The new tokens do not work.' }))
}

/** Also revokes the replaced login at the engine, as far as possible. */
async function forget(before: ConfigFile, now: ConfigFile, terminal: Terminal): Promise<void> {
  if (!before.api_key && !before.refresh_token) return
  const is_same = before.api_url === now.api_url && before.agent_did === now.agent_did
  const { left } = await endLogin(before, {
    fetch: terminal.fetch,
    renew: async () => {
      const server = await openSignInServer(before.auth_url ?? '', terminal.fetch)
      return await server.refresh(before.refresh_token ?? '')
    },
    access_token: is_same ? now.access_token : undefined,
  })
  const names = left.map(({ what }) => what).join(', ')
  terminal.err(
    left.length === 0
      ? 'The previous login was revoked.\n'
      : `These parts of the previous login could not be revoked: ${names}. They expire, or can be revoked at its engine.\n`,
  )
}

function warnOfEnvironment({ env, err }: Terminal): void {
  const set = ['SVC_API_URL', 'SVC_API_KEY', 'SVC_AGENT_DID', 'SVC_TENANT_ID'].filter((name) => env[name])
  if (set.length > 0) err(`${set.join(', ')} in your environment override this file.\n`)
}
