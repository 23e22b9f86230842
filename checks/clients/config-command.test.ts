// svc config and profiles, in a home directory of the test's own.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { runCli } from '../../clients/cli/run.ts'
import { type TestTerminalOptions, testTerminal } from './test-terminal.ts'

const did = `did:oas:acme:agent:${'0'.repeat(64)}`
const key = 'svc_test_00000000_secret'

function scratch(t: TestContext) {
  const home = mkdtempSync(join(tmpdir(), 'svc-config-'))
  t.after(() => rmSync(home, { recursive: true, force: true }))
  const svc = async (argv: readonly string[], options: TestTerminalOptions = {}) => {
    const terminal = testTerminal({ home, columns: 100, ...options })
    const code = await runCli(argv, terminal)
    return { code, stdout: terminal.stdout, stderr: terminal.stderr }
  }
  const file = (name: string) => join(home, '.svc', name)
  return { svc, file }
}

test('settings are stored, shown with their source and without the key, and removed', async (t) => {
  const { svc, file } = scratch(t)
  for (const words of [
    ['api_url', 'https://svc.example.org'],
    ['agent-did', did],
    ['tenant_id', 'acme'],
  ])
    assert.equal((await svc(['config', 'set', ...words])).code, 0)
  assert.equal((await svc(['config', 'set', 'api_key'], { stdin: `${key}\n` })).code, 0)
  assert.equal(JSON.parse(readFileSync(file('config.json'), 'utf8')).api_key, key)
  assert.equal(statSync(file('config.json')).mode & 0o777, 0o600)
  const listed = await svc(['config', 'list'], { env: { SVC_TENANT_ID: 'other' } })
  assert.match(listed.stdout, /^profile default\n/)
  assert.match(listed.stdout, /^api_key +key 00000000 +.*config\.json$/m)
  assert.match(listed.stdout, /^tenant_id +other +SVC_TENANT_ID$/m)
  assert.doesNotMatch(listed.stdout, /secret/)
  assert.equal((await svc(['config', 'get', 'api_url'])).stdout, 'https://svc.example.org\n')
  assert.equal((await svc(['config', 'unset', 'tenant_id'])).code, 0)
  assert.equal((await svc(['config', 'get', 'tenant_id'])).stdout, 'acme\n', 'from the DID')
})

test('what is wrong is refused, and the file stays as it was', async (t) => {
  const { svc, file } = scratch(t)
  await svc(['config', 'set', 'api_url', 'https://svc.example.org'])
  await svc(['config', 'set', 'api_key'], { stdin: key })
  const before_it = readFileSync(file('config.json'), 'utf8')
  for (const [words, sentence, stdin] of [
    [['set', 'api_url', 'ftp://x'], /the key in this profile belongs to/i],
    [
      ['set', 'api_url', 'https://other.example'],
      /belongs to https:\/\/svc\.example\.org, so its address stays/,
    ],
    [['unset', 'api_url'], /its address stays/],
    [['set', 'auth_url', 'https://user:pw@x'], /name or password/],
    [['set', 'agent_did', 'me'], /agentDid is me|--agent-did is me|a DID here is/],
    [['set', 'tenant_id', 'A b'], /a tenant has small letters/],
    [['set', 'api_key', key], /read from standard input/],
    [['set', 'private_key'], /more than one of/, 'A'.repeat(43)],
    [['set', 'api_key'], /is empty/, ' \n'],
    [['set', 'access_token', 'x'], /There is no setting access_token/],
    [['get', 'api_key'], /prints no secret/],
    [['get', 'agent_did'], /agent_did is not set/],
    [['set', 'api_ulr', 'x'], /Did you mean api_url\?/],
    [['use', 'nobody'], /There is no profile nobody/],
    [['use', '../config'], /There is no profile/],
    [['list', 'more'], /takes no more/],
  ] as [string[], RegExp, string?][]) {
    const ran = await svc(['config', ...words], stdin === undefined ? {} : { stdin })
    assert.deepEqual([ran.code, ran.stdout], [1, ''], words.join(' '))
    assert.match(ran.stderr, sentence)
    assert.doesNotMatch(ran.stderr, /_secret/)
  }
  assert.equal(readFileSync(file('config.json'), 'utf8'), before_it)
})

test('a chosen profile is used until another is, and a flag or variable wins over it', async (t) => {
  const { svc, file } = scratch(t)
  await svc(['config', 'set', 'api_url', 'https://one.example'])
  await svc(['config', 'set', 'api_url', 'https://two.example', '--profile', 'work'])
  const address = async (argv: string[] = [], env: Record<string, string> = {}) =>
    (await svc(['config', 'get', 'api_url', ...argv], { env })).stdout.trim()
  assert.equal(await address(), 'https://one.example')
  assert.deepEqual(JSON.parse((await svc(['config', 'use', 'work', '--json'])).stdout), { profile: 'work' })
  assert.equal(await address(), 'https://two.example')
  assert.equal(await address(['--profile', 'default']), 'https://one.example')
  assert.equal(await address([], { SVC_PROFILE: 'default' }), 'https://one.example')
  const profiles = JSON.parse((await svc(['config', 'profiles', '--json=profile,used'])).stdout)
  assert.deepEqual(profiles, [
    { profile: 'default', used: false },
    { profile: 'work', used: true },
  ])
  assert.equal((await svc(['config', 'use', 'default'])).code, 0)
  assert.equal(existsSync(file('profile')), false)
  assert.equal(await address(), 'https://one.example')
})
