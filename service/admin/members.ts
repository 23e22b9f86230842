import { addMember, endMembership, listMembers } from '@svc/adapters/access/charter'
import { requireLiveIdentity } from '@svc/adapters/access/revocations'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireDidOf, requireTenant } from './command.ts'
import { recordChange } from './record.ts'
import { moreAfter } from './tenants.ts'

export const member: Noun = {
  add: {
    usage: 'member add <tenant> <did>',
    summary: 'adds a charter member, who may act for the whole organization',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, did] = names as [string, string]
      requireDidOf(tenant_id, did, 'A charter member')
      await requireTenant(store.engine, tenant_id)
      const since = new Date(operator.clock.now_ms())
      await store.engine.transaction(async (trx) => {
        await requireLiveIdentity(trx, tenant_id, did)
        if (!(await addMember(trx, tenant_id, did, since)))
          throw new ConfigError(`${did} is already a charter member of ${tenant_id}.`)
        await recordChange(trx, operator, { tenant_id, command: 'member add', grants: true, meta: { did } })
      })
      return { rows: [{ tenant_id, did, since }] }
    },
  },
  remove: {
    usage: 'member remove <tenant> <did>',
    summary: 'removes a charter member; the last one cannot be removed',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, did] = names as [string, string]
      const until = new Date(operator.clock.now_ms())
      await store.engine.transaction(async (trx) => {
        if (!(await endMembership(trx, tenant_id, did, until)))
          throw new ConfigError(`${did} is not a charter member of ${tenant_id}; member list shows them.`)
        await recordChange(trx, operator, { tenant_id, command: 'member remove', meta: { did } })
      })
      return { rows: [{ tenant_id, did, removed: true }] }
    },
  },
  list: {
    usage: 'member list <tenant> [--after DID]',
    summary: 'current charter members, 200 at a time',
    takes: ['after'],
    async run({ store, values, names }) {
      await requireTenant(store.engine, names[0]!)
      const rows = await listMembers(store.engine, names[0]!, values.after)
      return { rows, columns: ['did', 'since'], ...moreAfter(rows, 'did') }
    },
  },
}
