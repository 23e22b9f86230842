// Shared by metrics and spans for an OpenTelemetry collector: OTLP over HTTP, JSON.

const answer_ms_max = 5_000

export interface OtlpIdentity {
  /** `service.instance.id`: identifies this process. */
  readonly instance: string
  readonly engine_did: string
}

export type PostTo = (body: object) => Promise<{ readonly ok: boolean; readonly status: number }>

/** `url` is the collector's base address. Throws if it cannot be reached. */
export function collectorAt(url: string, path: 'v1/metrics' | 'v1/traces'): PostTo {
  const { target, headers } = addressOf(url, path)
  return async (body) => {
    const {
      ok,
      status,
      body: answer,
    } = await fetch(target, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(answer_ms_max),
    })
    await answer?.cancel()
    return { ok, status }
  }
}

/** Credentials in the address go into a header: fetch rejects such an address and quotes it in full. */
function addressOf(url: string, path: string): { target: string; headers: Record<string, string> } {
  const target = new URL(path, url.endsWith('/') ? url : `${url}/`)
  const who = [target.username, target.password].map(decodeURIComponent).join(':')
  target.username = ''
  target.password = ''
  const basic = { authorization: `Basic ${Buffer.from(who).toString('base64')}` }
  const headers = { 'content-type': 'application/json', ...(who === ':' ? {} : basic) }
  return { target: target.href, headers }
}

export function resourceOf({ instance, engine_did }: OtlpIdentity) {
  return {
    attributes: attributesOf({
      'service.name': 'svc-engine',
      'service.instance.id': instance,
      'svc.engine_did': engine_did,
    }),
  }
}

export function attributesOf(labels: object) {
  return Object.entries(labels).map(([key, value]) => ({ key, value: { stringValue: String(value) } }))
}

/** Whole numbers, which the JSON of OTLP writes as text. */
export function countsOf(counts: Readonly<Record<string, number>>) {
  return Object.entries(counts).map(([key, count]) => ({ key, value: { intValue: String(count) } }))
}

/** A time in milliseconds plus an offset, in nanoseconds. */
export function nanos(ms: number, later_ms = 0): string {
  return `${BigInt(Math.floor(ms)) * 1_000_000n + BigInt(Math.round(later_ms * 1e6))}`
}
