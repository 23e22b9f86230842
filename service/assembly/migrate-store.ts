// The store's tables brought up to this version, or one sentence that says why not.
import { migrate, OtherVersion } from '@svc/adapters/store/migrate'
import { tlsFault } from '@svc/adapters/store/tls-fault'
import { UnfitServer } from '@svc/database/server-check'
import { ConfigError } from '../settings/config-error.ts'
import { migrations } from './migrations.ts'

export async function migrateStore(url: string): Promise<void> {
  if (!URL.canParse(url))
    throw new ConfigError(
      'SVC_DB_URL is not an address such as postgresql://user:password@host:5432/name; ' +
        'of several servers, name the proxy before them that leads to the primary (docs/replicas.md).',
    )
  await migrate(url, migrations).catch((error: unknown) => {
    const is_refused = error instanceof OtherVersion || error instanceof UnfitServer
    const sentence = is_refused ? error.message : tlsFault(error)
    throw sentence === undefined ? error : new ConfigError(sentence)
  })
}
