// Bytes that two parsers might read differently, and requests without a route.
import { type BadCase, type Cast, type HeaderLines, headersOf, requestOf, soundBody } from './bad-case.ts'
import { requestBytes } from './raw-http.ts'

interface WireOptions {
  readonly status?: number
  readonly audit_log?: BadCase['audit_log']
  readonly code?: BadCase['code']
}

function wireCase(name: string, bytes: (cast: Cast) => string | Buffer, options: WireOptions = {}): BadCase {
  return { name, bytes, code: 'invalid_request', audit_log: 'operator', ...options }
}

/** A valid call of acme with these header lines verbatim, and a second call after it. */
function framed(
  name: string,
  lines: string[],
  rest: (body: string) => string,
  options?: WireOptions,
): BadCase {
  return wireCase(
    name,
    ({ acme }) => {
      const headers = headersOf(acme).map((pair) => pair.join(': '))
      const head = ['POST /v1/dispatch HTTP/1.1', 'Host: engine', ...headers, ...lines].join('\r\n')
      return `${head}\r\n\r\n${rest(soundBody(acme))}${requestOf(acme)}`
    },
    options,
  )
}

const chunk = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
const whole = (body: string) => body
const length = `Content-Length: ${soundBody({ tenant_id: 'acme' }).length}`
const chunks = 'Transfer-Encoding: chunked'

const framing: BadCase[] = [
  framed('a length and chunks', ['Content-Length: 5', chunks], chunk),
  framed('chunks and a length', [chunks, 'Content-Length: 5'], chunk),
  framed('two lengths', [length, 'Content-Length: 0'], whole),
  framed('the same length twice', [length, length], whole),
  framed('a list of lengths', [`${length}, 0`], whole),
  framed('a negative length', ['Content-Length: -5'], whole),
  framed('a length with a plus', ['Content-Length: +5'], whole),
  framed('a length in hexadecimal', ['Content-Length: 0x5'], whole),
  framed('a length past all numbers', [`Content-Length: ${'9'.repeat(30)}`], whole),
  framed('a length of nothing', ['Content-Length:'], whole),
  framed('a length that is text', ['Content-Length: five'], whole),
  framed('an unknown transfer encoding', ['Transfer-Encoding: xchunked'], chunk),
  framed('an encoding after chunked', ['Transfer-Encoding: chunked, identity'], chunk),
  framed('chunked twice', [chunks, 'Transfer-Encoding: identity'], chunk),
  framed('an encoding behind a vertical tab', ['Transfer-Encoding: \u000bchunked'], chunk),
  framed('a space before the colon', ['Content-Length : 5'], whole),
  framed('a tab before the colon', ['Transfer-Encoding\t: chunked'], chunk),
  framed('a folded header', ['X-A: b', ' c', length], whole),
  framed('a folded DID', ['X-A: b', '\tX-Agent-Did: c', length], whole),
  framed('a bare line feed in a header', ['X-A: b\nX-B: c', length], whole),
  framed('a bare return in a header', ['X-A: b\rX-B: c', length], whole),
  framed('a NUL in a header', ['X-A: b\0', length], whole),
  framed('a header without a name', [': b', length], whole),
  framed('a header without a colon', ['X-A', length], whole),
  framed('a header name with a space', ['X A: b', length], whole),
  framed('a header name in brackets', ['X(A): b', length], whole),
  framed('a chunk larger than all memory', [chunks], (body) => `FFFFFFFFFFFFFFFFF\r\n${body}`),
  framed('a chunk size that is none', [chunks], (body) => `zz\r\n${body}\r\n0\r\n\r\n`),
  framed('a negative chunk', [chunks], (body) => `-1\r\n${body}\r\n0\r\n\r\n`),
  framed('a chunk size in hexadecimal form', [chunks], (body) => `0x10\r\n${body}\r\n0\r\n\r\n`),
  framed('a chunk without its end', [chunks], (body) => `5\r\n${body}\r\n0\r\n\r\n`),
  framed(
    'a chunk with a bare line feed',
    [chunks],
    (body) => `${body.length.toString(16)}\n${body}\r\n0\r\n\r\n`,
  ),
  framed('an empty chunk size', [chunks], (body) => `\r\n${body}\r\n0\r\n\r\n`),
  framed('headers of 100 kB', [`X-A: ${'x'.repeat(100_000)}`, length], whole, { status: 431 }),
  framed('ten thousand headers', [...Array<string>(10_000).fill('X-A: b'), length], whole, {
    status: 431,
  }),
]

const garbage: BadCase[] = Object.entries({
  'no HTTP': 'GARBAGE\r\n\r\n',
  'a TLS greeting': '\u0016\u0003\u0001\u0002\u0000\u0001\u0000\u0001\r\n\r\n',
  'a method that does not exist': 'FETCH /v1/dispatch HTTP/1.1\r\nHost: x\r\n\r\n',
  'a method in small letters': 'post /v1/dispatch HTTP/1.1\r\nHost: x\r\n\r\n',
  'a path with a space': 'POST /v1/dis patch HTTP/1.1\r\nHost: x\r\n\r\n',
  'a path beyond ASCII': 'POST /v1/d\u00efspatch\u0001 HTTP/1.1\r\nHost: x\r\n\r\n',
  'bare line feeds': 'POST /v1/dispatch HTTP/1.1\nHost: x\nContent-Length: 0\n\n',
  'HTTP/0.9': 'GET /v1/protocols\r\n\r\n',
  'HTTP/0.9 to the dispatch endpoint': 'POST /v1/dispatch\r\n\r\n',
  'HTTP/2 in words': 'POST /v1/dispatch HTTP/2.0\r\nHost: x\r\n\r\n',
  'a greeting of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'HTTP/9.9': 'POST /v1/dispatch HTTP/9.9\r\nHost: x\r\n\r\n',
  'a version in small letters': 'POST /v1/dispatch http/1.1\r\nHost: x\r\n\r\n',
  'no path': 'POST HTTP/1.1\r\nHost: x\r\n\r\n',
  'no host': 'POST /v1/dispatch HTTP/1.1\r\nContent-Length: 0\r\n\r\n',
  'no host for a page': 'GET /v1/protocols HTTP/1.1\r\n\r\n',
  'two hosts': 'POST /v1/dispatch HTTP/1.1\r\nHost: x\r\nHost: y\r\nContent-Length: 0\r\n\r\n',
}).map(([name, text]) => wireCase(name, () => Buffer.from(text, 'latin1')))

