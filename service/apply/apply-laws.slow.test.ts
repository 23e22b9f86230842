// Laws of svc-engine apply over random configurations: once is enough, and only the last file counts.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ensureTenant, newIdentity } from '@svc/adapters/access/tenants'
import { createUser } from '@svc/adapters/accounts/users'
import { system_clock } from '@svc/adapters/clock/system'
import { asOwner } from '@svc/audit/test-audit-log'
import { verifierKeyOf } from '@svc/audit/witness/cosign'
import fc from 'fast-check'
import { type ApplyScene, openApplyScene } from '../../checks/scenes/apply-scene.ts'

const did = newIdentity('there', 'agent').did
const capabilities = ['svc.max.*', 'svc.moat.*', 'svc.market.*', 'svc.made.list']
const some = <Value>(values: readonly Value[]) => fc.subarray([...values])

const role_changes = fc.record({ add: some(capabilities.slice(0, 2)), remove: some(capabilities.slice(2)) })
const own_role = fc.record({ add: fc.subarray(capabilities, { minLength: 1 }) })
const roles = fc.record(
  { viewer: role_changes, auditor: role_changes, buyer: own_role, seller: own_role },
  { requiredKeys: [] },
)

/** All sections are there, so that --prune compares all of the state. */
const tenant = (id: string) =>
  roles.chain((declared) => {
    const names = ['finance', 'operator', ...Object.keys(declared)]
    const person = (login: string) => fc.record({ login: fc.constant(login), roles: some(names) })
    const people = fc.tuple(
      person(`${id}-ann`),
      fc.option(person(`${id}-bob`)),
      fc.option(person(`${id}-cyd`)),
    )
    const claim = fc.record({
      role: fc.constantFrom(...names),
      issuer: fc.constant('https://login.example'),
      claim: fc.constantFrom('groups', 'team'),
      value: fc.constantFrom('a', 'b'),
    })
    const workload = fc.record({
      did: fc.constant(did),
      issuer: fc.constant('https://ci.example'),
      audience: fc.constantFrom('svc', 'other'),
      claims: fc.record({ sub: fc.constantFrom(['a'], ['b'], ['a', 'b']) }),
    })
    return fc.record({
      id: fc.constant(id),
      budget: fc.record({ credit_line_usd: fc.constantFrom('tier', 5, '7.250000', 0) }),
      roles: fc.constant(declared),
      people: people.map((all) => all.filter((one) => one !== null)),
      role_claims: fc.uniqueArray(claim, { selector: (one) => JSON.stringify(one), maxLength: 3 }),
      workloads:
        id === 'there'
          ? fc.uniqueArray(workload, { selector: (one) => JSON.stringify(one), maxLength: 3 })
          : fc.constant([]),
    })
  })

const service = fc.record({
  version: fc.constantFrom('v1.0.0', 'v1.1.0'),
  endpoint: fc.constantFrom('http://127.0.0.1:9001', 'http://127.0.0.1:9002/'),
  did: fc.constant(did),
  weight: fc.constantFrom(1, 5),
  timeout: fc.constantFrom('30s', '500ms'),
  operations: fc.constant(['forecast']),
  enabled: fc.boolean(),
})
const protocol = fc.record({
  name: fc.constant('WEATHER'),
  services: fc.uniqueArray(service, {
    selector: ({ version, endpoint }) => version + endpoint,
    minLength: 1,
  }),
  balance: fc.constantFrom('round-robin', 'tenant-hash'),
})
const witness_keys = ['one.example', 'two.example'].map((name) =>
  verifierKeyOf({ name, public_key: Buffer.from(newIdentity('x', 'agent').public_key, 'base64url') }),
)
const witness = fc.record({
  key: fc.constantFrom(...witness_keys),
  url: fc.constantFrom('https://one.example/v1/witness', 'https://two.example'),
  tenants: fc.constantFrom(['there'], ['there', 'here']),
})
const log = fc.record({
  origin: fc.constantFrom('svc/x', 'svc/y'),
  public_key: fc.constantFrom(...[1, 2].map(() => newIdentity('x', 'agent').public_key)),
})
const configuration = fc.record({
  version: fc.constant(1),
  tenants: fc.tuple(tenant('there'), tenant('here')),
  protocols: fc.option(protocol).map((one) => (one ? [one] : [])),
  witnesses: fc.uniqueArray(witness, { selector: ({ key }) => key, maxLength: 2 }),
  trusted_logs: fc.uniqueArray(log, { selector: (one) => JSON.stringify(one), maxLength: 3 }),
})

/** `there` exists with one person; `here` does not. */
async function openScene(): Promise<ApplyScene> {
  const scene = await openApplyScene()
  await ensureTenant(scene.db, 'there', 'there', 'sandbox')
  await createUser(scene.db, system_clock, { tenant_id: 'there', login: 'there-ann', did })
  return scene
}

async function run(scene: ApplyScene, config: object): Promise<string> {
  const { exit, text } = await scene.run(config, { prune: true })
  assert.equal(exit, 0)
  return text
}

/** Without ids, times and secrets, and without changes of roles that change nothing. */
const statements = [
  'SELECT tenant_id, name, tier FROM tenants ORDER BY 1',
  `SELECT tenant_id, role, added, removed FROM roles WHERE added <> '{}' OR removed <> '{}' ORDER BY 1, 2`,
  'SELECT u.login, r.role, r.given, u.disabled_at IS NULL AS live FROM users u LEFT JOIN person_roles r USING (user_id) ORDER BY 1, 2',
  `SELECT tenant_id, login, ARRAY(SELECT unnest(roles) ORDER BY 1) AS roles FROM invitations WHERE ended_at IS NULL ORDER BY 1, 2`,
  'SELECT tenant_id, role, issuer, claim, value FROM role_claims ORDER BY 1, 2, 3, 4, 5',
  'SELECT did, issuer, audience, claims FROM workloads ORDER BY 2, 3, 4',
  'SELECT name, version, endpoint, weight, timeout_ms, did, answers, enabled FROM external_protocols ORDER BY 1, 2, 3',
  'SELECT witness_name, url, tenants FROM witness_asked ORDER BY 1',
  'SELECT origin, public_key FROM witness_log_keys ORDER BY 1, 2',
]

async function stateOf({ url }: ApplyScene): Promise<unknown[]> {
  return await asOwner(url, async (client) => {
    const all = []
    for (const statement of statements) all.push((await client.query(statement)).rows)
    return all
  })
}

test('a second run changes nothing, and earlier files leave no trace in what the last one declares', async () => {
  await fc.assert(
    fc.asyncProperty(configuration, configuration, async (first, last) => {
      const [twice, once] = [await openScene(), await openScene()]
      try {
        await run(twice, first)
        assert.match(
          await run(twice, first),
          /^Plan: 0 to create, 0 to change, 0 to remove; \d+ unchanged\.\n$/,
        )
        await run(twice, last)
        assert.match(
          await run(twice, last),
          /^Plan: 0 to create, 0 to change, 0 to remove; \d+ unchanged\.\n$/,
        )
        await run(once, last)
        assert.deepEqual(await stateOf(twice), await stateOf(once))
      } finally {
        await Promise.all([twice.close(), once.close()])
      }
    }),
    { numRuns: 12 },
  )
})
