// What happens to the witnessed logs themselves: they grow, and their keys change.
import { OpenPages } from '@svc/audit/pages/open-pages'
import { acceptEntry } from '../../../audit/chain/entry.ts'
import { rotateKey } from '../../../audit/chain/rotate.ts'
import { commitBatch } from '../../../audit/writer/commit.ts'
import { connectAsEngine } from '../../../audit/writer/connection.ts'
import { root_keys } from '../audit-log/engine.ts'
import { newEntry } from '../audit-log/entry.ts'
import type { Random } from '../random.ts'
import type { World } from '../world.ts'

interface Logs {
  readonly world: World
  readonly tenant_ids: readonly string[]
}

/** The chain writer's own commit, without a journal. */
export function grow({ world, tenant_ids }: Logs, random: Random): void {
  const pending = Array.from({ length: random.between(1, 5) }, () =>
    acceptEntry(newEntry(world, random.pick(tenant_ids))),
  )
  const commit = async () => {
    const client = await connectAsEngine(world.database.url, 'svc audit writer')
    const closed = { sealed_tenants: new Set<string>(), moved_tenants: new Set<string>() }
    const chain_state = { keys: new Map(), ...closed, open_pages: new OpenPages(), projections: [] }
    const names = {
      journal_id: '',
      operator_tenant_id: 'operator',
      ids: { newId: () => world.random.uuid() },
    }
    try {
      const batch = { pending, inputs: [], take_outbox: false, move: undefined }
      await commitBatch({ client, root_keys, ...chain_state, ...names }, batch)
    } finally {
      client.end().catch(() => {})
    }
  }
  const engine = world.processes.get(random.pick(['engine-1', 'engine-2']))!
  engine.run(commit).catch(() => {})
}

/** As an operator: the next records are signed by another key. */
export function rotate({ world, tenant_ids }: Logs, random: Random): void {
  const { id, correlation_id, timestamp, tenant_id, caller_did } = newEntry(world, random.pick(tenant_ids))
  const order = { id, correlation_id, timestamp, tenant_id, caller_did, meta: {} }
  const run = async () => {
    const client = await connectAsEngine(world.database.url, 'svc audit writer')
    await rotateKey(client, root_keys, order).finally(() => client.end().catch(() => {}))
  }
  const engine = world.processes.get(random.pick(['engine-1', 'engine-2']))!
  engine.run(run).catch(() => {})
}
