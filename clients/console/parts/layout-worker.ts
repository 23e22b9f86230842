// The layout engine in a worker: one for the page, started when the first graph is shown.
import ELK from 'elkjs/lib/elk-api.js'
import worker_url from 'elkjs/lib/elk-worker.min.js?url'

interface Policy {
  createScriptURL(url: string): string
}

interface PolicyFactory {
  createPolicy(name: string, rules: Policy): Policy
}

/** The content policy allows this one name, and it makes only the address of our own worker. */
const policy_name = 'svc-layout-worker'

let engine: InstanceType<typeof ELK> | undefined

export function layoutEngine(): InstanceType<typeof ELK> {
  engine ??= new ELK({ workerFactory: () => new Worker(trusted(new URL(worker_url, document.baseURI).href)) })
  return engine
}

function trusted(url: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: PolicyFactory }
  const only = (text: string) => {
    if (text !== url) throw new Error('only the layout worker is started')
    return text
  }
  return trustedTypes?.createPolicy(policy_name, { createScriptURL: only }).createScriptURL(url) ?? url
}
