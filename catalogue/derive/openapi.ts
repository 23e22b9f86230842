// OpenAPI 3.1: the dispatch endpoint, each operation as a path of its own, the public directory, and the two probes.
import { Answer, ErrorBody, HandleRequestInput } from '@svc/contract/dispatch'
import { Whoami } from '@svc/contract/identity/whoami'
import { LiveFigures } from '@svc/contract/live'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { refusals } from '@svc/contract/refusal'
import { shownProtocols } from './directory.ts'
import { schema_dialect } from './json-schemas.ts'
import { majorOf, typeName } from './names.ts'
import { operationPaths } from './openapi-operations.ts'
import { public_paths } from './openapi-paths.ts'
import { asSchemaNode, gatherParts, type SchemaNode } from './schema-node.ts'

// The wire's own version, as in the /v1 of its paths; a release of the service does not change it.
const wire_version = '1.0.0'

type Json = Record<string, unknown>

const schemas_place = '#/components/schemas/'
const ref = (name: string) => ({ $ref: schemas_place + name })

/** `servers` are its addresses; none means wherever this was read. */
export function deriveOpenApi(protocols: readonly Declaration[], servers: readonly string[] = []): Json {
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: schema_dialect,
    info: {
      title: 'svc',
      version: wire_version,
      description:
        "A gateway for calls between companies' AI agents: every call passes identity, limits, capability and audit.",
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    ...(servers.length === 0 ? {} : { servers: servers.map((url) => ({ url })) }),
    tags: [
      { name: 'dispatch', description: 'The single entry point of every operation.' },
      { name: 'directory', description: 'Public: what the service can do. No key is needed.' },
      {
        name: 'log',
        description: 'Audit logs as tiles, for other tools. Public where the tenant publishes its log.',
      },
      { name: 'operation', description: 'Probes for operators.' },
      ...shownProtocols(protocols).map(({ protocol: { id, summary } }) => ({
        name: id,
        description: summary,
      })),
    ],
    paths: {
      '/v1/dispatch': { post: dispatchOperation() },
      ...operationPaths(protocols),
      '/v1/whoami': { get: whoamiOperation() },
      '/v1/live': { get: liveOperation() },
      ...public_paths,
    },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key or an access token bound to one agent DID.',
        },
      },
      parameters: request_headers,
      headers: response_headers,
      schemas: componentSchemas(protocols),
    },
  }
}

function dispatchOperation(): Json {
  return {
    operationId: 'dispatch',
    summary: 'Call an operation of a protocol.',
    tags: ['dispatch'],
    security: [{ bearer: [] }],
    parameters: Object.keys(request_headers).map((name) => ({ $ref: `#/components/parameters/${name}` })),
    requestBody: { required: true, content: { 'application/json': { schema: ref('DispatchRequest') } } },
    responses: {
      200: {
        description: 'The output of the operation, and the place of its record in the audit log.',
        headers: headerRefs(['X-Correlation-Id', 'traceparent', ...rate_headers]),
        content: {
          'application/json': { schema: ref('Answer') },
          'text/event-stream': {
            schema: { type: 'string', description: '`progress` events, then one `result` or `error` event.' },
          },
        },
      },
      ...refusalResponses(),
    },
  }
}

function whoamiOperation(): Json {
  return {
    operationId: 'whoami',
    summary: 'Who the caller is here, and what it may call.',
    tags: ['dispatch'],
    security: [{ bearer: [] }],
    parameters: [{ $ref: '#/components/parameters/AgentDid' }],
    responses: {
      200: {
        description: 'The caller, and for every operation whether it may call it.',
        content: { 'application/json': { schema: ref('Whoami') } },
      },
      401: refusalResponses()[401],
    },
  }
}

function liveOperation(): Json {
  const { 401: unknown, 403: denied, 429: full } = refusalResponses()
  return {
    operationId: 'live',
    summary: 'Live figures, about once a second; needs svc.moment.snapshot.',
    tags: ['dispatch'],
    security: [{ bearer: [] }],
    parameters: [{ $ref: '#/components/parameters/AgentDid' }],
    responses: {
      200: {
        description: '`figures` events, each with one LiveFigures; before the stream ends an `end` event.',
        content: {
          'text/event-stream': { schema: { type: 'string' }, 'x-event-schema': ref('LiveFigures') },
        },
      },
      401: unknown,
      403: denied,
      429: full,
    },
  }
}

/** One response per status, naming the codes that carry it. */
function refusalResponses(): Json {
  const codes = new Map<number, string[]>()
  for (const [code, row] of Object.entries(refusals))
    codes.set(row.status, [...(codes.get(row.status) ?? []), code])
  const responses = [...codes].map(([status, names]) => [
    status,
    {
      description: `Refused: ${names.join(', ')}.`,
      headers: headerRefs([
        'X-Correlation-Id',
        'traceparent',
        ...rate_headers,
        ...(status === 429 ? ['Retry-After'] : []),
      ]),
      content: { 'application/json': { schema: ref('ErrorBody') } },
    },
  ])
  return Object.fromEntries(responses)
}

