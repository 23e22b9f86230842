// Discovery metadata for clients, and the style of the pages. Public, and the same for everybody.
import type { FastifyInstance } from 'fastify'
import type { LoginContext } from './login-context.ts'
import { pages_style } from './pages.ts'
import { scopesOf } from './scopes.ts'
import { type Site, type Surface, sseUrlOf } from './site.ts'

const protected_resource = '/.well-known/oauth-protected-resource'
export const metadata_headers = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=300',
} as const

export function addMetadataRoutes(app: FastifyInstance, { site }: LoginContext): void {
  app.get(protected_resource, async (_request, reply) => {
    reply.headers(metadata_headers)
    return describeResource(site, site.public_url, 'engine')
  })
  app.get('/oauth/pages.css', async (_request, reply) => {
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600')
    return reply.send(pages_style)
  })
}

function describeResource(site: Site, resource: string, surface: Surface) {
  return {
    resource,
    authorization_servers: [site.issuer],
    scopes_supported: scopesOf(surface),
    bearer_methods_supported: ['header'],
    resource_name: surface === 'mcp' ? 'svc engine (MCP)' : 'svc engine',
    resource_documentation: `${site.public_url}/docs`,
  }
}

/** RFC 9728 puts a resource's path after the well-known one. */
export function metadataUrlOf(resource: string): string {
  const { origin, pathname } = new URL(resource)
  return `${origin}${protected_resource}${pathname}`
}

/** What is published at this path of the MCP listener: each transport's address, and the root. */
export function mcpResourceAt(site: Site, path: string) {
  if (site.mcp_url === undefined || !path.startsWith(protected_resource)) return undefined
  const [streaming, sse] = [site.mcp_url, sseUrlOf(site.mcp_url)]
  const resource_path = path.slice(protected_resource.length)
  const paths: Readonly<Record<string, string>> = {
    '': streaming,
    '/mcp': streaming,
    [new URL(streaming).pathname]: streaming,
    '/sse': sse,
    [new URL(sse).pathname]: sse,
  }
  const resource = Object.hasOwn(paths, resource_path) ? paths[resource_path] : undefined
  return resource === undefined ? undefined : describeResource(site, resource, 'mcp')
}
