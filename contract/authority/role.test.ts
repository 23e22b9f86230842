import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { covers } from './capability.ts'
import { built_in_roles, type RoleChange, type RoleProtocol, roleCapability, roleTable } from './role.ts'

const read = { effect: 'read' } as const
const write = { effect: 'write' } as const

const protocols: readonly RoleProtocol[] = [
  {
    id: 'MACS',
    plane: 'identity',
    operations: {
      list: read,
      create_key: { ...write, secret_output: true },
      derive: { ...write, secret_output: true },
      set_role: { ...write, for_administrators: true },
    },
  },
  {
    id: 'MIND',
    plane: 'cognition',
    operations: { recall_memory: { ...read, reveals: true }, store_memory: write },
  },
  { id: 'MEAL', plane: 'economic', operations: { statement: read, meter: write } },
  { id: 'MOON', plane: 'execution', operations: { list: read, execute_workflow: write } },
  { id: 'MOAT', plane: 'governance', operations: { list: read, propose: write } },
]
const names = protocols.flatMap(({ id, operations }) =>
  Object.keys(operations).map((operation) => `svc.${id.toLowerCase()}.${operation}`),
)
const table = roleTable(protocols)
const none = new Map<string, RoleChange>()

const allowed = (role: string, changes: ReadonlyMap<string, RoleChange> = none) =>
  names.filter((name) => table.capabilitiesOf(role, changes)!.some((capability) => covers(capability, name)))

test('what a built-in role allows follows from the facts of each operation', () => {
  assert.deepEqual(allowed('viewer'), [
    'svc.macs.list',
    'svc.macs.create_key',
    'svc.moon.list',
    'svc.moat.list',
  ])
  assert.deepEqual(allowed('auditor'), [
    'svc.macs.list',
    'svc.macs.create_key',
    'svc.mind.recall_memory',
    'svc.meal.statement',
    'svc.moon.list',
    'svc.moat.list',
  ])
  assert.deepEqual(allowed('operator'), [
    'svc.macs.list',
    'svc.macs.create_key',
    'svc.macs.derive',
    'svc.moon.list',
    'svc.moon.execute_workflow',
    'svc.moat.list',
  ])
  assert.deepEqual(allowed('finance'), [
    'svc.macs.list',
    'svc.macs.create_key',
    'svc.meal.statement',
    'svc.meal.meter',
    'svc.moon.list',
    'svc.moat.list',
  ])
  assert.deepEqual(allowed('administrator'), names)
})

test('only an administrator changes people, by the contents of roles too', () => {
  assert.deepEqual(table.rolesFor('svc.macs.set_role', none), ['administrator'])
  assert.deepEqual(table.rolesFor('svc.meal.meter', none), ['finance', 'administrator'])
})

test('a role of one’s own is what was added, and unknown names are no role', () => {
  const changes = new Map([['buyer', { added: ['svc.moat.*'], removed: [] }]])
  assert.deepEqual(allowed('buyer', changes), ['svc.moat.list', 'svc.moat.propose'])
  assert.equal(table.capabilitiesOf('buyer', none), undefined)
  assert.deepEqual(table.names(changes), [...built_in_roles, 'buyer'])
})

test('no role holds another role, everything, or what belongs to the operator', () => {
  for (const name of [
    'svc.role.finance',
    'svc.role.*',
    'svc.*.*',
    'svc.admin.observability',
    'svc.admin.*',
    'anything',
  ])
    assert.equal(table.isGrantable(name), false, name)
  for (const name of ['svc.moat.list', 'svc.moat.*']) assert.equal(table.isGrantable(name), true, name)
})

const someNames = fc.uniqueArray(
  fc.constantFrom(...names, ...protocols.map(({ id }) => `svc.${id.toLowerCase()}.*`)),
  { maxLength: 6 },
)

test('a changed role allows exactly its first contents and what was added, without what was removed', () => {
  fc.assert(
    fc.property(fc.constantFrom(...built_in_roles), someNames, someNames, (role, added, removed) => {
      const changes = new Map([[role, { added, removed }]])
      const first = allowed(role)
      const expected = names.filter(
        (name) =>
          (first.includes(name) || added.some((each) => covers(each, name))) &&
          !removed.some((each) => covers(each, name)),
      )
      assert.deepEqual(allowed(role, changes), expected)
      for (const each of built_in_roles)
        assert.ok(!table.capabilitiesOf(role, changes)!.some((name) => covers(name, roleCapability(each))))
    }),
  )
})
