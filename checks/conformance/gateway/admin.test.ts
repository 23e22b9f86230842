// svc-engine admin as an operator types it, against a running engine; and its records in the audit logs.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { newIdentity } from '@svc/adapters/access/tenants'
import { system_clock } from '@svc/adapters/clock/system'
import { exportChain } from '@svc/audit/query/export'
import { type IdentityDocument, levelOf } from '@svc/contract/identity/identity-document'
import type { LineageVerdict } from '@svc/contract/identity/lineage'
import { verifyExport } from '@svc/sdk/verify/export'
import { admin as runAdmin } from '@svc/service/admin'
import { askBundledNode } from '@svc/service/assembly/identities'
import { type InProcessService, startInProcess } from '../../engines/in-process.ts'
import { dispatch } from '../../engines/running-engine.ts'
import { eventually, until } from '../../suite/eventually.ts'

const main = join(import.meta.dirname, '../../../service/main.ts')
const master_key = randomBytes(32)
const own = newIdentity('operator', 'service')
let service: InProcessService
before(async () => {
  service = await startInProcess({ config: { master_key } })
})
after(() => service.stop())

interface Ended {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function environment() {
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const key = { SVC_AGENT_DID: own.did, SVC_AGENT_KEY: own.private_key }
  const machine = { PATH, NODE_COMPILE_CACHE }
  return { ...machine, SVC_DB_URL: service.db_url, SVC_MASTER_KEY: master_key.toString('hex'), ...key }
}

/** As its own process, as an operator starts it. */
async function spawnAdmin(args: readonly string[], input = ''): Promise<Ended> {
  const child = spawn(process.execPath, [main, 'admin', ...args], { env: environment(), stdio: 'pipe' })
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
  return { code, out, err }
}

/** The same in this process, which starts faster. */
async function admin(args: readonly string[], input = ''): Promise<Ended> {
  let out = ''
  const write = async (part: string) => {
    out += part
  }
  try {
    const code = await runAdmin([...args], environment(), { input: Readable.from([input]), write })
    return { code, out, err: '' }
  } catch (error) {
    const { name, code = '', message } = error as Error & { code?: string }
    assert.ok(name === 'ConfigError' || code.startsWith('ERR_PARSE_ARGS'), `${error}`)
    return { code: 1, out, err: message }
  }
}

/** The JSON lines of a command that must succeed. */
// biome-ignore lint/suspicious/noExplicitAny: each command answers in its own shape
async function ask(args: readonly string[], input?: string): Promise<any[]> {
  const { code, out, err } = await admin([...args, '--json'], input)
  assert.deepEqual([code, err], [0, ''], args.join(' '))
  return out.trim() === ''
    ? []
    : out
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
}

async function refusal(args: readonly string[], input?: string): Promise<string> {
  const { code, out, err } = await admin(args, input)
  assert.deepEqual([code, out], [1, ''], `${args.join(' ')}: ${err}`)
  assert.equal(err.trim().split('\n').length, 1, err)
  return err
}

/** The commands recorded in an audit log, oldest first, once they are there. */
async function recorded(tenant_id: string, count: number) {
  return await until(`${count} commands are recorded`, async () => {
    const records = await service.records(tenant_id)
    const by_operator = records.filter(({ meta }) => meta.gate === 'operator')
    return by_operator.length >= count && by_operator
  })
}

test("an organization is founded, shown and listed; all of it is in its audit log, with the operator's name", async () => {
  const [made] = await ask(['tenant', 'create', 'acme', '--tier', 'charter', '--root', 'new'])
  assert.deepEqual([made.tenant_id, made.tier], ['acme', 'charter'])
  assert.match(made.root_did, /^did:oas:acme:human-root:[0-9a-f]{64}$/)
  const [second] = await ask(['identity', 'create', 'acme', '--kind', 'agent'])
  await ask(['member', 'add', 'acme', second.did])
  assert.deepEqual(
    (await ask(['member', 'list', 'acme'])).map((member) => member.did),
    [made.root_did, second.did].sort(),
  )
  await ask(['member', 'remove', 'acme', second.did])
  assert.match(await refusal(['member', 'remove', 'acme', made.root_did]), /the last charter member/)
  const records = await recorded('acme', 4)
  assert.deepEqual(
    records.map(({ event_type, meta }) => [event_type, meta.command, meta.os_user]),
    [
      ['AuthorizationCheck', 'tenant create', userInfo().username],
      ['AuthorizationCheck', 'identity create', userInfo().username],
      ['CapabilityGrant', 'member add', userInfo().username],
      ['AuthorizationCheck', 'member remove', userInfo().username],
    ],
  )
  const [shown] = await ask(['tenant', 'show', 'acme'])
  assert.deepEqual([shown.charter_members, shown.live_keys, shown.audit_records], [1, 0, 4])
  assert.ok((await ask(['tenant', 'list'])).some((tenant) => tenant.tenant_id === 'acme'))
})

test('a key works until it is revoked, and revoking an identity revokes all its keys', async () => {
  await ask(['tenant', 'create', 'keys-inc', '--tier', 'sovereign'])
  const issue = (...more: string[]) => ask(['key', 'issue', 'keys-inc', '--capability', 'svc.max.*', ...more])
  const [first] = await issue()
  const asking = {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: { event_type: 'custom.a', meta: {} },
  }
  const callWith = ({ api_key }: { api_key: string }) =>
    dispatch({ ...service, tenant_id: 'keys-inc', agent_did: first.did, api_key }, asking)
  assert.equal((await callWith(first)).status, 200)
  const [second] = await issue('--did', first.did, '--label', 'second', '--expires-at', '2099-01-01')
  assert.deepEqual(await ask(['key', 'revoke', 'keys-inc', first.key_id]), [
    { key_id: first.key_id, revoked: true },
  ])
  await untilRefused(() => callWith(first))
  assert.equal((await callWith(second)).status, 200)
  const listed = await ask(['key', 'list', 'keys-inc'])
  assert.deepEqual(
    listed.map((key) => [key.key_id, key.revoked_at === null]),
    [
      [second.key_id, true],
      [first.key_id, false],
    ],
  )
  const [revoked] = await ask(['identity', 'revoke', first.did])
  assert.deepEqual([revoked.keys_revoked, revoked.users_disabled], [1, 0])
  await untilRefused(() => callWith(second))
  assert.match(await refusal(['key', 'issue', 'keys-inc', '--did', first.did]), /was revoked/)
  assert.match(await refusal(['identity', 'revoke', first.did]), /already revoked/)
  const records = JSON.stringify(await recorded('keys-inc', 5))
  assert.ok(records.includes(first.key_id) && !records.includes(first.api_key.slice(-43)))
})

test('the operator vouches for an identity in custody, which raises it to L2', async () => {
  await ask(['tenant', 'create', 'attested', '--root', 'new'])
  const [agent] = await ask(['identity', 'create', 'attested', '--kind', 'agent'])
  const askNode = askBundledNode(service.service.store.engine, system_clock)
  const level = async () => {
    const { document } = (await askNode('resolve', { did: agent.did })) as { document: IdentityDocument }
    const isTrustedIssuer = (did: string) => did === own.did
    const lineage = { verified: true, depth: 1 } as LineageVerdict
    return levelOf(document, lineage, { now: new Date().toISOString(), isTrustedIssuer })
  }
  assert.equal(await level(), 'L1')
  const [attested] = await ask(['identity', 'attest', agent.did])
  assert.deepEqual([attested.version, attested.issuer_did, await level()], [2, own.did, 'L2'])
  const [away] = await ask(['identity', 'create', 'attested', '--kind', 'agent', '--custody', 'client'])
  assert.match(await refusal(['identity', 'attest', away.did]), /keeps no key of/)
  assert.match(await refusal(['identity', 'attest', 'nobody']), /is not a DID/)
})

async function untilRefused(call: () => Promise<{ status: number }>): Promise<void> {
  await eventually(async () => assert.notEqual((await call()).status, 200))
}

test('people get accounts; a password comes from standard input and is never shown', async () => {
  await ask(['tenant', 'create', 'people'])
  const password = 'correct horse battery staple'
  const adding = ['user', 'add', 'people', 'Ann@Example.org', '--name', 'Ann', '--json']
  const added = await spawnAdmin(adding, `${password}\n`)
  assert.deepEqual([added.code, added.err], [0, ''])
  const ann = JSON.parse(added.out)
  assert.match(ann.did, /^did:oas:people:/)
  assert.match(await refusal(['user', 'add', 'people', 'ann@example.org'], password), /already signs in/)
  assert.match(await refusal(['user', 'add', 'people', 'bob'], ''), /no password on standard input/)
  assert.match(await refusal(['user', 'add', 'people', 'bob'], 'two\nlines'), /more than one line/)
  assert.match(await refusal(['user', 'add', 'people', 'bob'], 'x'.repeat(5_000)), /longer than/)
  assert.match(await refusal(['user', 'add', 'people', 'bob'], 'short'), /A password has/)
  assert.match(await refusal(['user', 'password', 'acme', 'ann@example.org'], password), /has no user/)
  await ask(['user', 'password', 'people', 'ann@example.org'], 'another good password')
  const [listed] = await ask(['user', 'list', 'people'])
  assert.deepEqual([listed.login, listed.name, listed.disabled], ['ann@example.org', 'Ann', false])
  await ask(['user', 'disable', 'people', 'ann@example.org'])
  assert.match(await refusal(['user', 'disable', 'people', 'ann@example.org']), /already disabled/)
  const [bob] = await ask(['user', 'add', 'people', 'bob'], password)
  const [revoked] = await ask(['identity', 'revoke', bob.did])
  assert.equal(revoked.users_disabled, 1)
  assert.match(await refusal(['user', 'add', 'people', 'bob2', '--did', bob.did], password), /was revoked/)
  const records = await recorded('people', 6)
  assert.deepEqual(
    records.map(({ meta }) => meta.command),
    ['tenant create', 'user add', 'user password', 'user disable', 'user add', 'identity revoke'],
  )
  assert.ok(!/correct horse|another good|ann@example/i.test(JSON.stringify(records)))
})

test('a failed user creation leaves nothing behind, wherever it fails', async () => {
  await ask(['tenant', 'create', 'atomic'])
  const password = 'correct horse battery staple'
  const [first] = await ask(['user', 'add', 'atomic', 'cleo', '--capability', 'svc.mars.*'], password)
  for (const name of ['MARS.register_agent', 'MARS.query_registry', 'MARS.discovery'])
    assert.ok(first.can_call.includes(name), String(first.can_call))
  const { engine_pool } = service.service.store
  const traces = async () => {
    const { rows } = await engine_pool.query(`
      SELECT (SELECT count(*) FROM keystore WHERE tenant_id = 'atomic') AS seeds,
        (SELECT count(*) FROM oas_documents WHERE did LIKE 'did:oas:atomic:%') AS documents,
        (SELECT count(*) FROM users WHERE tenant_id = 'atomic') AS users`)
    return rows[0]
  }
  const before = await traces()
  assert.match(await refusal(['user', 'add', 'atomic', 'cleo'], password), /already signs in/)
  assert.match(await refusal(['user', 'add', 'atomic', 'dan', '--name', 'x'.repeat(300)], password), /name/)
  assert.deepEqual(await traces(), before)
  const commands = (await recorded('atomic', 2)).map(({ meta }) => meta.command)
  assert.deepEqual(commands, ['tenant create', 'user add'])
})

test('an unknown capability is refused by name, and what a new key can call is listed', async () => {
  await ask(['tenant', 'create', 'exact'])
  const issue = (...names: string[]) => [
    'key',
    'issue',
    'exact',
    ...names.flatMap((name) => ['--capability', name]),
  ]
  assert.match(
    await refusal(issue('svc.mind.store_memry')),
    /svc\.mind\.store_memry.*Did you mean svc\.mind\.store_memory/,
  )
  assert.match(await refusal(issue('svc.nosuchthing.fly')), /No operation matches svc\.nosuchthing\.fly/)
  assert.match(await refusal(issue('svc.*')), /svc\.\* is not a capability/)
  const [key] = await ask(issue('svc.mind.store_memory'))
  assert.deepEqual(key.can_call, [
    'MACS.auth_negotiation',
    'MACS.generate_challenge',
    'MACS.verify_response',
    'MIND.store_memory',
    'OAS.resolve (of itself)',
  ])
  const declaring = [
    'identity',
    'create',
    'exact',
    '--kind',
    'human-root',
    '--capability',
    'svc.mars.discovery',
  ]
  const [{ did }] = await ask(declaring)
  const [second] = await ask([...issue('svc.mind.store_memory'), '--did', did])
  const added = second.can_call.filter((name: string) => !key.can_call.includes(name))
  assert.deepEqual(added, ['MARS.discovery'], 'what its identity declares is listed, too')
})

test('an audit key is rotated under a running engine, and the export verifies across it', async () => {
  const caller = await service.newCaller({ tenant_id: 'rotated' })
  const asking = {
    protocol: 'MAX',
    operation: 'audit_log_entry',
    input: { event_type: 'custom.a', meta: {} },
  }
  for (let n = 0; n < 3; n++) assert.equal((await dispatch(caller, asking)).status, 200)
  await service.service.audit_log.flush()
  const [rotation] = await ask(['audit', 'rotate', 'rotated'])
  const verifiedByKey = async () => {
    const { out } = await admin(['audit', 'key', 'rotated'])
    const all = await Array.fromAsync(exportChain(service.service.store.engine, 'rotated'))
    return (await verifyExport(all, { trustedKeys: [out.trim()] })).verified
  }
  assert.ok(await verifiedByKey(), 'also while the new key has signed nothing yet')
  for (let n = 0; n < 3; n++) assert.equal((await dispatch(caller, asking)).status, 200)
  await service.service.audit_log.flush()
  const lines = await Array.fromAsync(exportChain(service.service.store.engine, 'rotated'))
  const verdict = await verifyExport(lines)
  assert.deepEqual([verdict.ok, verdict.roots_checked], [true, true], `${verdict.reason}`)
  const { record } = JSON.parse(lines[rotation.seq]!)
  assert.deepEqual(
    [record.event_type, record.meta.os_user, record.meta.new_public_key],
    ['AuditKeyRotated', userInfo().username, rotation.new_public_key],
  )
  const exported = await spawnAdmin(['export', 'rotated'])
  assert.deepEqual([exported.code, exported.err], [0, ''])
  const key = await admin(['audit', 'key', 'rotated'])
  assert.deepEqual([key.code, key.out], [0, `${rotation.new_public_key}\n`])
  const [row] = await ask(['audit', 'key', 'rotated'])
  assert.equal(row.public_key, rotation.new_public_key)
  const pinned = await verifyExport(exported.out.trim().split('\n'), { trustedKeys: [key.out.trim()] })
  assert.deepEqual([pinned.verified, pinned.signed_by.length], [true, 2])
})

test('impossible commands are refused in one sentence, with a suggestion', async () => {
  const cases: [string[], RegExp][] = [
    [['tennant', 'list'], /Did you mean tenant\?/],
    [['key', 'isue', 'acme'], /Did you mean key issue\?/],
    [['key', 'qqqqqq'], /It has key issue, key list, key revoke\./],
    [['tenant', 'create'], /Use: svc-engine admin tenant create <id>/],
    [['tenant', 'create', 'Not An Id'], /A tenant id has/],
    [['tenant', 'create', 'new-one', '--tier', 'gold'], /it may be sandbox/],
    [['tenant', 'create', 'new-one', '--label', 'x'], /This command has no option --label/],
    [['tenant', 'create', 'new-one', '--nmae', 'x'], /Unknown option '--nmae'/],
    [['tenant', 'create', 'operator'], /The tenant operator already exists/],
    [['tenant', 'show', 'nobody'], /There is no tenant nobody/],
    [['key', 'issue', 'nobody'], /There is no tenant nobody/],
    [['key', 'issue', 'operator', '--capability', 'all'], /all is not a capability/],
    [['key', 'issue', 'operator', '--expires-at', 'tomorrow'], /--expires-at is tomorrow/],
    [['key', 'issue', 'operator', '--expires-at', '2001-01-01'], /in the future/],
    [['key', 'issue', 'operator', '--did', 'did:oas:other:agent:1'], /must be a DID of operator/],
    [['identity', 'create', 'operator', '--kind', 'agemt'], /did you mean agent\?/],
    [['identity', 'create', 'operator'], /--kind is missing/],
    [['audit', 'rotate', 'nobody'], /There is no tenant nobody/],
    [['audit', 'key', 'nobody'], /There is no tenant nobody/],
    [['export', 'nobody'], /has no records yet/],
  ]
  for (const [args, expected] of cases) assert.match(await refusal(args), expected, args.join(' '))
  for (const [args, expected] of [cases[0]!, cases[9]!]) {
    const { code, out, err } = await spawnAdmin(args)
    assert.deepEqual([code, out, err.split('\n').length], [1, '', 2], err)
    assert.match(err, expected)
  }
})

test('there is help for everything and for each noun, and people get tables', async () => {
  const all = await admin(['--help'])
  assert.equal(all.code, 0)
  for (const usage of ['tenant create', 'member add', 'user password', 'key issue', 'audit rotate', 'doctor'])
    assert.ok(all.out.includes(usage), usage)
  const noun = await admin(['key', '--help'])
  assert.ok(noun.out.includes('key revoke') && !noun.out.includes('tenant create'))
  assert.equal((await admin(['key'])).code, 1)
  const { out } = await admin(['tenant', 'list'])
  const [header, ...rows] = out.trimEnd().split('\n')
  assert.match(header!, /^TENANT ID +TIER +NAME +CREATED AT$/)
  assert.ok(rows.some((row) => /^operator +sovereign +The operator of this engine +\d{4}-/.test(row)))
})

test('credit: an organization without credit is refused until a payment', async () => {
  await ask(['tenant', 'create', 'frugal', '--tier', 'sandbox'])
  const caller = await service.newCaller({ tenant_id: 'frugal', capabilities: ['svc.max.*'] })
  const call = () =>
    dispatch(caller, {
      protocol: 'MAX',
      version: 'v1',
      operation: 'audit_log_entry',
      input: { event_type: 'custom.x', meta: {} },
    })
  assert.equal((await call()).status, 200, 'the credit line of its tier lets it begin')
  const [without] = await ask(['credit', 'line', 'frugal', '0'])
  assert.deepEqual([without.paid_in_usd, without.credit_line_usd], ['0.000000', '0.000000'])
  const reasonOf = async () => (await call()).body.error?.reason
  await eventually(async () => assert.equal(await reasonOf(), 'tenant runway exhausted'))
  const [paid] = await ask(['credit', 'grant', 'frugal', '2.5'])
  assert.equal(paid.paid_in_usd, '2.500000')
  await eventually(async () => assert.equal((await call()).status, 200))
  await service.service.audit_log.flush()
  const [shown] = await ask(['credit', 'show', 'frugal'])
  assert.ok(Number(shown.spent_usd) > 0)
  assert.equal(Number(shown.left_usd), Number((2.5 - Number(shown.spent_usd)).toFixed(6)))
  await eventually(async () => {
    const records = await service.records('frugal', { event_types: ['CapabilityGrant'] })
    assert.deepEqual(
      records.map(({ meta }) => meta.command),
      ['credit line', 'credit grant'],
    )
  })
  for (const amount of ['-1', '0', '1.0000001', 'much'])
    assert.equal((await admin(['credit', 'grant', 'frugal', amount])).code, 1)
})
