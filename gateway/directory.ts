// The public pages: what the service can do, for people, tools and models. No key needed, nothing here is a tenant's.

import { describeProtocol, listProtocols, search } from '@svc/catalogue/derive/directory'
import { deriveSchemas } from '@svc/catalogue/derive/json-schemas'
import { deriveLlms } from '@svc/catalogue/derive/llms'
import { deriveOpenApi } from '@svc/catalogue/derive/openapi'
import type { Protocol } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { docs_page, docs_script, docs_style } from './docs-page.ts'

const search_results_max = 50
const query_length_max = 200

export function addDirectoryRoutes(app: FastifyInstance, protocols: readonly Protocol[]): void {
  const by_id = new Map(protocols.map((protocol) => [protocol.id.toUpperCase(), protocol]))
  const schemas = deriveSchemas(protocols)
  const openapi = JSON.stringify(deriveOpenApi(protocols))

  app.get('/v1/protocols', async () => listProtocols(protocols))
  app.get<{ Params: { id: string } }>('/v1/protocols/:id', async ({ params }) => {
    const protocol = by_id.get(params.id.toUpperCase())
    if (!protocol)
      throw refuse('unknown_protocol', `There is no protocol ${params.id}; GET /v1/protocols lists them.`)
    return describeProtocol(protocol)
  })
  app.get<{ Querystring: { q?: string; limit?: string } }>('/v1/search', async ({ query }) => {
    if (typeof query.q !== 'string' || !query.q.trim() || query.q.length > query_length_max) {
      throw refuse(
        'invalid_request',
        `Search for something: /v1/search?q=memory (at most ${query_length_max} characters).`,
      )
    }
    const limit = Math.min(search_results_max, Math.max(1, Number(query.limit ?? 20) || 20))
    return { query: query.q, results: search(protocols, query.q, limit) }
  })
  app.get<{ Params: { '*': string } }>('/schemas/*', async ({ params }, reply) => {
    const schema = schemas.get(`schemas/${params['*']}`)
    if (!schema)
      throw refuse(
        'not_found',
        `There is no schema ${params['*']}; GET /v1/protocols/{id} names each operation's.`,
      )
    return cached(reply, 'application/schema+json').send(JSON.stringify(schema))
  })
  app.get('/openapi.json', async (_request, reply) => cached(reply, 'application/json').send(openapi))
  app.get('/llms.txt', async (_request, reply) => cached(reply, 'text/plain').send(deriveLlms(protocols)))
  addDocs(app)
}

function addDocs(app: FastifyInstance): void {
  const policy =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'"
  app.get('/docs', async (_request, reply) => {
    reply
      .header('content-security-policy', policy)
      .header('referrer-policy', 'no-referrer')
      .header('x-frame-options', 'DENY')
    return cached(reply, 'text/html').send(docs_page)
  })
  app.get('/docs/docs.js', async (_request, reply) => cached(reply, 'text/javascript').send(docs_script))
  app.get('/docs/docs.css', async (_request, reply) => cached(reply, 'text/css').send(docs_style))
  app.get('/', async (_request, reply) => reply.redirect('/docs'))
}

function cached(reply: FastifyReply, type: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=60')
}
