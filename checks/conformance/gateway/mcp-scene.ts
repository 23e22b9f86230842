// An engine with its MCP surface open, and the official client for it.
import assert from 'node:assert/strict'
import type {
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { type InProcessOptions, type InProcessService, startInProcess } from '../../engines/in-process.ts'
import type { Addresses } from '../../engines/running-engine.ts'
import { formBrowser } from '../../neighbours/form-browser.ts'
import { allowed, password } from '../../scenes/login-journey.ts'

const modern = '2026-07-28'
export const callback = 'http://127.0.0.1:8600/callback'

export interface McpScene extends InProcessService {
  readonly mcp_url: string
  readonly sse_url: string
}

export async function startWithMcp(options: InProcessOptions = {}): Promise<McpScene> {
  const engine = await startInProcess({ ...options, config: { mcp_port: 0, ...options.config } })
  const { mcp_url } = engine.service
  assert.ok(mcp_url, 'the engine has no MCP surface')
  return { ...engine, mcp_url, sse_url: new URL('/sse', mcp_url).href }
}

export interface Connecting {
  readonly headers?: Record<string, string>
  readonly provider?: OAuthClientProvider
  /** The era without a handshake; the older one by default. */
  readonly era?: 'modern' | 'legacy'
}

type Transport = StreamableHTTPClientTransport | SSEClientTransport

export function transportTo(url: string, { headers = {}, provider }: Connecting): Transport {
  const options = { requestInit: { headers }, ...(provider ? { authProvider: provider } : {}) }
  const address = new URL(url)
  return address.pathname.endsWith('/sse')
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, options)
}

export async function connect(url: string, connecting: Connecting = {}): Promise<Client> {
  const client = newClient(connecting.era)
  await client.connect(transportTo(url, connecting))
  return client
}

export function newClient(era: Connecting['era'] = 'legacy'): Client {
  const mode = era === 'modern' ? { pin: modern } : 'legacy'
  return new Client({ name: 'check', version: '1.0.0' }, { versionNegotiation: { mode } })
}

export function keyOf({ api_key }: Addresses): Record<string, string> {
  return { authorization: `Bearer ${api_key}` }
}

/** An operation's tool name. */
export function toolOf(protocol: string, operation: string): string {
  return `svc.${protocol.toLowerCase()}.${operation}`
}

export interface Remembered extends OAuthClientProvider {
  /** Where the person is redirected. */
  url: URL | undefined
  readonly kept: {
    client?: StoredOAuthClientInformation
    tokens?: StoredOAuthTokens
    verifier?: string
    discovery?: OAuthDiscoveryState
  }
}

/** An MCP client's stored sign-in. */
export function rememberingProvider(): Remembered {
  const stored: Remembered['kept'] = {}
  const provider: Remembered = {
    kept: stored,
    url: undefined,
    redirectUrl: callback,
    clientMetadata: { client_name: 'An MCP client', redirect_uris: [callback] },
    clientInformation: () => stored.client,
    saveClientInformation(client) {
      stored.client = client
    },
    tokens: () => stored.tokens,
    saveTokens(tokens) {
      stored.tokens = tokens
    },
    redirectToAuthorization(url) {
      provider.url = url
    },
    saveCodeVerifier(verifier) {
      stored.verifier = verifier
    },
    saveDiscoveryState(state) {
      stored.discovery = state
    },
    discoveryState: () => stored.discovery,
    codeVerifier: () => stored.verifier ?? assert.fail('no verifier was kept'),
  }
  return provider
}

/** The person signs in and consents; returns what the browser brought to the client. */
export async function sayYes(engine: InProcessService, url: URL, login: string): Promise<URLSearchParams> {
  const browser = formBrowser(engine.api_url)
  let page = await browser.get(url.href)
  if (page.text.includes('name="password"'))
    page = await browser.submit(page, { login, password, answer: 'sign-in' })
  return allowed(await browser.submit(page, { answer: 'allow' })).searchParams
}

/** One raw message, as a client of the older era would send it. */
export function post(url: string, headers: Record<string, string>, message: unknown): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  })
}

export const list_message = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
