// Calls through the gateway of an installation, as its callers make them.
import { once } from 'node:events'
import { request } from 'node:https'

export const emission = JSON.stringify({
  protocol: 'MOTET',
  version: 'v1',
  operation: 'emit',
  tenant_id: 'acme',
  input: { signals: [{ name: 'a', kind: 'gauge', value: 1 }] },
})

export interface Caller {
  readonly port: number
  readonly ca: string
  readonly api_key: string
  readonly did: string
}

export const headersOf = ({ api_key, did }: Caller) => ({
  authorization: `Bearer ${api_key}`,
  'x-agent-did': did,
  'content-type': 'application/json',
})

/** A call to a gateway on this machine. */
export async function callThrough(from: Caller, body: string) {
  const to = {
    host: '127.0.0.1',
    servername: 'localhost',
    port: from.port,
    path: '/v1/dispatch',
    ca: from.ca,
  }
  const headers = { ...headersOf(from), 'content-length': body.length }
  const asking = request({ ...to, method: 'POST', headers })
  asking.end(body)
  const [response] = await once(asking, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return { status: response.statusCode, body: JSON.parse(text) }
}
