// Where the MCP surface listens, and what its clients call it.

const port_default = 8601

export interface McpSettings {
  /** Undefined where there is no MCP surface. */
  readonly mcp_port?: number | undefined
  /** The endpoint as clients reach it, where a proxy stands before it: what their tokens must be meant for. */
  readonly mcp_public_url?: string | undefined
}

export function readMcpSettings(
  read: (name: string) => string | undefined,
  fail: (sentence: string) => Error,
  otherwise = port_default,
): McpSettings {
  return { mcp_port: portOf(read('SVC_MCP_PORT'), fail, otherwise), mcp_public_url: urlOf(read, fail) }
}

function portOf(
  text: string | undefined,
  fail: (sentence: string) => Error,
  otherwise: number,
): number | undefined {
  if (text === 'off') return undefined
  const port = text === undefined ? otherwise : Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw fail(`SVC_MCP_PORT is ${text}; it must be a port, or off for no MCP.`)
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost'])

/** Ending in /mcp, because the older transport stands beside it, and the well-known addresses follow from its path. */
function urlOf(
  read: (name: string) => string | undefined,
  fail: (sentence: string) => Error,
): string | undefined {
  const text = read('SVC_MCP_URL')
  if (text === undefined) return undefined
  const url = URL.parse(text)
  const is_safe = url?.protocol === 'https:' || (url?.protocol === 'http:' && loopback.has(url.hostname))
  const is_whole = is_safe && url.pathname.endsWith('/mcp') && !url.search && !url.hash && !url.username
  if (is_whole && url.href === URL.parse(read('SVC_PUBLIC_URL') ?? '')?.href)
    throw fail('SVC_MCP_URL and SVC_PUBLIC_URL are the same; a token must be for one of the two.')
  if (is_whole) return url.href
  throw fail(
    `SVC_MCP_URL is ${text}; it must be an https address that ends in /mcp (http on 127.0.0.1 only).`,
  )
}
