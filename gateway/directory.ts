// The public pages: what the service can do, for people, tools and models. No key needed, nothing here is a tenant's.

import { describeProtocol, listProtocols, search } from '@svc/catalogue/derive/directory'
import { deriveSchemas } from '@svc/catalogue/derive/json-schemas'
import { deriveLlms } from '@svc/catalogue/derive/llms'
import { deriveOpenApi } from '@svc/catalogue/derive/openapi'
import type { Declaration } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { Registered, Registry } from '@svc/engine/routing'
import { chooseVersion } from '@svc/engine/stages/1-resolve-version'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { docs_page, docs_script, docs_style } from './docs-page.ts'

const search_results_max = 50
const query_length_max = 200

/** What is registered can change while the service runs; what is derived from it is made again only then. */
export function addDirectoryRoutes(app: FastifyInstance, registry: Registry): void {
  const published = publishedOf(registry)

  app.get('/v1/protocols', async () => listProtocols(published().protocols))
  app.get<{ Params: { id: string } }>('/v1/protocols/:id', async ({ params }) => {
    const protocol = published().by_id.get(params.id.toUpperCase())
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
    return { query: query.q, results: search(published().protocols, query.q, limit) }
  })
  app.get<{ Params: { '*': string } }>('/schemas/*', async ({ params }, reply) => {
    const schema = published().schemas.get(`schemas/${params['*']}`)
    if (!schema)
      throw refuse(
        'not_found',
        `There is no schema ${params['*']}; GET /v1/protocols/{id} names each operation's.`,
      )
    return cached(reply, 'application/schema+json').send(JSON.stringify(schema))
  })
  app.get('/openapi.json', async (_request, reply) =>
    cached(reply, 'application/json').send(published().openapi),
  )
  app.get('/llms.txt', async (_request, reply) =>
    cached(reply, 'text/plain').send(deriveLlms(published().protocols)),
  )
  addDocs(app)
}

interface Published {
  readonly revision: number
  readonly protocols: readonly Declaration[]
  readonly by_id: ReadonlyMap<string, Declaration>
  readonly schemas: ReturnType<typeof deriveSchemas>
  readonly openapi: string
}

function publishedOf(registry: Registry): () => Published {
  let known: Published | undefined
  return () => {
    const revision = registry.revision()
    if (known?.revision === revision) return known
    const protocols = registry.ids().map((id) => shownVersion(registry.versions(id)!))
    const by_id = new Map(protocols.map((protocol) => [protocol.id.toUpperCase(), protocol]))
    const openapi = JSON.stringify(deriveOpenApi(protocols))
    known = { revision, protocols, by_id, schemas: deriveSchemas(protocols), openapi }
    return known
  }
}

/** The one a caller gets who asks for no version; where none is stable, the highest there is. */
function shownVersion(versions: readonly Registered[]): Declaration {
  const choose = (may_pre_release: boolean) =>
    chooseVersion(versions, 'latest', { may_pre_release, canary: [], tenant_id: '' })
  return (choose(false) ?? choose(true))!.facts
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
