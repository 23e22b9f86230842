// One's own API keys: made and revoked by people, so with an access token and never with a key.
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
  const message = `${person.api_url} answered with something that is no API key; check --api-url.`
  throw new SvcError({ code: 'bad_answer', message })
}

/** False where it was no longer there: revoked before, or of somebody else. */
export async function revokeKey(person: AsPerson, key_id: string): Promise<boolean> {
  const reply = await ask(person, 'DELETE', `/v1/keys/${encodeURIComponent(key_id)}`)
  if (reply.status === 204) return true
  const refusal = refusedBy(reply, person.api_url)
  if (refusal.code === 'not_found') return false
  throw refusal
}

/** The part of a key that is no secret: `svc_live_<id>_<secret>`. */
export function keyIdOf(api_key: string | undefined): string | undefined {
  return /^svc_(?:live|test)_([a-z0-9]{8})_/.exec(api_key ?? '')?.[1]
}

/** For people: which credential it is, and nothing that would open a door. */
export function describeKey(api_key: string | undefined): string {
  const key_id = keyIdOf(api_key)
  return key_id === undefined ? 'an access token' : `key ${key_id}`
}

/** Whose key it is the token says, so no DID goes with it. */
function ask(person: AsPerson, method: string, path: string, body?: unknown): Promise<Reply> {
  const { api_url, access_token, fetch, signal } = person
  const headers = { authorization: `Bearer ${access_token}` }
  return askJson(`${api_url}${path}`, { fetch, method, headers, body, ...(signal ? { signal } : {}) })
}
