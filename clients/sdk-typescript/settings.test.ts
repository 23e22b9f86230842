import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { SvcError } from './errors.ts'
import { type Host, readConfigFile, resolveSettings } from './settings.ts'

const home = mkdtempSync(join(tmpdir(), 'svc-settings-'))
after(() => rmSync(home, { recursive: true }))
mkdirSync(join(home, '.svc/profiles'), { recursive: true })
const config_path = join(home, '.svc/config.json')

const did = 'did:oas:acme:agent:1'
const options = { apiUrl: 'https://given.example', apiKey: 'given', agentDid: did }
const env = { SVC_API_URL: 'https://env.example', SVC_API_KEY: 'env', SVC_AGENT_DID: 'did:oas:envy:agent:2' }
const file_settings = {
  api_url: 'https://file.example/',
  api_key: 'file',
  agent_did: 'did:oas:filed:agent:3',
  tenant_id: 'other-tenant',
}

function hostWith(env: Record<string, string> = {}): Host {
  return { env, home, getBuiltinModule: process.getBuiltinModule }
}
function write(config: unknown, path = config_path, mode = 0o600): void {
  writeFileSync(path, typeof config === 'string' ? config : JSON.stringify(config))
  chmodSync(path, mode)
}
function refusalFor(work: () => unknown): string {
  try {
    work()
  } catch (thrown) {
    assert.ok(thrown instanceof SvcError)
    assert.equal(thrown.code, 'not_configured')
    return thrown.message
  }
  return assert.fail('it was taken')
}

test('the constructor, then the environment, then the file', () => {
  write(file_settings)
  assert.deepEqual(resolveSettings({}, hostWith()), {
    api_url: 'https://file.example',
    api_key: 'file',
    agent_did: 'did:oas:filed:agent:3',
    tenant_id: 'other-tenant',
  })
  const by_env = resolveSettings({}, hostWith(env))
  assert.deepEqual([by_env.api_url, by_env.api_key, by_env.agent_did], Object.values(env))
  const by_hand = resolveSettings(options, hostWith(env))
  assert.deepEqual([by_hand.api_url, by_hand.api_key, by_hand.agent_did], Object.values(options))
  const mixed = resolveSettings({ apiKey: 'given' }, hostWith({ SVC_API_URL: 'http://env' }))
  assert.deepEqual(
    [mixed.api_url, mixed.api_key, mixed.agent_did],
    ['http://env', 'given', 'did:oas:filed:agent:3'],
  )
})

test("the tenant is the named one, else the file's for its own agent, else the agent's own", () => {
  write(file_settings)
  assert.equal(resolveSettings({ ...options, tenantId: 't' }, hostWith(env)).tenant_id, 't')
  assert.equal(resolveSettings(options, hostWith({ SVC_TENANT_ID: 'e' })).tenant_id, 'e')
  assert.equal(resolveSettings(options, hostWith()).tenant_id, 'acme')
  assert.equal(resolveSettings({ apiKey: 'other' }, hostWith()).tenant_id, 'other-tenant')
})

test('empty or blank counts as not set', () => {
  write(file_settings)
  const blank = { SVC_API_URL: '', SVC_API_KEY: ' \n', SVC_AGENT_DID: '', SVC_TENANT_ID: '', SVC_PROFILE: '' }
  const { api_key, tenant_id } = resolveSettings({ apiUrl: '' }, hostWith(blank))
  assert.deepEqual([api_key, tenant_id], ['file', 'other-tenant'])
  assert.equal(resolveSettings({ ...options, apiKey: 'key\n' }, undefined).api_key, 'key')
})

test('with nothing set it fails at once, with one sentence that names what is missing and every way to set it', () => {
  rmSync(config_path, { force: true })
  const refusal = refusalFor(() => resolveSettings({ apiUrl: 'http://x' }, hostWith()))
  const ways =
    'pass apiUrl, agentDid and apiKey or privateKey, or set SVC_API_URL, SVC_API_KEY and SVC_AGENT_DID, or run `svc login`'
  assert.equal(refusal, `There is no apiKey and no agentDid: ${ways}, which writes ${config_path}.`)
  // Without an environment, it is not mentioned.
  const in_browser = refusalFor(() => resolveSettings({ apiUrl: 'http://x' }, { env: {} }))
  assert.equal(
    in_browser,
    'There is no apiKey and no agentDid: pass apiUrl, agentDid and apiKey or privateKey.',
  )
})

