// MACS.explain_access over HTTP: every path of authority, and the one that a call then uses.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { system_clock } from '@svc/adapters/clock/system'
import { runCli } from '@svc/cli/run'
import { testTerminal } from '../../clients/test-terminal.ts'
import { type Addresses, dispatch } from '../../engines/running-engine.ts'
import { assertRefusal } from '../dispatch/expectations.ts'
import { call, type DeveloperScene, type Fields, openDeveloperScene } from './developer-scene.ts'

const registry = { protocol: 'MARS', operation: 'query_registry' }
const now_ms = system_clock.now_ms()
const expires_at = new Date(now_ms + 7 * 86_400_000).toISOString()
let scene: DeveloperScene
let developer: Addresses
let lead: Addresses
let clerk: Addresses

before(async () => {
  scene = await openDeveloperScene()
  developer = scene.developer
  lead = await scene.derive(developer, 'lead', ['svc.macs.*', 'svc.aegis.*'])
  clerk = await scene.derive(developer, 'clerk', ['svc.macs.*'])
})
after(() => scene.close())

const explain = (caller: Addresses, input: Fields) =>
  call(caller, 'MACS', 'explain_access', { agent_did: clerk.agent_did, ...input })

async function isAllowed(caller: Addresses): Promise<boolean> {
  const { status } = await dispatch(caller, { ...registry, input: { kind: 'agent' } })
  return status === 200
}

async function delegate(from: Addresses, to: Addresses, more: Fields): Promise<string> {
  const capabilities = ['svc.mars.query_registry']
  const token = { to_did: to.agent_did, capabilities, expires_at, ...more }
  return (await call(from, 'Aegis', 'delegate', token)).token_id
}

test('a delegated permission is explained from the first delegator down, and after its end as well', async () => {
  const nothing = await explain(developer, registry)
  assert.deepEqual([nothing.allowed, nothing.paths], [false, []])
  assert.deepEqual([nothing.agent.name, nothing.refusal.code], ['clerk', 'capability_denied'])
  assert.equal(await isAllowed(clerk), false)

  const above = await delegate(developer, lead, { max_redelegation_depth: 1 })
  const below = await delegate(lead, clerk, { parent_token: above })
  const delegated = await explain(clerk, registry)
  assert.equal(delegated.allowed, true, JSON.stringify(delegated))
  assert.equal(await isAllowed(clerk), true)
  const [path] = delegated.paths
  assert.deepEqual([path.source, path.source_ref, path.usable, path.used], ['delegation', below, true, true])
  assert.deepEqual(
    path.chain.map(({ from, to, state }: Fields) => [from.name, to.name, state]),
    [
      ['Developer', 'lead', 'ACTIVE'],
      ['lead', 'clerk', 'ACTIVE'],
    ],
  )
  const { paths } = await explain(developer, { capability: 'svc.mars.query_registry' })
  assert.deepEqual(paths, delegated.paths, 'whoever asks')

  await call(developer, 'Aegis', 'policy', { action: 'revoke', token_id: above, reason: 'over' })
  const revoked = await explain(developer, registry)
  assert.deepEqual(
    [revoked.allowed, revoked.paths.map(({ usable, blocked }: Fields) => [usable, blocked.by])],
    [false, [[false, 'revoked']]],
  )
  assert.equal(revoked.paths[0].chain.length, 2)
  assert.equal(await isAllowed(clerk), false)
})

