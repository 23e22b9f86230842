// The signed-in person: identity by cookie, permissions, and a client that calls on their behalf.
import { type Client, createClient, type Whoami } from '@svc/sdk'
import { base_url, own_path } from './base.ts'

export interface Session {
  readonly user: { readonly login: string; readonly name: string | null }
  readonly tenant_id: string
  readonly did: string
  readonly expires_at: string
  readonly csrf_token: string
  /** Whether its organization runs this engine. */
  readonly runs_engine: boolean
  readonly client: Client
  readonly whoami: Whoami
  /** Fetches as this person and notifies the page when the session has ended. */
  readonly fetch: typeof fetch
}

/** Called when an answer says that the session has ended. */
type OnEnd = () => void

/** Undefined if nobody is signed in. */
export async function loadSession(onEnd: OnEnd): Promise<Session | undefined> {
  const answer = await fetch(`${base_url}/v1/session`, { headers: { accept: 'application/json' } })
  if (answer.status === 204 || answer.status === 401) return undefined
  if (!answer.ok) throw new Error(`The engine does not answer (${answer.status}); try again shortly.`)
  const fields: Omit<Session, 'client' | 'whoami' | 'fetch'> = await answer.json()
  const ownFetch = sessionFetch(fields.csrf_token, onEnd)
  const client = createClient({
    apiUrl: base_url,
    // The cookie identifies the caller; the SDK requires a key here, which is never sent.
    apiKey: 'session',
    agentDid: fields.did,
    tenantId: fields.tenant_id,
    fetch: ownFetch,
  })
  return { ...fields, client, fetch: ownFetch, whoami: await client.whoami() }
}

/** Sends the cookie and the CSRF token, never a key. */
function sessionFetch(csrf_token: string, onEnd: OnEnd): typeof fetch {
  return async (address, options) => {
    const headers = new Headers(options?.headers)
    headers.delete('authorization')
    headers.delete('x-agent-did')
    headers.set('x-svc-csrf', csrf_token)
    const answer = await fetch(address, { ...options, headers })
    if (answer.status === 401) onEnd()
    return answer
  }
}

/** Calls a route other than dispatch, such as the list of organizations; a refusal is thrown with its message. */
export async function askRoute<Answer>(
  session: Pick<Session, 'fetch'>,
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  body?: unknown,
): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const answer = await session.fetch(base_url + path, { method, headers, body: sent ?? null })
  const reply = answer.status === 204 ? undefined : await answer.json().catch(() => undefined)
  if (answer.ok) return reply as Answer
  throw new Error(reply?.error?.message ?? `${method} ${path} was answered with ${answer.status}.`)
}

const place_kept = 'svc-place'

/** Goes to the engine's sign-in page, which redirects back to the current place. */
export function signIn(): void {
  sessionStorage.setItem(place_kept, location.hash)
  location.assign(`${base_url}/oauth/sign-in?return_to=${encodeURIComponent(own_path)}`)
}

export function returnToPlace(): void {
  const item = sessionStorage.getItem(place_kept)
  sessionStorage.removeItem(place_kept)
  if (item && !location.hash) location.replace(item)
}

export async function endSession(session: Session): Promise<void> {
  await askRoute(session, 'DELETE', '/v1/session')
}

/** Afterwards the sign-in page is shown, and nothing of the address is left for the next person. */
export async function signOut(session: Session): Promise<void> {
  await endSession(session)
  location.assign(`${base_url}/oauth/sign-in?return_to=${encodeURIComponent(own_path)}`)
}

export type May = Whoami['operations'][number]

/** Whether this caller may call an operation; undefined if the engine does not serve it. */
export function permissionOf({ whoami }: Session, protocol: string, operation: string): May | undefined {
  return whoami.operations.find((each) => each.protocol === protocol && each.operation === operation)
}
