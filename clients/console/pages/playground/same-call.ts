// The same call for other clients, to copy.

export interface CallText {
  readonly protocol: string
  readonly operation: string
  readonly input: unknown
  readonly tenant_id: string
  readonly agent_did: string
}

export interface Surface {
  readonly name: string
  readonly text: (call: CallText) => string
}

export const surfaces: readonly Surface[] = [
  { name: 'curl', text: curlText },
  { name: 'Command line', text: cliText },
  { name: 'TypeScript', text: typescriptText },
  { name: 'MCP', text: mcpText },
]

/** Quoted so that a shell reads it as one word. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Address and key come from the shell's environment: the console never passes on keys. */
function curlText({ protocol, operation, input, tenant_id, agent_did }: CallText): string {
  const body = JSON.stringify({ protocol, version: 'v1', operation, tenant_id, input })
  return [
    `curl -s "$SVC_API_URL/v1/dispatch" \\`,
    `  -H "Authorization: Bearer $SVC_API_KEY" \\`,
    `  -H ${quoted(`X-Agent-Did: ${agent_did}`)} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${quoted(body)}`,
  ].join('\n')
}

function cliText({ protocol, operation, input }: CallText): string {
  return `npx svc invoke ${protocol} ${operation} --input ${quoted(JSON.stringify(input))}`
}

function typescriptText({ protocol, operation, input }: CallText): string {
  const shown = JSON.stringify(input, null, 2)
  return [
    `import { createClient } from '@svc/sdk'`,
    '',
    'const client = createClient()',
    `const { output } = await client.dispatch(${JSON.stringify(protocol)}, ${JSON.stringify(operation)}, ${shown})`,
    'console.log(output)',
  ].join('\n')
}

/** As an MCP client sends it; `svc mcp call` does the same. */
function mcpText({ protocol, operation, input }: CallText): string {
  const name = `svc.${protocol.toLowerCase()}.${operation}`
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
  const typed = `npx svc mcp call ${name} --input ${quoted(JSON.stringify(input))}`
  return `${typed}\n\n${JSON.stringify(request, null, 2)}`
}
