// The root keys at a start, or one sentence that says which master key is needed.
import type { MasterKeySetting } from '@svc/adapters/root-keys/master-key'
import { MasterKeyFault, openRootKeys } from '@svc/adapters/root-keys/root-key-store'
import type { RootKeys } from '@svc/audit/sealing/root-keys'
import type { Database } from '@svc/contract/database'
import { ConfigError } from '../settings/config-error.ts'

export function openKeys(db: Database, master_key: MasterKeySetting): Promise<RootKeys> {
  return openRootKeys(db, master_key).catch(inOneSentence)
}

function inOneSentence(error: unknown): never {
  throw error instanceof MasterKeyFault ? new ConfigError(error.message) : error
}
