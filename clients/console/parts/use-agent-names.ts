// Agents of this organization by name. Where they are too many to list, the registry is searched for what is typed.
import { useDebouncedValue } from '@mantine/hooks'
import { useOperation } from '../shell/use-operation.ts'
import { useSession } from '../shell/use-session.tsx'

const listed_max = 100
const typing_ms = 350

interface Options {
  /** Nothing is asked. */
  readonly is_off?: boolean
}

/** Names by DID; the kind of an identity that has no name. */
export function useAgentNames(typed: string, { is_off = false }: Options = {}): ReadonlyMap<string, string> {
  const { tenant_id } = useSession()
  const { answer } = useOperation('MACS', 'list', { limit: listed_max }, { is_off })
  const [name_prefix] = useDebouncedValue(typed.trim(), typing_ms)
  const search = { kind: 'agent', tenant_id, name_prefix, limit: listed_max } as const
  const is_listed = !answer?.next_cursor || name_prefix === ''
  const registry = useOperation('MARS', 'query_registry', search, { is_off: is_off || is_listed })
  const names = new Map((answer?.items ?? []).map(({ did, name, entity_kind }) => [did, name ?? entity_kind]))
  for (const entry of registry.answer?.entries ?? []) names.set(entry.subject, nameIn(entry))
  return names
}

/** What is registered is signed as it was sent, so its form is not promised. */
export function nameIn({ body }: { readonly body: Readonly<Record<string, unknown>> }): string {
  const { name } = (body.content ?? {}) as { readonly name?: unknown }
  return typeof name === 'string' ? name : ''
}
