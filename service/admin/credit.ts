import { operatorTenant } from '@svc/adapters/access/operator-tenant'
import { findTenant } from '@svc/adapters/access/tenant-directory'
import { tiers } from '@svc/contract/authority/tier'
import type { Database } from '@svc/contract/database'
import { runway_counter } from '@svc/contract/money/budget-counter'
import { microUsd, microUsdAbove, usdText } from '@svc/contract/money/money'
import { payIntoRunway, tellBooks } from '@svc/protocols/economic/ledger/api'
import { readBooks, setCreditLine } from '@svc/protocols/economic/meal/api'
import { spentOf } from '@svc/protocols/economic/usage/api'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireTenant } from './command.ts'
import { changeOrder, recordChange } from './record.ts'

export const credit: Noun = {
  grant: {
    usage: 'credit grant <tenant> <usd>',
    summary: 'adds credit to the runway of an organization, which pays for its calls',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, amount] = names as [string, string]
      await requireTenant(store.engine, tenant_id)
      const micro_usd = requireUsd(amount)
      if (micro_usd === 0n) throw new ConfigError('The amount is 0; write how much credit to grant.')
      await store.engine.transaction(async (trx) => {
        const order = changeOrder(operator, tenant_id, 'credit grant')
        const operator_tenant_id = await requireOperator(trx)
        const paid = { tenant_id, operator_tenant_id, micro_usd, kind: 'credit', at: order.timestamp }
        const { correlation_id } = order
        const journal_id = await payIntoRunway(trx, { ...paid, ref: `admin ${order.id}`, correlation_id })
        const meta = { amount_usd: usdText(micro_usd), journal_id }
        await recordChange(trx, operator, { tenant_id, command: 'credit grant', grants: true, meta })
      })
      return { rows: [await stateOf(store.engine, tenant_id)] }
    },
  },
  line: {
    usage: 'credit line <tenant> <usd|tier>',
    summary: 'sets how much an organization may owe; `tier` restores the default of its tier',
    takes: [],
    async run({ store, operator, names }) {
      const [tenant_id, amount] = names as [string, string]
      await requireTenant(store.engine, tenant_id)
      const micro_usd = amount === 'tier' ? null : requireUsd(amount)
      await store.engine.transaction(async (trx) => {
        await setCreditLine(trx, tenant_id, micro_usd)
        await tellBooks(trx, tenant_id)
        const meta = { credit_line_usd: micro_usd === null ? 'tier' : usdText(micro_usd) }
        await recordChange(trx, operator, { tenant_id, command: 'credit line', grants: true, meta })
      })
      return { rows: [await stateOf(store.engine, tenant_id)] }
    },
  },
  show: {
    usage: 'credit show <tenant>',
    summary: 'what an organization has paid in, may owe, has spent and has left',
    takes: [],
    async run({ store, names }) {
      await requireTenant(store.engine, names[0]!)
      return { rows: [await stateOf(store.engine, names[0]!)] }
    },
  },
}

/** From the database: calls in flight and the last moments are not included yet. */
async function stateOf(db: Database, tenant_id: string) {
  const [listing, books, spent] = await Promise.all([
    findTenant(db, tenant_id),
    readBooks(db, tenant_id),
    spentOf(db, tenant_id, runway_counter),
  ])
  const line = books.credit_line_micro_usd ?? tiers[listing!.tier].credit_line_micro_usd
  const spent_micro_usd = microUsdAbove(spent.quanta)
  return {
    tenant_id,
    paid_in_usd: usdText(books.paid_in_micro_usd),
    credit_line_usd: usdText(line),
    spent_usd: usdText(spent_micro_usd),
    left_usd: usdText(books.paid_in_micro_usd + line - spent_micro_usd),
  }
}

function requireUsd(amount: string): bigint {
  const micro_usd = microUsd(amount)
  if (micro_usd === undefined)
    throw new ConfigError(
      `${amount} is not an amount; write dollars with at most six decimal places, as in 25.50.`,
    )
  return micro_usd
}

async function requireOperator(db: Database): Promise<string> {
  const tenant_id = await operatorTenant(db)
  if (tenant_id === undefined)
    throw new ConfigError('No engine has run on this database yet, so it has no USD; start one first.')
  return tenant_id
}
