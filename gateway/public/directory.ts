// The public pages: what the service can do, for people, tools and models. No key needed, no tenant data.

import { listProtocols, search } from '@svc/catalogue/derive/directory'
import { deriveSchemas } from '@svc/catalogue/derive/json-schemas'
import { deriveLlms } from '@svc/catalogue/derive/llms'
import { deriveOpenApi } from '@svc/catalogue/derive/openapi'
import type { Declaration } from '@svc/contract/protocol'
import { refuse } from '@svc/contract/refusal'
import type { Registry } from '@svc/engine/routing/routing'
import { shownVersions } from '@svc/engine/routing/shown-versions'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { addDocsRoutes } from '../docs/routes.ts'
import { describedVersions } from './described-versions.ts'

const search_results_max = 50
const query_length_max = 200

/** Registrations can change at run time; derived texts are made again only then. */
export function addDirectoryRoutes(app: FastifyInstance, registry: Registry, docs_folder?: URL): void {
  const published = publishedOf(registry)
  const described = describedVersions(registry)

  app.get('/v1/protocols', async () => listProtocols(published().protocols))
  app.get<{ Params: { id: string }; Querystring: Query }>('/v1/protocols/:id', async (request, reply) => {
    const { version, with: more } = request.query
    const { text, etag } = described.describe(request.params.id, oneWord(version), oneWord(more) === 'tools')
    reply.header('etag', etag)
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(text)
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
  app.get<{ Params: { '*': string }; Querystring: Query }>('/schemas/*', async ({ params, query }, reply) => {
    const version = oneWord(query.version)
    const schema =
      version === undefined
        ? published().schemas.get(`schemas/${params['*']}`)
        : described.schema(params['*'], version)
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
  addDocsRoutes(app, published, docs_folder)
}

interface Query {
  readonly version?: unknown
  readonly with?: unknown
}

/** A repeated or missing parameter is ignored. */
function oneWord(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

interface Published {
  readonly revision: number
  /** All versions of each protocol, the default one first. */
  readonly protocols: readonly Declaration[]
  readonly schemas: ReturnType<typeof deriveSchemas>
  readonly openapi: string
}

function publishedOf(registry: Registry): () => Published {
  let published: Published | undefined
  return () => {
    const revision = registry.revision()
    if (published?.revision === revision) return published
    const shown = registry.ids().map((id) => shownVersions(registry, id).map(({ facts }) => facts))
    const protocols = shown.flat()
    // Where several versions of one major have it, the last one written wins: the default.
    const schemas = deriveSchemas(shown.flatMap((versions) => versions.toReversed()))
    published = { revision, protocols, schemas, openapi: JSON.stringify(deriveOpenApi(protocols)) }
    return published
  }
}

function cached(reply: FastifyReply, type: string): FastifyReply {
  return reply.type(`${type}; charset=utf-8`).header('cache-control', 'public, max-age=60')
}
