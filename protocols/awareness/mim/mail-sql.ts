// SQL shared by the mail functions.
import { tenant_setting } from '@svc/database/migration'
import { kept_days } from './mail-limits.ts'

export const path = 'SET search_path = pg_catalog, public, pg_temp'
export const me = `current_setting('${tenant_setting}', true)`
export const retention = `interval '${kept_days} days'`
