// The OAuth server's storage adapter. The database decides races between requests.
import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import { InvalidGrant } from 'oidc-provider/lib/helpers/errors.js'
import type { Payloads } from './ports.ts'

export function oidcAdapter(payloads: Payloads): AdapterFactory {
  return (model): Adapter => ({
    upsert: (id, payload, expires_in_s) => payloads.upsert(model, id, { ...payload }, expires_in_s),
    find: (id) => payloads.find(model, id) as Promise<AdapterPayload | undefined>,
    findByUid: (uid) => payloads.findByUid(model, uid) as Promise<AdapterPayload | undefined>,
    // Only used by the device flow, which is off.
    findByUserCode: async () => undefined,
    destroy: (id) => payloads.destroy(model, id),
    revokeByGrantId: (grant_id) => payloads.revokeGrant(payloads.grantHash(grant_id)),
    async consume(id) {
      if (await payloads.consume(model, id)) return
      // Both read before either used it. One of them is a thief, and nobody can tell which.
      const { grantId } = (await payloads.find(model, id)) ?? {}
      if (typeof grantId === 'string') await payloads.revokeGrant(payloads.grantHash(grantId))
      throw new InvalidGrant('it was used before')
    },
  })
}