test('a profile has its own file, and its name cannot lead elsewhere', () => {
  write({ ...file_settings, api_key: 'work' }, join(home, '.svc/profiles/work.json'))
  assert.equal(resolveSettings({ profile: 'work' }, hostWith()).api_key, 'work')
  assert.equal(resolveSettings({}, hostWith({ SVC_PROFILE: 'work' })).api_key, 'work')
  write(file_settings, join(home, '.svc/config.json'))
  assert.equal(
    resolveSettings({ profile: 'default' }, hostWith({ SVC_PROFILE: 'work' })).api_key,
    file_settings.api_key,
  )
  for (const profile of ['../config', 'a/b', '.', 'x'.repeat(65)])
    assert.match(
      refusalFor(() => resolveSettings({ profile }, hostWith())),
      /The profile is called/,
    )
  assert.match(
    refusalFor(() => resolveSettings({ profile: 'none' }, hostWith())),
    /profiles\/none\.json\.$/,
  )
})

test('a file that others can read is refused with the command that fixes it, and is read only if needed', () => {
  for (const mode of [0o644, 0o640, 0o602]) {
    write(file_settings, config_path, mode)
    const refusal = refusalFor(() => resolveSettings({}, hostWith()))
    assert.ok(refusal.endsWith(`run chmod 600 ${config_path}.`), refusal)
  }
  assert.equal(readConfigFile(undefined, { ...hostWith(), platform: 'win32' }).api_key, 'file')
  assert.equal(resolveSettings(options, hostWith()).tenant_id, 'acme')
})

test('an invalid config file is refused without quoting its content', () => {
  for (const text of ['{"api_key": "svc_secret', '[]', 'null', '"svc_secret"', '{"api_key": 5}', '']) {
    write(text)
    const refusal = refusalFor(() => resolveSettings({}, hostWith()))
    assert.ok(
      refusal.includes(config_path) && refusal.includes('svc login') && !refusal.includes('secret'),
      refusal,
    )
  }
  write(`"${'x'.repeat(70_000)}"`)
  assert.match(
    refusalFor(() => resolveSettings({}, hostWith())),
    /70002 bytes/,
  )
  write({ ...file_settings, refresh_token: null })
  assert.equal(readConfigFile(undefined, hostWith()).refresh_token, undefined)
})

test('invalid addresses, keys and DIDs are refused, and secrets are not quoted', () => {
  for (const apiUrl of ['nowhere', 'ftp://x', 'http://x/?a=1', 'http://x/#a'])
    assert.match(
      refusalFor(() => resolveSettings({ ...options, apiUrl }, undefined)),
      /^apiUrl is /,
    )
  const named = refusalFor(() => resolveSettings({ ...options, apiUrl: 'http://me:secret@x' }, undefined))
  const keyed = refusalFor(() => resolveSettings({ ...options, apiKey: 'secret\nsecret' }, undefined))
  for (const message of [named, keyed]) assert.ok(!message.includes('secret'), message)
  for (const agentDid of ['me', 'did:oas:a:b', 'did:web:a:b:c', 'did:oas:a:b:c\n'.repeat(2)])
    assert.match(
      refusalFor(() => resolveSettings({ ...options, agentDid }, undefined)),
      /^agentDid is /,
    )
  const behind = resolveSettings({ ...options, apiUrl: 'https://x/svc/' }, undefined)
  assert.equal(behind.api_url, 'https://x/svc')
  const by_url = { ...options, apiUrl: new URL('https://x') as unknown as string }
  assert.equal(resolveSettings(by_url, undefined).api_url, 'https://x')
})

test('a platform without permissions has neither environment nor files', () => {
  const denied = () => {
    throw Object.assign(new Error('no'), { name: 'NotCapable' })
  }
  const closed: Host = {
    get env(): never {
      return denied()
    },
    getBuiltinModule: () => ({ homedir: denied, statSync: denied }),
  }
  assert.equal(resolveSettings(options, closed).tenant_id, 'acme')
  assert.match(
    refusalFor(() => resolveSettings({}, closed)),
    /^There is no apiUrl/,
  )
  assert.match(
    refusalFor(() => resolveSettings({}, { env: {}, home, getBuiltinModule: closed.getBuiltinModule! })),
    /^There is no apiUrl/,
  )
})
