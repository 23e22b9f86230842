// The reference for people: one Markdown page per protocol.
import { capabilityFor } from '@svc/contract/authority/capability'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration } from '@svc/contract/protocol'
import { refusals } from '@svc/contract/refusal'
import { fieldsOf } from './fields.ts'
import { sortedOperations, toolName } from './names.ts'
import { refusalsOf } from './operation-refusals.ts'
import { callerSentences, sceneSentences } from './scene-text.ts'
import { asSchemaNode } from './schema-node.ts'

export function deriveReference(protocol: Declaration): string {
  const operations = sortedOperations(protocol)
  return [
    `# ${protocol.id}\n`,
    `${protocol.summary}\n`,
    `Version ${protocol.version}, ${protocol.plane} plane, ${protocol.estate}, rate class ${protocol.rate}, MCP category \`${protocol.category}\`.\n`,
    operations.map(([name, operation]) => `- [${name}](#${anchor(name)}): ${operation.summary}`).join('\n') +
      '\n',
    ...operations.map(([name, operation]) => operationSection(protocol, name, operation)),
    operations.length === 0 ? '' : refusalTable(),
  ].join('\n')
}

function operationSection(protocol: Declaration, name: string, operation: OperationFacts): string {
  const request = {
    protocol: protocol.id,
    version: protocol.version,
    operation: name,
    input: operation.example,
    tenant_id: 'acme',
  }
  return [
    `## ${name}\n`,
    `${operation.summary}\n`,
    factLines(protocol, name, operation),
    `### Input of ${name}\n`,
    fieldTable(operation.input),
    `### Output of ${name}\n`,
    fieldTable(operation.output),
    `### Example of ${name}\n`,
    ...sceneLines(operation),
    '```json\n' + JSON.stringify(request, null, 2) + '\n```\n',
    `Refused with: ${refusalsOf(protocol, operation)
      .map((code) => `\`${code}\``)
      .join(', ')}.\n`,
  ].join('\n')
}

function sceneLines(operation: OperationFacts): string[] {
  const sentences = sceneSentences(operation)
  const caller = callerSentences(operation).map((sentence) => `${sentence}\n`)
  if (sentences.length === 0) return caller
  const inputs = (operation.scene ?? []).flatMap((step) =>
    'call' in step ? [JSON.stringify({ call: step.call, tenant_id: step.tenant_id, input: step.input })] : [],
  )
  return [
    ...caller,
    'It needs these steps first; ids are those of your own answers:\n',
    ...sentences.map((sentence, i) => `${i + 1}. ${sentence}`),
    '',
    ...(inputs.length ? ['```json', ...inputs, '```\n'] : []),
  ]
}

function factLines(protocol: Declaration, name: string, operation: OperationFacts): string {
  const facts: (string | false)[] = [
    `Effect: ${operation.effect === 'read' ? 'read, safe to repeat' : 'write, give it an idempotency key to retry it'}`,
    `Capability: \`${capabilityFor(protocol.id, name)}\``,
    `MCP tool: \`${toolName(protocol.id, name)}\``,
    `Conformance level: ${operation.level}`,
    `Metered: ${operation.meters.length === 0 ? 'nothing' : operation.meters.join(', ')}`,
    operation.multipliers !== undefined &&
      `Price multipliers (tokens, seconds, watts): ${operation.multipliers.join(', ')}`,
    (operation.rate_cost ?? 1) !== 1 && `Takes ${operation.rate_cost} tokens of the rate bucket`,
    operation.exempt === true && 'Exempt from rate limits, circuit breaker and runway',
    operation.essential === true && 'Runs with an empty runway and under a hold',
    operation.deadline_ms !== undefined && `Deadline: ${operation.deadline_ms} ms`,
    operation.input_bytes_max !== undefined && `Input up to ${operation.input_bytes_max} bytes`,
  ]
  return (
    facts
      .filter((fact) => fact !== false)
      .map((fact) => `- ${fact}`)
      .join('\n') + '\n'
  )
}

function fieldTable(schema: OperationFacts['input']): string {
  const fields = fieldsOf(asSchemaNode(schema))
  if (fields.length === 0) return 'No fields.\n'
  const rows = fields.map(
    ({ path, form, required, note }) => `| \`${path}\` | ${cell(form)} | ${required} | ${cell(note)} |`,
  )
  return ['| Field | Form | Required | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n') + '\n'
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ')
}

const retry_words = { never: 'no', after_delay: 'after `retry_after_ms`', back_off: 'with back-off' } as const

export function refusalTable(): string {
  const rows = Object.entries(refusals).map(
    ([code, row]) => `| \`${code}\` | ${row.status} | ${row.exit} | ${retry_words[row.retry]} |`,
  )
  return (
    ['## Refusals\n', '| Code | HTTP | CLI exit | Retry |', '| --- | --- | --- | --- |', ...rows].join('\n') +
    '\n'
  )
}

function anchor(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\w -]/g, '')
    .replaceAll(' ', '-')
}
