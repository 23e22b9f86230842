import { queryOf } from '@svc/audit/query/query'
import { publicKeys } from '@svc/audit/query/records'
import { verifierKeyOfLog } from '@svc/audit/tree/checkpoint'
import { publishLog, unpublishLog } from '@svc/audit/tree/public-logs'
import { ConfigError } from '../settings/config-error.ts'
import { type Noun, requireTenant, type Work } from './command.ts'
import { recordChange } from './record.ts'

/** Who may read the checkpoint and the tiles of a log. */
export const publishing: Noun = {
  publish: {
    usage: 'log publish --tenant T',
    summary: 'lets anybody read the checkpoint and tiles of this log: sizes and hashes, never a record',
    takes: ['tenant'],
    async run(work) {
      const tenant_id = await oneTenant(work)
      await change(work, tenant_id, true)
      const [key] = await publicKeys(work.store.engine, tenant_id)
      const verifier_key = key ? verifierKeyOfLog(tenant_id, Buffer.from(key.public_key, 'base64url')) : null
      return {
        rows: [{ tenant_id, public: true, path: `/v1/log/${tenant_id}`, verifier_key }],
        note: key
          ? 'Readers need the verifier key from you, not from the log. They can read within 2 seconds.'
          : 'Its key is made with its first record, which is this change; repeat the command in a few seconds to see it.',
      }
    },
  },
  unpublish: {
    usage: 'log unpublish --tenant T',
    summary: 'only holders of a key of this tenant can read its checkpoint and tiles',
    takes: ['tenant'],
    async run(work) {
      const tenant_id = await oneTenant(work)
      await change(work, tenant_id, false)
      return {
        rows: [{ tenant_id, public: false }],
        note: 'Engines stop serving it within 2 seconds. Copies that others have made remain.',
      }
    },
  },
}

async function oneTenant({ store, values }: Work): Promise<string> {
  const [tenant_id, ...more] = values.tenant ?? []
  if (tenant_id === undefined || more.length > 0) throw new ConfigError('Name one tenant: --tenant T')
  await requireTenant(store.engine, tenant_id)
  return tenant_id
}

/** Repeated, it changes and records nothing. */
async function change({ store, operator }: Work, tenant_id: string, is_public: boolean): Promise<void> {
  await store.engine.transaction(async (trx) => {
    const apply = is_public ? publishLog : unpublishLog
    if (!(await apply(queryOf(trx), tenant_id))) return
    const command = is_public ? 'log publish' : 'log unpublish'
    const event_type = is_public ? 'AuditLogPublished' : 'AuditLogUnpublished'
    await recordChange(trx, operator, { tenant_id, command, event_type, meta: {} })
  })
}
