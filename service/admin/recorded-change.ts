// A change of the operator's own, recorded in the operator's audit log.
import { operatorTenant } from '@svc/adapters/access/operator-tenant'
import { RenewalRefused } from '@svc/adapters/root-keys/renewal'
import { MasterKeyFault } from '@svc/adapters/root-keys/root-key-store'
import type { Database } from '@svc/contract/database'
import { ConfigError } from '../settings/config-error.ts'
import type { Work } from './command.ts'
import { recordChange } from './record.ts'

/** What was done, and its record in the operator's audit log, in one transaction. */
export async function recorded<Done extends Record<string, unknown>>(
  { store, operator }: Work,
  command: string,
  change: (db: Database) => Promise<Done>,
): Promise<Done> {
  try {
    return await store.engine.transaction(async (trx) => {
      const tenant_id = await operatorTenant(trx)
      if (tenant_id === undefined)
        throw new ConfigError('No engine has run on this database yet; start it once.')
      const done = await change(trx)
      await recordChange(trx, operator, { tenant_id, command, meta: { ...done } })
      return done
    })
  } catch (error) {
    const is_sentence = error instanceof RenewalRefused || error instanceof MasterKeyFault
    throw is_sentence ? new ConfigError(error.message) : error
  }
}