/** Unauthenticated: a refused request followed by bytes that are not HTTP is still one refusal. */
const refused_and_malformed: BadCase[] = [
  wireCase(
    'a caller nobody knows, and a chunk that is none',
    () => 'POST /v1/dispatch HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    { code: 'unauthenticated' },
  ),
  wireCase(
    'a route that is not there, and a chunk that is none',
    () => 'POST /nowhere HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
    { code: 'not_found' },
  ),
]

function withHeaders(name: string, more: HeaderLines, without: string[] = []): BadCase {
  const bytes = ({ acme }: Cast) => {
    const remaining = headersOf(acme).filter(([header]) => !without.includes(header))
    return requestOf(acme, { headers: [...remaining, ...more] })
  }
  return wireCase(name, bytes, { audit_log: 'acme' })
}

const types = [
  '',
  'text/plain',
  'application/jsonx',
  'application/json-patch+json',
  'multipart/form-data; boundary=x',
]
const content: BadCase[] = [
  withHeaders('no content type', [], ['Content-Type']),
  ...types.map((type) => withHeaders(`content type ${type}`, [['Content-Type', type]], ['Content-Type'])),
  ...['gzip', 'br', 'deflate', 'gzip, identity', 'x', ''].map((encoding) =>
    withHeaders(`content encoding ${encoding}`, [['Content-Encoding', encoding]]),
  ),
  ...['maybe', '1', '', 'true, false'].map((value) =>
    withHeaders(`dry run ${value}`, [['X-SVC-Dry-Run', value]]),
  ),
  ...['', 'x'.repeat(256), 'x'.repeat(8_000), '\u00e9'].map((key) =>
    withHeaders(`idempotency key ${key.slice(0, 4)} of ${key.length}`, [['Idempotency-Key', key]]),
  ),
]

const methods: BadCase[] = ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND'].map((method) =>
  wireCase(`${method} to the dispatch endpoint`, ({ acme }) => requestOf(acme, { method }), {
    code: 'not_found',
  }),
)

const paths: BadCase[] = [
  ...[
    '/v1/dispatch/',
    '//v1/dispatch',
    '/v1/Dispatch',
    '/v1/dispatch?x=1',
    '/v1/./dispatch',
    '/v1/x/../dispatch',
  ],
  ...['/v1/%64ispatch', '/v2/dispatch', '/dispatch', 'http://engine/v1/dispatch', '*', '/v1/dispatch%00'],
  ...[
    '/../etc/passwd',
    '/schemas/../package.json',
    '/schemas/%2e%2e%2fpackage.json',
    '/docs/../package.json',
  ],
  ...[
    `/${'x'.repeat(4_000)}`,
    '/constructor',
    '/__proto__',
    '/schemas/__proto__',
    '/v1/protocols/x/y',
    '/metrics',
  ],
].map((path) =>
  wireCase(
    `${path.slice(0, 40)} as a path`,
    ({ acme }) => requestOf(acme, { path, method: path.startsWith('/schemas') ? 'GET' : 'POST' }),
    { code: 'not_found' },
  ),
)

const pages: BadCase[] = [
  ['/v1/protocols/NOPE', 'unknown_protocol'],
  ['/v1/protocols/__proto__', 'unknown_protocol'],
  ['/v1/protocols/constructor', 'unknown_protocol'],
  ['/v1/search', 'invalid_request'],
  ['/v1/search?q=', 'invalid_request'],
  [`/v1/search?q=${'x'.repeat(201)}`, 'invalid_request'],
  ['/v1/search?q=a&q=b', 'invalid_request'],
  ['/v1/search?__proto__[q]=a', 'invalid_request'],
  ['/%', 'invalid_request'],
  ['/v1/protocols/%zz', 'invalid_request'],
  ['/v1/protocols/%c0%af', 'invalid_request'],
  ['/admin/trace', 'unauthenticated'],
  ['/admin/settings', 'unauthenticated'],
  ['/admin/tenants', 'unauthenticated'],
].map(([path, code]) =>
  wireCase(`GET ${path?.slice(0, 30)}`, () => requestBytes({ method: 'GET', path, headers: [], body: '' }), {
    code: code as BadCase['code'],
  }),
)

export const wire_cases: readonly BadCase[] = [
  ...framing,
  ...garbage,
  ...refused_and_malformed,
  ...content,
  ...methods,
  ...paths,
  ...pages,
  wireCase(
    'chunks past eight megabytes',
    ({ acme }) =>
      requestBytes({
        headers: [...headersOf(acme), ['Transfer-Encoding', 'chunked']],
        body: `900000\r\n${'x'.repeat(0x900000)}\r\n0\r\n\r\n`,
      }),
    { code: 'payload_too_large', audit_log: 'acme' },
  ),
  wireCase('RTSP', () => 'OPTIONS /v1/dispatch RTSP/1.0\r\nHost: x\r\n\r\n', { code: 'not_found' }),
  wireCase('CONNECT', () => 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', { code: 'not_found' }),
]
