// Which cell a request is for: the one that knows its credential, and in which the tenant of that credential lives.
import { parseApiKey } from '@svc/contract/identity/api-key'
import { parseDid } from '@svc/contract/identity/did'
import { moved_reason } from '@svc/contract/tenant-home'
import type { Homes } from '@svc/engine/homes'
import { bearerToken } from '../dispatch/authenticate.ts'
import type { DispatchHeaders } from '../dispatch/headers.ts'
import type { Relay } from './relay.ts'

export interface CellRequest {
  readonly headers: DispatchHeaders
  readonly path: string
}

export interface RelayCell {
  readonly relay: Relay
  readonly homes: Pick<Homes, 'refusal'> & { exists(tenant_id: string): Promise<boolean> }
}

const log_tenant = /^\/v1\/log\/([a-z0-9-]{1,63})\//

/** The first cell where none knows it: it refuses the credential, and serves pages. */
export async function chooseCell(cells: readonly RelayCell[], request: CellRequest): Promise<Relay> {
  const tenants = await Promise.all(cells.map((cell) => tenantIn(cell, request)))
  for (const [i, tenant_id] of tenants.entries()) {
    if (tenant_id === undefined) continue
    const refusal = await cells[i]!.homes.refusal(tenant_id)
    if (refusal?.details.reason !== moved_reason) return cells[i]!.relay
  }
  // All that know it have moved it: the one it came to may not have been asked in time.
  const index = tenants.findIndex((tenant_id) => tenant_id !== undefined)
  return cells[Math.max(0, index)]!.relay
}

/** The tenant of the request, if this cell knows it. */
async function tenantIn(
  { relay, homes }: RelayCell,
  { headers, path }: CellRequest,
): Promise<string | undefined> {
  const { authorization, cookie, dpop, 'x-agent-did': did } = headers
  const token = authorization === undefined ? undefined : bearerToken(authorization)
  const key = token === undefined ? undefined : parseApiKey(token)
  if (key) return (await relay.keys.find(key.key_id))?.tenant_id
  const signed_in = await signedIn(relay, token, cookie)
  if (signed_in !== undefined) return signed_in
  const named =
    log_tenant.exec(path)?.[1] ?? (dpop === undefined ? undefined : parseDid(did ?? '')?.namespace)
  return named !== undefined && (await homes.exists(named)) ? named : undefined
}

/** An invalid token or cookie is one that this cell does not know. */
async function signedIn(
  { logins }: Relay,
  token: string | undefined,
  cookie: string | undefined,
): Promise<string | undefined> {
  try {
    if (token !== undefined) return (await logins?.fromToken(token))?.credential.tenant_id
    return (await logins?.fromCookie(cookie))?.credential.tenant_id
  } catch {
    return undefined
  }
}
