// Raw bytes to a socket and back, with no client that would fix them.
import { connect } from 'node:net'
import { arrives } from '../../suite/eventually.ts'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Exchange {
  readonly answers: readonly RawAnswer[]
  /** True if the server closed the connection. */
  readonly closed: boolean
}

/** Sends all pieces at once and collects answers until the server closes, or there are `answers_max`. */
export async function exchange(port: number, bytes: string | Buffer, answers_max = 1): Promise<Exchange> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let received = Buffer.alloc(0)
  const exchanged = new Promise<Exchange>((resolve) => {
    const finish = (closed: boolean) => resolve({ answers: readAnswers(received), closed })
    socket.on('connect', () => socket.write(bytes))
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, Buffer.from(chunk)])
      if (readAnswers(received).length >= answers_max) finish(false)
    })
    // A server that refuses early may reset the connection; what it sent before counts.
    socket.on('error', () => finish(true))
    socket.on('close', () => finish(true))
  })
  try {
    return await arrives('an answer or the end of the connection', exchanged)
  } finally {
    socket.destroy()
  }
}

/** Complete answers with a Content-Length; incomplete ones are left out. */
function readAnswers(bytes: Buffer): RawAnswer[] {
  const answers: RawAnswer[] = []
  for (let at = 0; ; ) {
    const end = bytes.indexOf('\r\n\r\n', at)
    if (end < 0) return answers
    const [first = '', ...lines] = bytes.toString('latin1', at, end).split('\r\n')
    const headers = Object.fromEntries(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    )
    const from = end + 4
    const length = Number(headers['content-length'] ?? 0)
    if (bytes.length < from + length) return answers
    const status = Number(first.split(' ')[1])
    at = from + length
    // An interim answer (100 Continue) does not count.
    if (status >= 200) answers.push({ status, headers, text: bytes.toString('utf8', from, at) })
  }
}

export interface Parts {
  readonly method?: string
  readonly path?: string
  /** Names and values verbatim; repeated names are sent repeatedly. */
  readonly headers: readonly (readonly [string, string])[]
  readonly body: string | Buffer
}

/** A well-formed request; Content-Length is added unless present or the body is chunked. */
export function requestBytes({ method = 'POST', path = '/v1/dispatch', headers, body }: Parts): Buffer {
  const named = headers.map(([name]) => name.toLowerCase())
  const length = Buffer.byteLength(body)
  const is_framed = named.includes('content-length') || named.includes('transfer-encoding')
  const framing = is_framed ? [] : [`Content-Length: ${length}`]
  const host = named.includes('host') ? [] : ['Host: engine']
  const lines = [`${method} ${path} HTTP/1.1`, ...host, ...headers.map((pair) => pair.join(': ')), ...framing]
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), Buffer.from(body)])
}
