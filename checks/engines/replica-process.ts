// Run as its own process: one engine of several on one PostgreSQL and, if named, one Redis. See replicas.ts.
import { localAdminResolver } from '@svc/adapters/identity/local-admin'
import { assemble } from '@svc/service/assembly/assemble'
import { type Config, readSettings } from '@svc/service/settings/config'
import { signingKey } from '@svc/service/settings/identity-settings'
import { reader } from '@svc/service/settings/reader'
import { stopOnSignals } from '@svc/service/workers/signals'
import { effects } from '../scenes/effects-protocol.ts'
import type { ReplicaSettings } from './replicas.ts'

const settings = JSON.parse(process.argv[2]!) as ReplicaSettings
const { operator_did: did, operator_key, master_key, limits, ...rest } = settings
const config: Config = {
  ...readSettings(reader({}, 'up')),
  log_level: 'silent',
  host: '127.0.0.1',
  port: 0,
  metrics_port: 0,
  tenant_id: 'operator',
  agent_did: did,
  agent_key: signingKey('the key of the test', operator_key, did),
  ...rest,
  ...(limits && { limits }),
  master_key: Buffer.from(master_key, 'hex'),
}
const service = await assemble(config, {
  identity: localAdminResolver(),
  check_outputs: false,
  more_protocols: [effects],
})
stopOnSignals(() => service.stop())
console.log(JSON.stringify({ port: service.port, metrics_port: service.metrics_port }))
