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
  { name: 'TypeScript', text: typescriptText },
  { name: 'Python', text: pythonText },
  { name: 'Rust', text: rustText },
  { name: 'MCP', text: mcpText },
  { name: 'Command line', text: cliText },
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

function pythonText({ protocol, operation, input }: CallText): string {
  return [
    'from svc_sdk import Client',
    '',
    'with Client() as client:',
    `    answer = client.dispatch(${JSON.stringify(protocol)}, ${JSON.stringify(operation)}, ${literalOf(input, python_words, 1)})`,
    '    print(answer.output)',
  ].join('\n')
}

function rustText({ protocol, operation, input }: CallText): string {
  return [
    'use serde_json::json;',
    'use svc_sdk::{Answer, CallOptions, Client, Error, Options};',
    '',
    '#[tokio::main(flavor = "current_thread")]',
    'async fn main() -> Result<(), Error> {',
    '    let client = Client::new(Options::new())?;',
    `    let input = json!(${literalOf(input, rust_words, 1)});`,
    `    let answer: Answer = client.dispatch(${JSON.stringify(protocol)}, ${JSON.stringify(operation)}, &input, &CallOptions::new()).await?;`,
    '    println!("{}", answer.output);',
    '    Ok(())',
    '}',
  ].join('\n')
}

/** How a language writes what differs from JSON. */
interface LiteralWords {
  readonly empty: string
  readonly yes: string
  readonly no: string
  text(value: string): string
  number(value: number): string
}

const python_words: LiteralWords = {
  empty: 'None',
  yes: 'True',
  no: 'False',
  // Every escape of JSON is one of Python with the same meaning.
  text: JSON.stringify,
  number: String,
}

const rust_int_max = 2 ** 31 - 1

const rust_words: LiteralWords = {
  empty: 'null',
  yes: 'true',
  no: 'false',
  text: (value) =>
    JSON.stringify(value).replace(/\\(?:u([0-9a-f]{4})|([bf\\]))/g, (escaped, code, letter) => {
      if (letter === '\\') return escaped
      return `\\u{${code ?? (letter === 'b' ? '08' : '0c')}}`
    }),
  // A bare whole number would be an i32.
  number: (value) =>
    Number.isSafeInteger(value) && Math.abs(value) > rust_int_max
      ? `${value}i64`
      : Number.isInteger(value) && !Number.isSafeInteger(value)
        ? value.toExponential()
        : String(value),
}

const indent = '    '

/** A value as the language writes it, over several lines where it holds others. */
function literalOf(value: unknown, words: LiteralWords, depth: number): string {
  if (value === null || value === undefined) return words.empty
  if (typeof value === 'boolean') return value ? words.yes : words.no
  if (typeof value === 'number') return words.number(value)
  if (typeof value === 'string') return words.text(value)
  const is_list = Array.isArray(value)
  const items = is_list
    ? value.map((item) => literalOf(item, words, depth + 1))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([name, item]) => `${words.text(name)}: ${literalOf(item, words, depth + 1)}`)
  const [open, close] = is_list ? '[]' : '{}'
  if (items.length === 0) return `${open}${close}`
  const lines = items.map((item) => `${indent.repeat(depth + 1)}${item},`).join('\n')
  return `${open}\n${lines}\n${indent.repeat(depth)}${close}`
}

/** As an MCP client sends it; `svc mcp call` does the same. */
function mcpText({ protocol, operation, input }: CallText): string {
  const name = `svc.${protocol.toLowerCase()}.${operation}`
  const request = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }
  const typed = `npx svc mcp call ${name} --input ${quoted(JSON.stringify(input))}`
  return `${typed}\n\n${JSON.stringify(request, null, 2)}`
}
