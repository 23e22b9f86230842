// The capability names an operator may grant, and the operations each of them allows.
import { listRegistrations } from '@svc/adapters/external/registrations'
import { listPlugins } from '@svc/adapters/plugins/plugin-store'
import {
  type AgentCapability,
  capabilityFor,
  covers,
  global_wildcard,
  isCapabilityName,
  protocolWildcard,
  recipe_llm_compile,
} from '@svc/contract/authority/capability'
import { closest } from '@svc/contract/closest'
import type { Database } from '@svc/contract/database'
import { ConfigError } from '../settings/config-error.ts'

const capabilities_max = 128
/** Capabilities of the specification that are not operations. */
const special_capabilities = ['svc.admin.observability', recipe_llm_compile]

interface Callable {
  readonly protocol: string
  readonly operation: string
  /** Without any capability: see OperationFacts. */
  readonly open_to?: 'anyone' | 'self' | undefined
}

/** Names without limits. A name that matches no operation would grant nothing, so it is refused. */
export async function readCapabilities(
  db: Database,
  names: readonly string[] = [],
): Promise<AgentCapability[]> {
  if (names.length > capabilities_max)
    throw new ConfigError(`At most ${capabilities_max} capabilities can be granted at once.`)
  if (names.length > 0) {
    const grantable_names = grantable(await findCallable(db))
    for (const name of names) requireKnown(name, grantable_names)
  }
  return names.map((name) => ({ name, caveats: [] }))
}

/** Everything a holder can call, as `PROTOCOL.operation`, including operations that need no capability. */
export async function callableWith(
  db: Database,
  capabilities: readonly AgentCapability[],
): Promise<string[]> {
  const callable = await findCallable(db)
  return callable.flatMap(({ protocol, operation, open_to }) => {
    const required = capabilityFor(protocol, operation)
    const name = `${protocol}.${operation}`
    if (open_to === 'anyone' || capabilities.some((capability) => covers(capability.name, required)))
      return [name]
    return open_to === 'self' ? [`${name} (of itself)`] : []
  })
}

/** The catalogue, plus what plugins and external services have added. */
async function findCallable(db: Database): Promise<Callable[]> {
  // The catalogue loads every protocol, which is slow, so it is imported only when needed.
  const { catalogue } = await import('@svc/catalogue/catalogue')
  const built_in = catalogue.flatMap(({ id, operations }) =>
    Object.entries(operations).map(([operation, { open_to }]) => ({ protocol: id, operation, open_to })),
  )
  const plugins = (await listPlugins(db)).flatMap(({ protocol, operations, state }) =>
    protocol === null || state === 'Removed' ? [] : operations.map((operation) => ({ protocol, operation })),
  )
  const outside: Callable[] = []
  for (
    let page = await listRegistrations(db);
    page.length > 0;
    page = await listRegistrations(db, page.at(-1)!.id)
  )
    outside.push(
      ...page.flatMap(({ name, operations }) =>
        operations.map((operation) => ({ protocol: name, operation })),
      ),
    )
  const all = [...built_in, ...plugins, ...outside]
  return [...new Map(all.map((each) => [capabilityFor(each.protocol, each.operation), each])).values()]
}

function grantable(callable: readonly Callable[]): ReadonlySet<string> {
  const names = callable.flatMap(({ protocol, operation }) => [
    capabilityFor(protocol, operation),
    protocolWildcard(protocol),
    capabilityFor(protocol, 'pre-release'),
  ])
  return new Set([global_wildcard, ...special_capabilities, ...names])
}

function requireKnown(name: string, names: ReadonlySet<string>): void {
  if (names.has(name)) return
  const hint = closest(name, [...names])
  const advice = hint
    ? `Did you mean ${hint}?`
    : 'Operations are listed at /docs; install a plugin before you grant it.'
  throw new ConfigError(
    isCapabilityName(name)
      ? `No operation matches ${name}, so it cannot be granted. ${advice}`
      : `${name} is not a capability; write svc.<protocol>.<operation>. ${hint ? advice : ''}`.trimEnd(),
  )
}
