// Sign-in settings: public addresses, proxies in front, and an external issuer.
import type { LoginSettings } from '@svc/gateway/oauth/login-context'
import { ConfigError } from './config-error.ts'
import type { Reader } from './reader.ts'

export function readLoginSettings(read: Reader): LoginSettings {
  return {
    public_url: read('SVC_PUBLIC_URL'),
    proxy_hops: read('SVC_PROXY_HOPS'),
    upstream: readUpstream(read),
  }
}

function readUpstream(read: Reader): LoginSettings['upstream'] {
  const [issuer, client_id] = [read('SVC_OIDC_ISSUER'), read('SVC_OIDC_CLIENT_ID')]
  if (issuer === undefined && client_id === undefined) return undefined
  if (issuer === undefined || client_id === undefined)
    throw new ConfigError('SVC_OIDC_ISSUER and SVC_OIDC_CLIENT_ID belong together; set both, or neither.')
  return {
    issuer,
    client_id,
    client_secret: read('SVC_OIDC_CLIENT_SECRET'),
    tenant_id: read('SVC_OIDC_TENANT'),
  }
}

export interface McpSettings {
  /** Undefined if there is no MCP surface. */
  readonly mcp_port?: number | undefined
  /** The endpoint's address behind a proxy: the audience of its tokens. */
  readonly mcp_public_url?: string | undefined
}

export function readMcpSettings(read: Reader, otherwise?: number): McpSettings {
  const port = read.given('SVC_MCP_PORT') ?? otherwise ?? read('SVC_MCP_PORT')
  const text = read('SVC_MCP_URL')
  const mcp_public_url = text && new URL(text).href
  if (mcp_public_url && mcp_public_url === URL.parse(read('SVC_PUBLIC_URL') ?? '')?.href)
    throw new ConfigError('SVC_MCP_URL and SVC_PUBLIC_URL are the same; a token must be for one of the two.')
  return { mcp_port: port === 'off' ? undefined : port, mcp_public_url }
}
