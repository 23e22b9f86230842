// GET /v1/log/<tenant>/checkpoint and /v1/log/<tenant>/tile/…: a tenant's log as C2SP specifies tlog-tiles. For holders of a key of this
// tenant; for everybody where the log is public. Whoever may not read a log cannot tell whether it exists.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { boundAtOnce } from '../at-once.ts'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import { concerning } from '../dispatch/refused-holder.ts'
import { callerOf } from '../whoami.ts'
import { carriesCredential } from './credentials.ts'
import type { LogTiles } from './log-tiles.ts'

const at_once_max = 16
const busy = 'Too many requests for logs at once; ask again in a second.\n'
const tenant_form = /^[a-z0-9][a-z0-9-]{0,62}$/
const plain = 'text/plain; charset=utf-8'
const year_s = 365 * 24 * 3600

interface LogParams {
  readonly tenant: string
  readonly '*': string
}

interface Reading {
  readonly tenant_id: string
  readonly is_public: boolean
}

export function addLogRoutes(app: FastifyInstance, dispatch_endpoint: DispatchEndpoint): void {
  const { log_tiles } = dispatch_endpoint
  if (!log_tiles) return
  void app.register(async (scope) => {
    boundAtOnce(scope, at_once_max, busy)
    scope.get<{ Params: LogParams }>('/v1/log/:tenant/checkpoint', async (request, reply) => {
      const reading = await admitReader(dispatch_endpoint, log_tiles, request)
      const note = await log_tiles.checkpoint(reading.tenant_id)
      if (note === undefined) return missing(reply, 'This log has no records yet.\n')
      return describe(reply, reading)
        .header('content-type', plain)
        .header('cache-control', 'no-store')
        .send(note)
    })
    scope.get<{ Params: LogParams }>('/v1/log/:tenant/tile/*', async (request, reply) => {
      const reading = await admitReader(dispatch_endpoint, log_tiles, request)
      const tile = await log_tiles.tile(reading.tenant_id, request.params['*'])
      if (!tile) return missing(reply, 'This is no tile, or the log is not that large yet.\n')
      const scope_of_cache = reading.is_public ? 'public' : 'private'
      return describe(reply, reading)
        .header('content-type', 'application/octet-stream')
        .header('cache-control', `${scope_of_cache}, max-age=${year_s}, immutable`)
        .send(tile)
    })
  })
}

/** The credential is judged first, and unknown tenants take the same steps as private ones. */
async function admitReader(
  dispatch_endpoint: DispatchEndpoint,
  log_tiles: LogTiles,
  request: FastifyRequest<{ Params: LogParams }>,
): Promise<Reading> {
  const { tenant: tenant_id } = request.params
  const caller = carriesCredential(request.headers) ? await callerOf(dispatch_endpoint, request) : undefined
  const is_public = tenant_form.test(tenant_id) && (await log_tiles.isPublic(tenant_id))
  if (is_public || caller?.credential.tenant_id === tenant_id) return { tenant_id, is_public }
  throw caller ? concerning(caller.credential, noLog()) : noLog()
}

function noLog(): Refusal {
  return refuse(
    'not_found',
    'There is no such log, or you may not read it; send a key of its tenant, or ask that it be published.',
    { reason: 'no such log' },
  )
}

/** Tells a tenant whether its log is public. */
function describe(reply: FastifyReply, { is_public }: Reading): FastifyReply {
  if (!is_public) void reply.header('vary', 'authorization, cookie')
  return reply.header('x-svc-log', is_public ? 'public' : 'private')
}

function missing(reply: FastifyReply, sentence: string): FastifyReply {
  return reply.code(404).header('content-type', plain).header('cache-control', 'no-store').send(sentence)
}
