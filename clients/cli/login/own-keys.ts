// The person's own API keys: created and revoked with an access token, never with a key.
import { SvcError } from '@svc/sdk/errors'
import { askJson, type Reply, refusedBy } from './ask-json.ts'

export interface AsPerson {
  readonly api_url: string
  readonly access_token: string
  readonly fetch: typeof globalThis.fetch
  readonly signal?: AbortSignal
}

export interface MintedKey {
  readonly key_id: string
  readonly api_key: string
  readonly did: string
  readonly tenant_id: string
}

export async function mintKey(person: AsPerson, label: string): Promise<MintedKey> {
  const reply = await ask(person, 'POST', '/v1/keys', { label })
  if (reply.status !== 201) throw refusedBy(reply, person.api_url)
  const { key_id, api_key, did, tenant_id } = (reply.body ?? {}) as Partial<MintedKey>
  if (key_id && api_key && did && tenant_id) return { key_id, api_key, did, tenant_id }
  const message = `${person.api_url} did not return an API key; check --api-url.`
  throw new SvcError({ code: 'bad_answer', message })
}

/** False if it does not exist: already revoked, or someone else's. */
export async function revokeKey(person: AsPerson, key_id: string): Promise<boolean> {
  const reply = await ask(person, 'DELETE', `/v1/keys/${encodeURIComponent(key_id)}`)
  if (reply.status === 204) return true
  const refusal = refusedBy(reply, person.api_url)
  if (refusal.code === 'not_found') return false
  throw refusal
}

/** The public part of a key: `svc_live_<id>_<secret>`. */
export function keyIdOf(api_key: string | undefined): string | undefined {
  return /^svc_(?:live|test)_([a-z0-9]{8})_/.exec(api_key ?? '')?.[1]
}

/** Describes a credential without its secret. */
export function describeKey(api_key: string | undefined): string {
  const key_id = keyIdOf(api_key)
  return key_id === undefined ? 'an access token' : `key ${key_id}`
}

/** The token identifies the person, so no DID is sent. */
function ask(person: AsPerson, method: string, path: string, body?: unknown): Promise<Reply> {
  const { api_url, access_token, fetch, signal } = person
  const headers = { authorization: `Bearer ${access_token}` }
  return askJson(`${api_url}${path}`, { fetch, method, headers, body, ...(signal ? { signal } : {}) })
}
