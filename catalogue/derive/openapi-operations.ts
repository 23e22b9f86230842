// Each operation as a path of its own: `/v1/dispatch#MAX.audit_query`. A fragment is never sent, so that all of them reach the one endpoint.
import { capabilityFor } from '@svc/contract/authority/capability'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { refusals } from '@svc/contract/refusal'
import { stand_ins } from '@svc/contract/scene'
import { shownProtocols } from './directory.ts'
import { typeName } from './names.ts'
import { refusalsOf } from './operation-refusals.ts'
import { callerSentences, sceneSentences } from './scene-text.ts'

type Json = Record<string, unknown>

const schemaRef = (name: string) => ({ $ref: `#/components/schemas/${name}` })

export function operationPaths(protocols: readonly Declaration[]): Json {
  const paths = shownProtocols(protocols).flatMap(({ protocol: { id }, operations }) =>
    operations.map(([name, operation, of]) => [
      `/v1/dispatch#${id}.${name}`,
      { post: pathOperation(of, id, name, operation) },
    ]),
  )
  return Object.fromEntries(paths)
}

/** `id` is the protocol's as it is shown; `of` is the version that has the operation. */
function pathOperation(of: Declaration, id: string, name: string, operation: OperationFacts): Json {
  const type_name = typeName(id, name)
  const headers = ['AgentDid', 'DryRun', ...(operation.effect === 'write' ? ['IdempotencyKey'] : [])]
  const example = {
    protocol: of.id,
    version: of.version,
    operation: name,
    input: operation.example,
    tenant_id: stand_ins.tenant,
  }
  const answer = {
    type: 'object',
    required: ['output', 'metadata'],
    properties: {
      output: schemaRef(`${type_name}Output`),
      metadata: { $ref: '#/components/schemas/Answer/properties/metadata' },
    },
  }
  return {
    operationId: type_name,
    summary: name,
    description: descriptionOf(of, name, operation),
    tags: [id],
    security: [{ bearer: [] }],
    parameters: headers.map((header) => ({ $ref: `#/components/parameters/${header}` })),
    requestBody: {
      required: true,
      content: { 'application/json': { schema: schemaRef(`${type_name}Request`), example } },
    },
    responses: {
      200: { description: 'Done, and recorded.', content: { 'application/json': { schema: answer } } },
      ...refusalsByStatus(of, operation),
    },
  }
}

function descriptionOf(of: Declaration, name: string, operation: OperationFacts): string {
  const effect =
    operation.effect === 'read'
      ? 'Reads, and is safe to repeat.'
      : 'Writes: give it an idempotency key to retry it.'
  const steps = sceneSentences(operation)
  return [
    operation.summary,
    `${effect} It needs the capability \`${capabilityFor(of.id, name)}\` and level ${operation.level}.`,
    ...callerSentences(operation),
    ...(steps.length === 0
      ? []
      : [
          'The example needs these steps first; ids are those of your own answers:',
          steps.map((sentence, i) => `${i + 1}. ${sentence}`).join('\n'),
        ]),
  ].join('\n\n')
}

function refusalsByStatus(of: Declaration, operation: OperationFacts): Json {
  const by_status = Map.groupBy(refusalsOf(of, operation), (code) => refusals[code].status)
  const responses = [...by_status].map(([status, codes]) => [
    status,
    {
      description: `Refused: ${codes.join(', ')}.`,
      content: { 'application/json': { schema: schemaRef('ErrorBody') } },
    },
  ])
  return Object.fromEntries(responses)
}
