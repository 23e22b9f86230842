// The master key: 32 bytes, or a key that Vault holds. With SVC_NEW_ before it, what it is changed to.
import type { MasterKeySetting } from '@svc/adapters/root-keys/master-key'
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'

export function readMasterKeySetting(read: Reader): MasterKeySetting {
  const setting = oneOfBoth(read, 'SVC_MASTER_KEY', 'SVC_VAULT_KEY')
  if (setting) return setting
  throw new ConfigError(
    'The master key is missing: set SVC_MASTER_KEY, or SVC_VAULT_KEY for one that Vault holds.',
  )
}

export function readNewMasterKey(read: Reader): MasterKeySetting {
  const setting = oneOfBoth(read, 'SVC_NEW_MASTER_KEY', 'SVC_NEW_VAULT_KEY')
  if (setting) return setting
  throw new ConfigError(
    'The new master key is missing: set SVC_NEW_MASTER_KEY, or SVC_NEW_VAULT_KEY for one that Vault holds.',
  )
}

function oneOfBoth(
  read: Reader,
  own: 'SVC_MASTER_KEY' | 'SVC_NEW_MASTER_KEY',
  in_vault: 'SVC_VAULT_KEY' | 'SVC_NEW_VAULT_KEY',
): MasterKeySetting | undefined {
  const bytes = read(own)
  const url = read(in_vault)
  const has_token = read('SVC_VAULT_TOKEN') !== undefined
  if (bytes && url) throw new ConfigError(`${own} and ${in_vault} are both set; set one of them.`)
  if (url === undefined) return bytes
  if (!has_token)
    throw new ConfigError(`${in_vault} needs SVC_VAULT_TOKEN, or SVC_VAULT_TOKEN_FILE; set one of them.`)
  return { url, token: () => read('SVC_VAULT_TOKEN') ?? '' }
}
