// What clients look up before they sign somebody in, and the style of the pages. Public, and the same for everybody.
import type { FastifyInstance } from 'fastify'
import { pages_style } from './pages.ts'
import type { LoginRoom } from './room.ts'
import { scopes } from './scopes.ts'

export function addMetadataRoutes(app: FastifyInstance, { site }: LoginRoom): void {
  app.get('/.well-known/oauth-protected-resource', async (_request, reply) => {
    reply.header('access-control-allow-origin', '*').header('cache-control', 'public, max-age=300')
    return {
      resource: site.public_url,
      authorization_servers: [site.issuer],
      scopes_supported: Object.keys(scopes),
      bearer_methods_supported: ['header'],
      resource_name: 'svc engine',
      resource_documentation: `${site.public_url}/docs`,
    }
  })
  app.get('/oauth/pages.css', async (_request, reply) => {
    reply.type('text/css; charset=utf-8').header('cache-control', 'public, max-age=3600')
    return reply.send(pages_style)
  })
}
