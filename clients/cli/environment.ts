// Every environment variable that svc reads. The SDKs read the first seven. docs/settings.md lists them, too.

export const environment: readonly (readonly [name: string, meaning: string])[] = [
  ['SVC_API_URL', 'the engine or its gateway'],
  ['SVC_API_KEY', 'an API key or an access token'],
  ['SVC_PRIVATE_KEY', 'instead of an API key: the own Ed25519 key of the agent, 32 bytes in base64url'],
  [
    'SVC_WORKLOAD_TOKEN_FILE',
    'instead of an API key: file of a token that the platform of this workload writes',
  ],
  ['SVC_AGENT_DID', 'the identity the key belongs to'],
  ['SVC_TENANT_ID', 'target tenant (default: your own)'],
  ['SVC_PROFILE', 'the profile if --profile is not given'],
  ['SVC_AUTH_URL', 'where svc login signs in (default: as announced by the engine)'],
  ['SVC_TLS_CA', 'file of certificate authorities to trust besides the usual ones'],
  ['SVC_MCP_TOKEN', 'bearer token that svc mcp serve requires from its http and sse clients'],
  ['SVC_DEBUG', '1 prints a stack trace for faults of this program'],
  ['TRACEPARENT', 'W3C trace context sent with each call'],
  ['NO_COLOR', 'disables colour, as in a pipe'],
]
