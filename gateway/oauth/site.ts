// Where this service stands, as browsers and clients see it: never taken from a Host header.

/** What a token can be meant for: the engine's own door, or its MCP surface. Neither takes the other's. */
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
  /** Whom tokens of this surface are for. */
  audienceOf(surface: Surface): string | undefined
  /** What the resource indicator of a client names; undefined where it is nothing of ours. */
  surfaceOf(indicator: string): Surface | undefined
}

export interface SettledSite extends Site {
  /** Where no public address was set it is the listening one, which is known only once we listen. */
  settle(public_url: string, mcp_url?: string): void
}

const endpoint = '/mcp'

/** The older transport has an address of its own beside the endpoint, and is the same resource. */
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

/** Clients differ in the case of the host and in a slash at the end; a query or a fragment is no resource of ours. */
function canonical(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || url.search || url.hash || url.username || url.password) return undefined
  return url.origin + url.pathname.replace(/\/$/, '')
}
