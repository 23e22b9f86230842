// POST /v1/gateway/refusals: a gateway's own refusals, for the log of the tenant concerned. From trusted gateways only.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuditEntry } from '@svc/contract/audit/audit-record'
import { parseDid } from '@svc/contract/identity/did'
import { claimedSignerOf, readAuthorization } from '@svc/contract/identity/did-auth'
import { type RefusalCode, refusals, refuse, unavailable } from '@svc/contract/refusal'
import { Closed, Did, ListOf, Timestamp, Uuid } from '@svc/contract/schema'
import { asRefusal } from '@svc/database/as-refusal'
import { other_sources } from '@svc/engine/limits/refusal-sums'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Place } from '../dispatch/admission-control.ts'
import { refuseAtEndpoint } from '../dispatch/dispatch-endpoint.ts'
import { readBody } from '../dispatch/read-body.ts'
import { readJson } from '../dispatch/read-json.ts'
import type { DispatchEndpoint } from '../dispatch/refusal-recorder.ts'
import { untrusted } from '../dispatch/signed-context.ts'

export const report_path = '/v1/gateway/refusals'
export const report_entries_max = 100
/** A gateway repeats an unanswered report; within this time none is recorded twice. */
const remembered_ms = 3_600_000

const Short = (maxLength: number) => Type.Optional(Type.String({ maxLength }))

const Reported = Closed({
  id: Uuid,
  correlation_id: Uuid,
  timestamp: Timestamp,
  tenant_id: Type.String({ maxLength: 64 }),
  caller_did: Type.Union([Did, Type.Literal('unauthenticated'), Type.Literal(other_sources)]),
  code: Type.Union(Object.keys(refusals).map((code) => Type.Literal(code as RefusalCode))),
  reason: Type.String({ maxLength: 200 }),
  credential: Short(200),
  source: Short(64),
  requested_capability: Short(200),
  supplied: Type.Optional(Closed({ claimed_did: Type.Optional(Did), method: Short(32), path: Short(200) })),
  count: Type.Optional(Type.Integer({ minimum: 1 })),
  until: Type.Optional(Timestamp),
})
type Reported = Static<typeof Reported>

const report_form = Compile(Closed({ refusals: ListOf(Reported, 1, report_entries_max) }))

export function addReportRoute(app: FastifyInstance, dispatch_endpoint: DispatchEndpoint): void {
  if (!dispatch_endpoint.gateways?.dids.size) return
  app.post(report_path, {
    // Taken over before Fastify reads the body: the raw bytes are signed.
    onRequest: (request, reply) => {
      reply.hijack()
      void takeReport(dispatch_endpoint, request.raw, reply.raw)
    },
    handler: () => undefined,
  })
}

async function takeReport(
  dispatch_endpoint: DispatchEndpoint,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  let place: Place | undefined
  try {
    const { gateways } = dispatch_endpoint
    const { authorization, 'content-length': length } = req.headers
    // An unknown sender's signature is not even verified.
    if (!gateways?.dids.has(claimedSignerOf(authorization) ?? ''))
      throw untrusted('untrusted gateway', 'Refusals are reported by gateways only.')
    place = dispatch_endpoint.admission?.enter()
    const body = await readBody(req, length, place)
    const signing = { audience: dispatch_endpoint.own.did, body, now_ms: dispatch_endpoint.clock.now_ms() }
    const signed = readAuthorization(authorization, signing)
    if (typeof signed === 'string') throw untrusted(signed, 'The report is not signed for this engine.')
    const report = readJson(body)
    if (!report_form.Check(report)) throw malformed()
    const entries: AuditEntry[] = []
    for (const one of report.refusals) entries.push(await entryOf(dispatch_endpoint, signed.did, one))
    await gateways
      .keepReport(signed.id, dispatch_endpoint.clock.now_ms() + remembered_ms, entries)
      .catch((error) => {
        throw unavailable('database', error)
      })
    res.writeHead(204).end()
  } catch (thrown) {
    await refuseAtEndpoint(dispatch_endpoint, res, asRefusal(thrown))
  } finally {
    place?.leave()
  }
}

/** A gateway is trusted about the tenant as about a vouched caller; a tenant that does not exist has no log. */
async function entryOf(
  dispatch_endpoint: DispatchEndpoint,
  gateway: string,
  reported: Reported,
): Promise<AuditEntry> {
  const { id, correlation_id, timestamp, tenant_id, caller_did, code, ...rest } = reported
  const { event, outcome } = refusals[code]
  const may_be_theirs = caller_did === other_sources || parseDid(caller_did)?.namespace === tenant_id
  const is_theirs = may_be_theirs && (await dispatch_endpoint.gateways!.isTenant(tenant_id))
  return {
    id,
    event_type: event,
    correlation_id,
    timestamp,
    tenant_id: is_theirs ? tenant_id : dispatch_endpoint.own.tenant_id,
    caller_did: is_theirs ? caller_did : 'unauthenticated',
    outcome,
    latency_ms: 0,
    meta: { ...rest, code, gateway, origin: 'http' },
  }
}

function malformed() {
  return refuse('invalid_request', 'The report does not hold what a gateway reports.', { reason: 'envelope' })
}