test('oneself is explained with the current credential, and a caveat by what is the case', async () => {
  const own = await call(developer, 'MACS', 'explain_access', registry)
  assert.deepEqual([own.allowed, own.agent.did], [true, developer.agent_did])
  assert.deepEqual(
    own.paths
      .filter(({ used }: Fields) => used)
      .map(({ source, capability }: Fields) => [source, capability]),
    [['declared', 'svc.*.*']],
  )
  const hour = new Date(now_ms).getUTCHours()
  const span = [(hour + 2) % 24, (hour + 3) % 24].map((at) => String(at).padStart(2, '0')).join('-')
  const capabilities = [{ name: 'svc.mars.query_registry', caveats: [`time:${span}`] }]
  await delegate(developer, clerk, { capabilities })
  const now = await explain(clerk, registry)
  const limited = now.paths.find(({ blocked }: Fields) => blocked.by === 'caveat')
  assert.deepEqual([now.allowed, now.depends_on_call, limited.blocked.caveat], [false, false, `time:${span}`])
  assert.match(limited.blocked.sentence, / and it is \d\d:\d\d UTC$/)
  const at = new Date(now_ms + 2 * 3_600_000).toISOString()
  assert.equal((await explain(clerk, { ...registry, at })).allowed, true, 'two hours later')
  const by_input = [{ name: 'svc.mace.list', caveats: ['input:input.limit <= 10'] }]
  await delegate(developer, clerk, { capabilities: by_input })
  const some = await explain(clerk, { protocol: 'MACE', operation: 'list' })
  assert.deepEqual([some.allowed, some.depends_on_call], [false, true], 'some calls are allowed')
})

test('identities of others, other organizations and unclear questions are refused or explained', async () => {
  const stranger = `did:oas:elsewhere:agent:${'5'.repeat(64)}`
  const refused = (reason: string) => ({ code: 'invalid_payload', stage: 7, reason }) as const
  const ask = (input: Fields) => dispatch(developer, { protocol: 'MACS', operation: 'explain_access', input })
  assertRefusal(await ask({ agent_did: stranger, ...registry }), refused('not_found'))
  assertRefusal(await ask({}), refused('one_of'))
  assertRefusal(await ask({ capability: 'svc.mars.query_registry', ...registry }), refused('one_of'))
  assertRefusal(await ask({ ...registry, operation: 'fly' }), refused('not_found'))
  const abroad = await call(developer, 'MACS', 'explain_access', { ...registry, target_tenant: 'globex' })
  assert.deepEqual([abroad.allowed, abroad.refusal.reason], [false, 'no active treaty'])
  const open = await explain(developer, { protocol: 'MACS', operation: 'auth_negotiation' })
  assert.deepEqual([open.allowed, open.paths[0].source, open.paths[0].used], [true, 'open', true])
})

test('svc explain access shows it with names, and as JSON', async () => {
  const { api_url, api_key, agent_did, tenant_id } = developer
  const env = {
    SVC_API_URL: api_url,
    SVC_API_KEY: api_key,
    SVC_AGENT_DID: agent_did,
    SVC_TENANT_ID: tenant_id,
  }
  const run = async (...args: string[]) => {
    const terminal = testTerminal({ env, columns: 100 })
    const code = await runCli(['explain', 'access', ...args], terminal)
    return { code, out: terminal.stdout, err: terminal.stderr }
  }
  const shown = await run('clerk', 'mars.query_registry')
  assert.equal(shown.code, 0, shown.err)
  assert.match(shown.out, /^clerk may not call MARS query_registry\.\n/)
  assert.match(shown.out, /Developer > lead > clerk/)
  assert.doesNotMatch(shown.out, /did:oas:/, 'people see names')
  const own = await run('me', 'MARS.query_registry')
  assert.match(own.out, /^Developer may call MARS query_registry\.\n/)
  assert.match(own.out, /\n> {2}declared in its document/)
  const json = JSON.parse((await run(clerk.agent_did, 'MARS.query_registry', '-o', 'json')).out)
  assert.deepEqual([json.allowed, json.agent.name], [false, 'clerk'])
  const unknown = await run('nobody', 'MARS.query_registry')
  assert.notEqual(unknown.code, 0)
  assert.match(unknown.err, /No identity of your organization is called nobody/)
  assert.match((await run('clerk')).err, /svc explain access <did\|name> <protocol\.operation>/)
})
