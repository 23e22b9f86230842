// -v: each request and its answer on standard error, without bodies and secrets.
import type { Terminal } from '../command.ts'
import { coloursOf } from './colours.ts'
import { harmless } from './harmless-text.ts'

/** Any other header may hold a secret: only its name is shown. */
const shown_headers: ReadonlySet<string> = new Set([
  ...[
    'accept',
    'connection',
    'keep-alive',
    'content-type',
    'content-length',
    'date',
    'etag',
    'if-none-match',
    'prefer',
    'retry-after',
  ],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
  ...['server', 'traceparent', 'user-agent', 'x-agent-did', 'x-correlation-id', 'x-svc-dry-run'],
  'x-svc-origin',
])

export function verboseFetch(terminal: Terminal): typeof globalThis.fetch {
  const { dim } = coloursOf(terminal, 'stderr')
  const print = (line: string) => terminal.err(`${dim(harmless(line))}\n`)
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const method = init.method ?? (input instanceof Request ? input.method : 'GET')
    print(`> ${method} ${url.origin}${url.pathname}${url.search === '' ? '' : '?…'}`)
    printHeaders('>', new Headers(init.headers), print)
    const started = performance.now()
    const took = () => `after ${(performance.now() - started).toFixed(1)} ms`
    try {
      const response = await terminal.fetch(input, init)
      const correlation = response.headers.get('x-correlation-id')
      const id = correlation === null ? '' : `, correlation id ${correlation}`
      print(`< ${response.status} ${response.statusText} ${took()}${id}`)
      printHeaders('<', response.headers, print)
      return response
    } catch (thrown) {
      print(`< no answer ${took()}`)
      throw thrown
    }
  }
}

function printHeaders(mark: string, headers: Headers, print: (line: string) => void): void {
  for (const [name, value] of headers)
    print(`${mark}   ${name}: ${shown_headers.has(name) ? value : '(not shown)'}`)
}
