// Every change of the database, in order. The tables stand beside the code that owns them; this only lists them.
import { store_migrations } from '@svc/adapters/store/roles'
import type { Migration } from '@svc/contract/migration'

export const migrations: readonly Migration[] = [...store_migrations]
