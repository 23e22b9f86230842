// svc doctor's checks as the caller: is the key accepted, for whom, and would a call be allowed.
import type { Whoami } from '@svc/sdk/answer'
import type { Client } from '@svc/sdk/client'
import type { Settings } from '@svc/sdk/settings'
import { refusals } from '../../../generated/sdk-operations.ts'
import { type Completions, loadCompletions } from '../calls/completions-data.ts'
import type { Terminal } from '../command.ts'
import { askJson } from '../login/ask-json.ts'
import { faultOf } from './engine.ts'
import { type Finding, fail, ok, warn } from './finding.ts'

const not_authenticated = 2
const capability_denied = 3
const mcp_ms_max = 3_000
const favourite = 'MAX audit_query'

export async function* checkCaller(
  client: Client,
  settings: Settings,
  terminal: Terminal,
): AsyncGenerator<Finding> {
  const { signal } = terminal
  let whoami: Whoami
  try {
    whoami = await client.whoami({ signal })
  } catch (error) {
    yield faultOf('key', error, 'run svc login, or set the key and the DID it is bound to.')
    return
  }
  const { credential, identity } = whoami
  yield ok(
    'key',
    `accepted as ${credential.replaceAll('_', ' ')}, tier ${whoami.tier}, level ${identity.conformance_level}`,
  )
  yield checkDid(whoami, settings)
  yield checkTenant(whoami, settings)
  yield* checkCall(client, whoami, signal)
  yield await checkMcp(whoami, terminal)
}

function checkDid({ agent_did, identity }: Whoami, settings: Settings): Finding {
  if (agent_did !== settings.agent_did)
    return fail('did', `the key is bound to ${agent_did}`, 'set agent_did to that.', not_authenticated)
  if (identity.revoked)
    return fail('did', 'this identity is revoked', 'ask your administrator for another.', not_authenticated)
  return identity.lineage_verified
    ? ok('did', 'matches the key, lineage verified')
    : warn('did', 'matches the key, lineage not verified', 'operations that need lineage will be refused.')
}

function checkTenant({ tenant_id }: Whoami, settings: Settings): Finding {
  if (tenant_id === settings.tenant_id) return ok('tenant', `${tenant_id}, matches the key`)
  const message = `calls go to ${settings.tenant_id}, but the key belongs to ${tenant_id}`
  return warn('tenant', message, `set tenant_id to ${tenant_id}, unless a treaty lets you call there.`)
}

async function* checkCall(client: Client, whoami: Whoami, signal: AbortSignal): AsyncGenerator<Finding> {
  const callable = whoami.operations.filter(({ may }) => may === 'yes')
  if (callable.length === 0) {
    const todo = 'svc whoami --operations explains why; ask an administrator for capabilities.'
    yield fail('rights', 'no operation may be called', todo, capability_denied)
    return
  }
  yield ok('rights', `${callable.length} of ${whoami.operations.length} operations may be called`)
  const chosen = chooseTrial(callable, await loadCompletions())
  if (!chosen) return
  try {
    const { protocol, operation } = chosen
    const { verdict, error } = await client.dryRun(protocol, operation, {}, { signal })
    const name = `${protocol} ${operation}`
    if (verdict === 'allowed') yield ok('dry run', `${name} would be allowed`)
    else
      yield fail('dry run', `${name}: ${error?.message}`, 'fix what the message names.', exitOf(error?.code))
  } catch (error) {
    yield faultOf('dry run', error, 'fix what the message names.')
  }
}

function exitOf(code: string | undefined): number {
  const row =
    code !== undefined && Object.hasOwn(refusals, code) ? refusals[code as keyof typeof refusals] : undefined
  return row?.exit ?? capability_denied
}

type Operation = Whoami['operations'][number]

/** A read operation that needs no input. */
function chooseTrial(callable: readonly Operation[], { protocols }: Completions): Operation | undefined {
  const easy = callable.filter(({ protocol, operation }) => {
    const facts = protocols[protocol]?.operations[operation]
    return facts?.effect === 'read' && Object.values(facts.input).every(({ required }) => !required)
  })
  return easy.find(({ protocol, operation }) => `${protocol} ${operation}` === favourite) ?? easy[0]
}

/** Optional: svc mcp serve works without it, so it is never a failure. */
async function checkMcp({ mcp_url }: Whoami, { fetch, signal }: Terminal): Promise<Finding> {
  const instead = 'svc mcp serve runs one on this machine.'
  if (!mcp_url) return ok('mcp', `this engine serves none; ${instead}`)
  const { origin, pathname } = new URL(mcp_url)
  const metadata = `${origin}/.well-known/oauth-protected-resource${pathname}`
  try {
    const { body } = await askJson(metadata, { fetch, signal, wait_ms: mcp_ms_max })
    if ((body as { resource?: unknown } | undefined)?.resource === mcp_url)
      return ok('mcp', `${mcp_url} answers`)
  } catch {
    // No answer, or not reachable from here.
  }
  return warn('mcp', `${mcp_url} does not answer from here`, instead)
}
