// What an operator types to move a tenant, and what is refused.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startInProcess } from '../engines/in-process.ts'
import { dispatch } from '../engines/running-engine.ts'
import { effects } from '../scenes/effects-protocol.ts'
import { command, openTwoCells, type TwoCells, verifyLog } from './two-cells.ts'

let cells: TwoCells
before(async () => {
  cells = await openTwoCells({ more_protocols: [effects] })
})
after(() => cells?.stop())

const rowsOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

test('a tenant is moved, and what it left is removed, by command; each is recorded', async () => {
  const { a, b } = cells
  const here = await a.newCaller({ tenant_id: 'typed', capabilities: ['svc.effects.*'] })
  const call = { protocol: 'EFFECTS', operation: 'happen', input: { name: 'typed' } }
  assert.equal((await dispatch(here, call)).status, 200)
  await assert.rejects(command(a, ['tenant', 'move', 'typed']), /--to is missing/)
  await assert.rejects(command(a, ['tenant', 'move', 'typed', '--to', a.db_url]), /is the database that/)
  await assert.rejects(
    command(a, ['tenant', 'move', 'nobody', '--to', b.db_url]),
    /There is no tenant nobody/,
  )
  await assert.rejects(command(a, ['tenant', 'move', 'typed', '--to', b.db_url, '--clean']), /was not moved/)
  const [moved] = rowsOf(await command(a, ['tenant', 'move', 'typed', '--to', b.db_url]))
  assert.ok(moved.records > 0 && moved.readonly_seconds >= 0, JSON.stringify(moved))
  assert.ok(!moved.to.includes(new URL(b.db_url).password || '@'), 'no password is shown')
  assert.equal((await dispatch({ ...here, api_url: b.api_url }, call)).status, 200)
  await assert.rejects(command(a, ['tenant', 'move', 'typed', '--to', b.db_url]), /lives in .* already/)
  assert.equal((await verifyLog(a.db_url, 'typed')).ok, true)
  await command(a, ['tenant', 'move', 'typed', '--to', b.db_url, '--clean'])
  await assert.rejects(verifyLog(a.db_url, 'typed'))
  assert.equal((await verifyLog(b.db_url, 'typed')).ok, true)
  const recorded = (await a.records('operator')).map(({ meta }) => meta.command)
  for (const name of ['root-key copy', 'tenant move']) assert.ok(recorded.includes(name), String(recorded))
})

test('a database with root keys of its own takes no tenant and no root keys', async () => {
  const { a } = cells
  await a.newCaller({ tenant_id: 'stays', capabilities: [] })
  const strange = await startInProcess({ config: { master_key: a.config.master_key } })
  try {
    await assert.rejects(
      command(a, ['tenant', 'move', 'stays', '--to', strange.db_url]),
      /different root keys, .* root-key copy/,
    )
    await assert.rejects(command(a, ['root-key', 'copy', '--to', strange.db_url]), /has root keys of its own/)
  } finally {
    await strange.stop()
  }
})
