// Every environment variable that svc reads. The SDKs read the first five. docs/settings.md lists them, too.

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['SVC_API_URL', 'the engine or its gateway'],
  ['SVC_API_KEY', 'an API key or an access token'],
  ['SVC_AGENT_DID', 'the identity the key belongs to'],
  ['SVC_TENANT_ID', 'target tenant (default: your own)'],
  ['SVC_PROFILE', 'the profile where --profile is not given'],
  ['SVC_AUTH_URL', 'where svc login signs in (default: what the engine says)'],
  ['SVC_TLS_CA', 'file of certificate authorities to trust besides the usual ones'],
  ['SVC_MCP_TOKEN', 'bearer token that svc mcp serve asks of its http and sse clients'],
  ['SVC_DEBUG', '1 shows where in this program a fault arose'],
  ['TRACEPARENT', 'sent with each call, as W3C Trace Context says'],
  ['NO_COLOR', 'no colour; there is none in a pipe either'],
]
