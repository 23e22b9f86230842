// The gateway on its own port in front of an engine with test ports: what a caller sees, without a database.

import type { AuditRecord } from '@svc/contract/audit/audit-record'
import { formatApiKey, hashSecret } from '@svc/contract/identity/api-key'
import type { Protocol } from '@svc/contract/protocol'
import { createEngine } from '@svc/engine/dispatch'
import type { KeyRecord, Ports } from '@svc/engine/ports'
import type { DispatchEndpoint } from '@svc/gateway/dispatch/refusal-recorder'
import { createGateway } from '@svc/gateway/server'
import type { FastifyInstance } from 'fastify'
import { credentialOf, type TestPorts, test_did, test_tenant, testPorts } from '../rehearsal/test-ports.ts'

const operator = { tenant_id: 'operator', did: `did:oas:operator:service:${'0'.repeat(64)}` }
const secret = 's'.repeat(43)
const api_key = formatApiKey('test', 'abcdefgh', secret)

export interface OpenEndpoint {
  readonly url: string
  readonly port: number
  readonly dispatch_endpoint: DispatchEndpoint
  readonly ports: TestPorts
  /** Posts a dispatch as the test caller; a string is sent unchanged. */
  post(body: unknown, headers?: Record<string, string>): Promise<Response>
  /** Records of the caller's tenant, and of the operator's for unknown callers. */
  records(): readonly AuditRecord[]
  operatorRecords(): readonly AuditRecord[]
  close(): Promise<void>
}

/** The dispatch endpoint alone, without a port. */
export function testEndpoint(
  protocols: readonly Protocol[],
  other: Partial<Ports> = {},
  capabilities: readonly string[] = ['svc.try.*'],
): Pick<OpenEndpoint, 'dispatch_endpoint' | 'ports'> {
  const ports = testPorts(protocols, other)
  const key: KeyRecord = {
    ...credentialOf(...capabilities),
    secret_hash: hashSecret(secret),
    expires_at_ms: null,
    revoked: false,
  }
  const find = (key_id: string) => (key_id === key.key_id ? key : undefined)
  const keys = { used: () => {}, find, known: find }
  const { audit_log, clock, log, sums } = ports
  const dispatch_endpoint: DispatchEndpoint = {
    engine: createEngine(ports),
    audit_log,
    sums,
    keys,
    clock,
    log,
    own: operator,
  }
  return { dispatch_endpoint, ports }
}

export async function openTestEndpoint(
  protocols: readonly Protocol[],
  other: Partial<Ports> = {},
  capabilities: readonly string[] = ['svc.try.*'],
  addRoutes: (app: FastifyInstance, dispatch_endpoint: DispatchEndpoint, ports: TestPorts) => void = () => {},
): Promise<OpenEndpoint> {
  const { dispatch_endpoint, ports } = testEndpoint(protocols, other, capabilities)
  const gateway = await createGateway(dispatch_endpoint, (app) => addRoutes(app, dispatch_endpoint, ports))
  const port = await gateway.listen('127.0.0.1', 0)
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    port,
    dispatch_endpoint,
    ports,
    post: (body, headers = {}) =>
      fetch(`${url}/v1/dispatch`, {
        method: 'POST',
        headers: { ...caller_headers, ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    records: () => ports.audit_log.records(test_tenant),
    operatorRecords: () => ports.audit_log.records(operator.tenant_id),
    close: () => gateway.close(),
  }
}

export const caller_headers: Readonly<Record<string, string>> = {
  authorization: `Bearer ${api_key}`,
  'x-agent-did': test_did,
  'content-type': 'application/json',
}
