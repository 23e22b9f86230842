// llms.txt: what a language model needs to find its way around the service.
import type { Declaration } from '@svc/contract/protocol'
import { shownProtocols } from './directory.ts'

export function deriveLlms(protocols: readonly Declaration[]): string {
  const sections = shownProtocols(protocols).map(({ protocol, operations }) => {
    const lines = operations.map(([name, { effect, summary }, of]) => {
      const only = of === protocol ? '' : `, only in ${of.version}`
      return `- \`${name}\` (${effect}${only}): ${summary}`
    })
    return [`### ${protocol.id}`, '', protocol.summary, '', ...lines, ''].join('\n')
  })
  return `# svc

> A gateway for calls between AI agents: every call passes identity, limits, capability and audit.

Call an operation with \`POST /v1/dispatch\` and a JSON body of \`protocol\`, \`version\`, \`operation\`, \`input\` and \`tenant_id\`.
Send \`Authorization: Bearer <key>\`. The answer holds \`output\` and \`metadata\`; a refusal holds \`error\` with a \`code\`, a sentence and a \`reason\`.
Do not retry \`policy_denied\`: read its reason. Give a write an \`Idempotency-Key\` before retrying it.
Each operation is also the MCP tool \`svc.<protocol>.<operation>\` and needs the capability of the same name.

## Machine-readable

- \`/v1/whoami\` (with your key): who it belongs to, whether you may call each operation, and where MCP is served
- \`/v1/live\` (with your key): live figures of your calls, as server-sent events about once a second
- \`/v1/log/<tenant>/checkpoint\` and \`/v1/log/<tenant>/tile/...\`: a tenant's audit log as C2SP tlog-tiles (with a key of the tenant, or public)
- [Protocols](/v1/protocols): every protocol; add an id for its operations, capabilities, schemas and examples
- [Search](/v1/search?q=audit): find an operation by words
- [OpenAPI](/openapi.json): the whole interface, with a request schema per operation
- \`/schemas/<protocol>/v1/operations.<protocol>.<operation>.request.json\`: one JSON Schema per request, and \`.response.json\`

## Protocols

${sections.join('\n')}`
}
