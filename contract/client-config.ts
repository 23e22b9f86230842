// ~/.svc/config.json, or ~/.svc/profiles/<profile>.json. Flags come before environment, environment before this file.
import { type Static, Type } from 'typebox'
import { Closed, Did, TenantId } from './schema.ts'

const Address = Type.String({ pattern: '^https?://[^\\s@]+$', maxLength: 512 })
const Secret = Type.String({ minLength: 1, maxLength: 4096 })

/** Every field is optional: a headless client has a key and no tokens; before login there is neither. */
export const ClientConfig = Closed(
  {
    auth_url: Type.Optional(Address),
    api_url: Type.Optional(Address),
    agent_did: Type.Optional(Did),
    access_token: Type.Optional(Secret),
    refresh_token: Type.Optional(Secret),
    api_key: Type.Optional(Secret),
    tenant_id: Type.Optional(TenantId),
  },
  { description: 'What a client remembers between calls.' },
)
export type ClientConfig = Static<typeof ClientConfig>
