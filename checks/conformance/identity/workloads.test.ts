// A workload of another platform acts as an agent: it exchanges its platform's token, and stores no secret.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, test } from 'node:test'
import { promisify } from 'node:util'
import { system_clock } from '@svc/adapters/clock/system'
import { admin } from '@svc/service/admin'
import { type Answer, dispatch, type RunningEngine, startEngine } from '../../engines/running-engine.ts'
import { startIssuer, type TestIssuer } from '../../neighbours/test-issuer.ts'
import { type TestDatabase, testDatabase } from '../../rehearsal/test-database.ts'
import { dpopProof } from '../../scenes/dpop-proof.ts'
import { newKeyed } from '../../scenes/test-descent.ts'
import { eventually } from '../../suite/eventually.ts'

const root = join(import.meta.dirname, '../../..')
const data_dir = mkdtempSync(join(tmpdir(), 'svc-workloads-'))
const audience = 'https://svc.example'
const now_s = () => Math.floor(system_clock.now_ms() / 1000)
let database: TestDatabase
let engine: RunningEngine
let issuer: TestIssuer
let stranger: TestIssuer
let agent_did: string

before(async () => {
  database = await testDatabase()
  const env = { SVC_DB_URL: database.url, SVC_ALLOWED_NETWORKS: '127.0.0.0/8' }
  engine = await startEngine({ data_dir, env })
  ;[issuer, stranger] = [await startIssuer(now_s), await startIssuer(now_s)]
  const input = {
    entity_kind: 'Agent',
    label: 'deployer',
    capabilities: [{ name: 'svc.mars.query_registry', caveats: [] }],
  }
  agent_did = (await dispatch(engine, { protocol: 'MACS', operation: 'derive', input })).body.output.did
})
after(async () => {
  await Promise.all([engine.stop(), issuer.stop(), stranger.stop()])
  await database.close()
  rmSync(data_dir, { recursive: true, force: true })
})

/** `svc-engine admin`. */
async function administer(...args: string[]): Promise<Record<string, string>> {
  let out = ''
  const write = async (part: string) => {
    out += part
  }
  const terminal = { input: Readable.from(['']), write }
  assert.equal(await admin([...args, '--json'], { SVC_DB_URL: database.url }, terminal), 0)
  return JSON.parse(out.split('\n')[0]!)
}

const add = (claims: string[], more: string[] = [], did = agent_did) =>
  administer(
    'workload',
    'add',
    engine.tenant_id,
    did,
    '--audience',
    audience,
    ...claims.flatMap((claim) => ['--claim', claim]),
    ...more,
  )

interface Exchanged {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: answers of OAuth have several shapes
  readonly body: any
}

const pod = newKeyed('pod', 'Agent')

async function exchange(
  subject_token: string,
  more: Record<string, string> = {},
  headers = {},
): Promise<Exchanged> {
  const url = `${engine.api_url}/oauth/token`
  const answer = await fetch(url, {
    method: 'POST',
    headers: { dpop: dpopProof(pod, { url }), ...headers },
    body: new URLSearchParams({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      client_id: 'svc-workload',
      subject_token,
      subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
      ...more,
    }),
  })
  return { status: answer.status, body: await answer.json() }
}

function callWith(token: string): Promise<Answer> {
  const url = `${engine.api_url}/v1/dispatch`
  const request = { protocol: 'MARS', operation: 'query_registry', input: { tag: 'none' } }
  const headers = {
    authorization: `DPoP ${token}`,
    dpop: dpopProof(pod, { url, token }),
    'x-agent-did': undefined,
  }
  return dispatch(engine, request, headers)
}

const kubernetes = {
  sub: 'system:serviceaccount:prod:deployer',
  'kubernetes.io': {
    namespace: 'prod',
    serviceaccount: { name: 'deployer', uid: 'u' },
    pod: { name: 'p', uid: 'u' },
  },
}

