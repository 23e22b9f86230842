// A master key that never leaves HashiCorp Vault or OpenBao: its transit engine wraps and unwraps root keys. Asked at a start and at a
// change of keys, never by a call.

export interface TransitKey {
  /** `https://vault.example:8200/transit/svc`: the address, where the engine is mounted, and the key's name. */
  readonly url: string
  /** Read again for each request, because an agent of Vault renews its file. */
  token(): string
}

const answer_ms_max = 10_000
const answer_chars_max = 100_000

export function transitKey(setting: TransitKey) {
  const { origin, pathname } = new URL(setting.url)
  const [, mount, key] = /^\/(.+)\/([^/]+)$/.exec(pathname) ?? []
  const ask = (action: string, body: object) =>
    askVault(`${origin}/v1/${mount}/${action}/${key}`, setting.token(), body)
  return {
    name: `vault:${setting.url}`,
    async wrap(root_key: Uint8Array, bound_to: string): Promise<Buffer> {
      const { ciphertext } = await ask('encrypt', {
        plaintext: base64(root_key),
        associated_data: base64(Buffer.from(bound_to)),
      })
      return Buffer.from(textOf(ciphertext))
    },
    async unwrap(wrapped: Uint8Array, bound_to: string): Promise<Buffer> {
      const { plaintext } = await ask('decrypt', {
        ciphertext: Buffer.from(wrapped).toString(),
        associated_data: base64(Buffer.from(bound_to)),
      })
      return Buffer.from(textOf(plaintext), 'base64')
    },
  }
}

async function askVault(url: string, token: string, body: object) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'X-Vault-Token': token, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
    redirect: 'error',
    signal: AbortSignal.timeout(answer_ms_max),
  }).catch((error: Error) => {
    throw new Error(`Vault does not answer at ${new URL(url).origin}: ${error.cause ?? error.message}`)
  })
  const answer = (await response.text()).slice(0, answer_chars_max)
  if (response.ok) return ((JSON.parse(answer) as { data?: object }).data ?? {}) as Record<string, unknown>
  // Its errors name paths and policies, never what was sent.
  throw new Error(`Vault refused with ${response.status} at ${new URL(url).pathname}: ${errorsIn(answer)}`)
}

function errorsIn(answer: string): string {
  try {
    return (JSON.parse(answer) as { errors: string[] }).errors.join('; ') || 'no reason was given'
  } catch {
    return 'no reason was given'
  }
}

function textOf(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new Error('Vault answered without a key; is the path that of a transit key?')
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}
