// The public address of this service: never taken from a Host header.

/** What a token can be for: the engine's own endpoint, or its MCP surface. Neither accepts the other's. */
export type Surface = 'engine' | 'mcp'

export interface Site {
  readonly public_url: string
  /** The MCP endpoint as clients reach it; undefined where none is open. */
  readonly mcp_url: string | undefined
  /** Of the authorization server. */
  readonly issuer: string
  /** False only on loopback http: there browsers refuse the `__Host-` prefix. */
  readonly secure: boolean
  cookieName(name: string): string
  /** The audience of this surface's tokens. */
  audienceOf(surface: Surface): string | undefined
  /** The surface a client's resource indicator names; undefined where it is none of ours. */
  surfaceOf(indicator: string): Surface | undefined
}

export interface SettledSite extends Site {
  /** Without a configured public address it is the listening one, known only once we listen. */
  settle(public_url: string, mcp_url?: string): void
}

const endpoint = '/mcp'

/** The older transport has its own address beside the endpoint, and is the same resource. */
export function sseUrlOf(mcp_url: string): string {
  return `${mcp_url.slice(0, -endpoint.length)}/sse`
}

export function openSite(): SettledSite {
  let public_url = ''
  let mcp_url: string | undefined
  const indicators = () =>
    new Map<string, Surface>([
      [canonical(public_url) ?? '', 'engine'],
      ...(mcp_url === undefined ? [] : [mcp_url, sseUrlOf(mcp_url)]).map(
        (url) => [canonical(url) ?? '', 'mcp'] as const,
      ),
    ])
  return {
    get public_url() {
      return public_url
    },
    get mcp_url() {
      return mcp_url
    },
    get issuer() {
      return `${public_url}/oauth`
    },
    get secure() {
      return public_url.startsWith('https:')
    },
    cookieName: (name) => (public_url.startsWith('https:') ? `__Host-${name}` : name),
    audienceOf: (surface) => (surface === 'mcp' ? mcp_url : public_url),
    surfaceOf: (indicator) => indicators().get(canonical(indicator) ?? 'nothing of ours'),
    settle(url, mcp) {
      public_url = url.replace(/\/$/, '')
      mcp_url = mcp
    },
  }
}

/** Clients differ in the case of the host and in a final slash; an address with query or fragment is no resource of ours. */
function canonical(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || url.search || url.hash || url.username || url.password) return undefined
  return url.origin + url.pathname.replace(/\/$/, '')
}
