import { rotateKey } from '@svc/audit/chain/rotate'
import { exportChain } from '@svc/audit/query/export'
import { headOf, publicKeys } from '@svc/audit/query/records'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireTenant } from './command.ts'
import { changeOrder } from './record.ts'
import { rootKeysOf } from './target.ts'

const progress_lines = 1_000

export const audit: Noun = {
  key: {
    usage: 'audit key <tenant>',
    summary:
      'the public key that signed the newest record of the audit log; auditors pass it to the verifier as --key',
    takes: [],
    async run({ store, terminal, names, values }) {
      const tenant_id = names[0]!
      await requireTenant(store.engine, tenant_id)
      const { seq } = await headOf(store.engine, tenant_id)
      // A key that was just rotated in has signed nothing yet, so nothing verifies with it.
      const signing = (await publicKeys(store.engine, tenant_id)).find(({ from_seq }) => from_seq <= seq)
      if (!signing)
        throw new ConfigError(`The audit log of ${tenant_id} has no records yet; make a call first.`)
      if (values.json) return { rows: [signing] }
      await terminal.write(`${signing.public_key}\n`)
      return { rows: [] }
    },
  },
  rotate: {
    usage: 'audit rotate <tenant>',
    summary:
      'signs with a new audit key from the next record on; the change is recorded, signed by both keys',
    takes: [],
    async run({ store, operator, target, names }) {
      const tenant_id = names[0]!
      const root_keys = await rootKeysOf(target, store.engine)
      await requireTenant(store.engine, tenant_id)
      const client = await store.engine_pool.connect()
      try {
        const order = changeOrder(operator, tenant_id, 'audit rotate')
        const rotation = await rotateKey(client, root_keys, order)
        return {
          rows: [rotation],
          note: 'Send the new public key to everyone who pins this log. It signs from the next record on.',
        }
      } finally {
        client.release()
      }
    },
  },
}

export const exporting: Noun = {
  '': {
    usage: 'export <tenant>',
    summary: 'the audit log as JSON lines, for svc-engine verify',
    takes: [],
    async run({ store, terminal, names }) {
      const tenant_id = names[0]!
      const { seq } = await headOf(store.engine, tenant_id)
      if (seq === 0) {
        throw new ConfigError(
          `The audit log of ${tenant_id} has no records yet; check the tenant id, or make a call first.`,
        )
      }
      let lines = 0
      for await (const line of exportChain(store.engine, tenant_id)) {
        await terminal.write(`${line}\n`)
        if (++lines % progress_lines === 0) terminal.progress?.(`Exported about ${lines} of ${seq} records`)
      }
      return { rows: [] }
    },
  },
}
