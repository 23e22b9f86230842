// A caller of the demo: a person or an agent with an API key, who calls the running engine over HTTP as anybody would.

import { setTimeout as pause } from 'node:timers/promises'

/** A busy machine may resolve an identity too late. */
const tries_max = 20
const try_again_ms = 500

// biome-ignore lint/suspicious/noExplicitAny: every operation answers in its own shape; its schema says which
export type Output = any

export interface DemoCaller {
  readonly name: string
  readonly did: string
  readonly tenant_id: string
  /** Throws if it is refused. */
  call(what: string, input: object, in_tenant?: string): Promise<Output>
  /** The code of its refusal, or ok. */
  attempt(what: string, input: object, in_tenant?: string): Promise<string>
}

export interface CallerKey {
  readonly name: string
  readonly did: string
  readonly tenant_id: string
  readonly api_key: string
}

export function callerAt(api_url: string, { name, did, tenant_id, api_key }: CallerKey): DemoCaller {
  const headers = {
    authorization: `Bearer ${api_key}`,
    'x-agent-did': did,
    'content-type': 'application/json',
  }
  const ask = async (what: string, input: object, in_tenant = tenant_id) => {
    const [protocol, operation] = what.split('.')
    const body = JSON.stringify({ protocol, version: 'v1', operation, input, tenant_id: in_tenant })
    const response = await fetch(`${api_url}/v1/dispatch`, { method: 'POST', headers, body })
    return (await response.json()) as { output?: Output; error?: { code: string; message: string } }
  }
  return {
    name,
    did,
    tenant_id,
    async call(what, input, in_tenant) {
      let { output, error } = await ask(what, input, in_tenant)
      for (let tries = 1; error?.code === 'unavailable' && tries < tries_max; tries++) {
        await pause(try_again_ms)
        ;({ output, error } = await ask(what, input, in_tenant))
      }
      if (error) throw new Error(`The demo could not be made: ${name} was refused ${what}: ${error.message}`)
      return output
    },
    attempt: async (what, input, in_tenant) => (await ask(what, input, in_tenant)).error?.code ?? 'ok',
  }
}
