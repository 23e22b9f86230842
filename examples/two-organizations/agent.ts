// A caller: a key, a DID, and the engine it calls.
import type { Engine } from './engines.ts'

// biome-ignore lint/suspicious/noExplicitAny: every operation answers in its own shape; its schema says which
export type Output = any

export interface Refused {
  readonly code: string
  readonly message: string
  readonly reason: string
  readonly stage: number
  readonly correlation_id: string
  readonly details: { readonly appeal_path: string | null }
}

export interface Agent {
  readonly name: string
  readonly did: string
  readonly tenant_id: string
  /** Calls `PROTOCOL.operation`; throws if it is refused. */
  call(what: string, input: object, in_tenant?: string): Promise<Output>
  /** Expects a refusal and returns it; throws if the call succeeds. */
  refused(what: string, input: object, in_tenant?: string): Promise<Refused>
}

export interface Credentials {
  readonly name: string
  readonly did: string
  readonly tenant_id: string
  readonly api_key: string
}

export function agentAt({ api_url }: Engine, { name, did, tenant_id, api_key }: Credentials): Agent {
  const ask = async (what: string, input: object, in_tenant = tenant_id) => {
    const [protocol, ...operation] = what.split('.')
    const response = await fetch(`${api_url}/v1/dispatch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${api_key}`,
        'x-agent-did': did,
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        protocol,
        version: 'v1',
        operation: operation.join('.'),
        input,
        tenant_id: in_tenant,
      }),
    })
    return (await response.json()) as { output?: Output; error?: Refused }
  }
  return {
    name,
    did,
    tenant_id,
    async call(what, input, in_tenant) {
      const { output, error } = await ask(what, input, in_tenant)
      if (error) throw new Error(`${name} was refused ${what}: ${error.message}`)
      return output
    },
    async refused(what, input, in_tenant) {
      const { error } = await ask(what, input, in_tenant)
      if (!error) throw new Error(`${name} should have been refused ${what}`)
      return error
    },
  }
}
