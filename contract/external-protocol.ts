// How a service outside the engine takes a protocol's place: the engine calls its POST /invoke and watches its GET /health.
import { type Static, Type } from 'typebox'
import { Closed, Did, ListOf } from './schema.ts'

export const ExternalProtocolRegistration = Closed(
  {
    name: Type.String({ pattern: '^[A-Za-z][A-Za-z0-9]{0,62}$', description: 'Protocol id it answers for.' }),
    version: Type.String({ pattern: '^v\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}(-[0-9A-Za-z.-]{1,64})?$' }),
    endpoint: Type.String({ pattern: '^https?://[^\\s/?#@]+(/[^\\s@?#]*)?$', maxLength: 512 }),
    timeout: Type.String({ pattern: '^[1-9]\\d{0,5}(ms|s|m)$', description: 'A duration such as 30s.' }),
    operations: ListOf(
      Type.String({ pattern: '^[a-z][a-z0-9_]*(\\.[a-z][a-z0-9_]*)*$', maxLength: 128 }),
      1,
      256,
    ),
    auth: Closed({ kind: Type.Literal('did-auth'), did: Did }),
  },
  { description: 'A service outside the engine that answers for a protocol.' },
)
export type ExternalProtocolRegistration = Static<typeof ExternalProtocolRegistration>
