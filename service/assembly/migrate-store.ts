// The store's tables brought up to this version, or one sentence that says why not.
import { migrate, OtherVersion } from '@svc/adapters/store/migrate'
import { ConfigError } from '../settings/config-error.ts'
import { migrations } from './migrations.ts'

export async function migrateStore(url: string): Promise<void> {
  await migrate(url, migrations).catch((error: unknown) => {
    throw error instanceof OtherVersion ? new ConfigError(error.message) : error
  })
}