/** Selected by protocol, then by operation: an operation's name alone is not unique. */
function componentSchemas(protocols: readonly Declaration[]): Json {
  const schemas: Json = {}
  const parts: Record<string, SchemaNode> = {}
  const shown = shownProtocols(protocols)
  const byProtocol = shown.map(({ protocol }) => [protocol.id, requestName(protocol)] as const)
  schemas.DispatchRequest = choice('protocol', byProtocol)
  for (const { protocol, operations } of shown) {
    const names = operations.map(([name]) => [name, `${typeName(protocol.id, name)}Request`] as const)
    schemas[requestName(protocol)] = {
      description: protocol.summary,
      ...choice('operation', names),
    }
    for (const [name, operation, of] of operations) {
      const [request, output] = ['Request', 'Output'].map((side) => typeName(protocol.id, name) + side)
      const [request_schema, answered] = [
        operationRequest(of, name, operation, of === protocol),
        asSchemaNode(operation.output),
      ]
      const input_root = `${schemas_place}${request}/properties/input`
      schemas[request!] = gatherParts(request_schema, schemas_place, parts, input_root)
      schemas[output!] = gatherParts(answered, schemas_place, parts, schemas_place + output)
    }
  }
  const codes = Object.keys(refusals)
  const error = asSchemaNode(ErrorBody)
  const fields = error.properties?.error
  schemas.Answer = asSchemaNode(Answer)
  schemas.Whoami = asSchemaNode(Whoami)
  schemas.LiveFigures = asSchemaNode(LiveFigures)
  schemas.ErrorBody = {
    ...error,
    properties: {
      error: { ...fields, properties: { ...fields?.properties, code: { type: 'string', enum: codes } } },
    },
  }
  return { ...schemas, ...parts }
}

/** A foreign protocol may be called DISPATCH; it must not describe the endpoint's own request. */
function requestName({ id }: Declaration): string {
  const name = `${typeName(id)}Request`
  return name === 'DispatchRequest' ? 'Dispatch.Request' : name
}

function choice(property: string, names: readonly (readonly [string, string])[]): Json {
  const mapping = Object.fromEntries(names.map(([word, schema]) => [word, ref(schema).$ref]))
  return {
    type: 'object',
    oneOf: names.map(([, schema]) => ref(schema)),
    discriminator: { propertyName: property, mapping },
  }
}

function operationRequest(
  protocol: Declaration,
  name: string,
  operation: OperationFacts,
  is_best: boolean,
): Json {
  const envelope = asSchemaNode(HandleRequestInput)
  const major = majorOf(protocol.version)
  return {
    ...envelope,
    title: `${protocol.id} ${name}`,
    description: operation.summary,
    properties: {
      ...envelope.properties,
      protocol: { type: 'string', const: protocol.id },
      version: {
        type: 'string',
        description: is_best
          ? `${protocol.version}, or ${major} for the best of that major.`
          : `${protocol.version}: the default version does not have it.`,
        examples: is_best ? [protocol.version, major] : [protocol.version],
      },
      operation: { type: 'string', const: name },
      input: { ...asSchemaNode(operation.input), examples: [operation.example] },
    },
  }
}

const rate_headers = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

function headerRefs(names: readonly string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

function requestHeader(name: string, description: string, schema: Json, required = false): Json {
  return { name, in: 'header', required, description, schema }
}

const request_headers: Json = {
  AgentDid: requestHeader('X-Agent-Did', 'The caller; must be the DID the key is bound to.', {
    type: 'string',
  }),
  IdempotencyKey: requestHeader('Idempotency-Key', 'Makes a write safe to retry for 24 hours.', {
    type: 'string',
    minLength: 1,
    maxLength: 255,
  }),
  CorrelationId: requestHeader(
    'X-Correlation-Id',
    'Used as the correlation id if it is a UUID; otherwise a new one is made.',
    { type: 'string', format: 'uuid' },
  ),
  Traceparent: requestHeader('traceparent', 'W3C Trace Context, passed on.', { type: 'string' }),
  Prefer: requestHeader(
    'Prefer',
    'wait=audit holds the answer until its record is committed and adds a receipt.',
    { type: 'string', enum: ['wait=audit'] },
  ),
  Origin: requestHeader('X-SVC-Origin', 'The surface of the call, as labelled in the record.', {
    type: 'string',
    enum: ['http', 'mcp'],
  }),
  DryRun: requestHeader(
    'X-SVC-Dry-Run',
    'true runs stages 1 to 6 and the input check, and returns what would happen.',
    {
      type: 'string',
      enum: ['true', 'false'],
      default: 'false',
    },
  ),
}

const response_headers: Json = {
  'X-Correlation-Id': {
    description: 'Identifies this call in the audit log.',
    schema: { type: 'string', format: 'uuid' },
  },
  traceparent: { description: 'W3C Trace Context.', schema: { type: 'string' } },
  'X-RateLimit-Limit': { description: 'Capacity of the bucket.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': { description: 'Calls left in the bucket.', schema: { type: 'integer' } },
  'X-RateLimit-Reset': { description: 'Seconds until the bucket is full.', schema: { type: 'integer' } },
  'Retry-After': { description: 'Seconds to wait before the next try.', schema: { type: 'integer' } },
}