test('a service account of Kubernetes gets a session of its agent, bound to the key of the pod', async () => {
  await add(
    ['sub=system:serviceaccount:prod:deployer', '/kubernetes.io/namespace=prod'],
    ['--issuer', issuer.url],
  )
  const token = await issuer.sign({ ...kubernetes, aud: [audience] })
  const { status, body } = await exchange(token)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    [body.token_type, body.agent_did, body.issued_token_type],
    ['DPoP', agent_did, 'urn:ietf:params:oauth:token-type:access_token'],
  )
  assert.ok(body.expires_in > 0 && body.expires_in <= 600)
  assert.equal((await callWith(body.access_token)).status, 200)
  const query = { protocol: 'MAX', operation: 'audit_query', input: { event_type: ['IdentityVerified'] } }
  const { records } = (await dispatch(engine, query)).body.output
  const { caller_did, meta } = records.find(
    ({ meta }: { meta: { gate?: string } }) => meta.gate === 'token exchange',
  )
  assert.deepEqual([caller_did, meta.supplied.subject], [agent_did, kubernetes.sub])
})

test('another subject, audience, issuer, key, time or algorithm gets nothing, and neither does a token without a proof', async () => {
  const good = { ...kubernetes, aud: audience }
  const forged = await stranger.sign({ ...good, iss: issuer.url })
  const [head, , signature] = (await issuer.sign(good)).split('.')
  const changed = Buffer.from(JSON.stringify({ ...good, iss: issuer.url, exp: now_s() + 60 })).toString(
    'base64url',
  )
  const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${changed}.`
  const tokens = [
    await issuer.sign({ ...good, sub: 'system:serviceaccount:prod:other' }),
    await issuer.sign({ ...good, 'kubernetes.io': { namespace: 'test' } }),
    await issuer.sign({ ...good, aud: 'https://other.example' }),
    await issuer.sign({ ...good, exp: now_s() - 60 }),
    await issuer.sign({ ...good, nbf: now_s() + 600 }),
    await stranger.sign(good),
    forged,
    `${head}.${changed}.${signature}`,
    none,
    'no token',
  ]
  for (const token of tokens) {
    const { status, body } = await exchange(token)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(body))
  }
  const token = await issuer.sign(good)
  const wrong = dpopProof(pod, { url: `${engine.api_url}/v1/dispatch` })
  for (const dpop of ['', 'no proof', wrong])
    assert.equal((await exchange(token, {}, { dpop })).body.error, 'invalid_grant')
  assert.equal((await exchange(token, { subject_token_type: 'urn:x' })).body.error, 'invalid_grant')
})

test('GitHub Actions by repository and branch; an agent is named where several fit', async () => {
  const claims = ['repository=acme/app', 'ref=refs/heads/main', 'ref=refs/heads/release']
  await add(claims, ['--issuer', issuer.url])
  await add(['repository=acme/app'], ['--issuer', issuer.url], engine.agent_did)
  const token = (ref: string) =>
    issuer.sign({
      aud: audience,
      sub: `repo:acme/app:ref:${ref}`,
      repository: 'acme/app',
      ref,
      job_workflow_ref: 'acme/app/.github/workflows/x.yml@main',
    })
  assert.match((await exchange(await token('refs/heads/main'))).body.error_description, /or several are/)
  const named = await exchange(await token('refs/heads/release'), { agent_did })
  assert.equal(named.body.agent_did, agent_did)
  assert.equal((await exchange(await token('refs/heads/other'), { agent_did })).body.error, 'invalid_grant')
})

test('claims of odd forms are refused, signed or not, and are no fault of the engine', async () => {
  await add(['repository=acme/odd'], ['--issuer', issuer.url])
  const good = { aud: audience, sub: 'x', repository: 'acme/odd' }
  const textless = { toString: 1, valueOf: 1 }
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const unsigned = (claims: object) => `${encode({ alg: 'RS256' })}.${encode(claims)}.${encode('x')}`
  const odd = [
    unsigned({ ...good, iss: textless }),
    unsigned({ ...good, iss: [issuer.url] }),
    unsigned({ ...good, iss: null }),
    unsigned([1]),
    await issuer.sign({ ...good, sub: textless as never }),
    await issuer.sign({ ...good, sub: 7 as never }),
    await issuer.sign({ ...good, aud: [textless] as never }),
    await issuer.sign({ ...good, exp: 'tomorrow' as never }),
    await issuer.sign({ ...good, repository: ['acme/odd'] }),
  ]
  for (const token of odd) {
    const { status, body } = await exchange(token)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'], JSON.stringify(body))
  }
  assert.equal((await exchange(await issuer.sign(good))).status, 200)
})

test('several mappings of one agent are as good as one', async () => {
  for (const claim of ['sub=twice', 'repository=acme/twice']) await add([claim], ['--issuer', issuer.url])
  const token = await issuer.sign({ aud: audience, sub: 'twice', repository: 'acme/twice' })
  assert.equal((await exchange(token)).body.agent_did, agent_did)
})

test('a token that its issuer did not sign learns nothing of mappings', async () => {
  const [mapped, twice, unmapped] = ['deployer', 'both', 'nobody'].map((name) => `unverified:${name}`)
  await add([`sub=${mapped}`], ['--issuer', issuer.url])
  for (const did of [agent_did, engine.agent_did]) await add([`sub=${twice}`], ['--issuer', issuer.url], did)
  const answers = new Set<string>()
  for (const sub of [mapped, twice, unmapped])
    for (const more of [{}, { agent_did }] as Record<string, string>[])
      answers.add(
        JSON.stringify(await exchange(await stranger.sign({ iss: issuer.url, aud: audience, sub }), more)),
      )
  assert.equal(answers.size, 1, [...answers].join())
})

test('a JWT-SVID without an issuer is verified by the stored keys of its trust domain; its removal ends its sessions', async () => {
  const path = join(data_dir, 'bundle.json')
  writeFileSync(path, JSON.stringify(stranger.jwks()))
  const { workload_id } = await add(
    ['sub=spiffe://acme.example/deployer'],
    ['--issuer', 'spiffe://acme.example', '--jwks', path],
  )
  const token = await stranger.sign({
    iss: undefined,
    aud: [audience],
    sub: 'spiffe://acme.example/deployer',
  })
  const { access_token } = (await exchange(token)).body
  assert.equal((await callWith(access_token)).status, 200)
  await administer('workload', 'remove', engine.tenant_id, workload_id!)
  assert.equal((await exchange(token)).body.error, 'invalid_grant')
  // Within a second, as the command says.
  await eventually(async () => {
    const { body } = await callWith(access_token)
    assert.equal(body.error?.reason, 'session revoked')
  })
})

test('a mapping without claims, or one of everybody, is refused', async () => {
  await assert.rejects(add([], ['--issuer', issuer.url]), /every workload of the issuer/)
  await assert.rejects(add(['sub=x'], ['--issuer', 'spiffe://acme.example']), /needs --jwks/)
  await assert.rejects(add(['sub=x'], ['--issuer', 'not an address']), /--issuer is/)
})

test('the SDK exchanges, signs and renews by itself, from the file that the platform writes', async () => {
  await add(['sub=sdk'], ['--issuer', issuer.url])
  const path = join(data_dir, 'token')
  writeFileSync(path, `${await issuer.sign({ aud: audience, sub: 'sdk' })}\n`)
  const env = { SVC_API_URL: engine.api_url, SVC_AGENT_DID: agent_did, SVC_WORKLOAD_TOKEN_FILE: path }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'clients/cli/main.ts'), 'whoami'],
    {
      cwd: root,
      env: { ...process.env, ...env, HOME: data_dir },
    },
  )
  assert.ok(stdout.includes(agent_did), stdout)
})
