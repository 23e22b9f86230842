// Refusals as people read them: no DID of their own, and who could help. Records keep the sentence for machines.
import type { Books } from '@svc/contract/money/books'
import { Refusal } from '@svc/contract/refusal'
import type { Credential } from './call.ts'
import type { Ports } from './ports.ts'

const did_in_text = /did:oas:[a-z0-9-]+:([a-z0-9-]+):([0-9a-f]{64})/g
const hex_shown = 12

interface Told {
  readonly credential: Credential
  readonly books?: Pick<Books, 'roles'> | undefined
  /** What was called, once it is known. */
  readonly capability?: string | undefined
}

/** The same refusal where its caller is no person who signed in. */
export function toPerson(
  refusal: Refusal,
  { credential, books, capability }: Told,
  { roles }: Pick<Ports, 'roles'>,
): Refusal {
  const { person, did, tenant_id } = credential
  if (!person) return refusal
  const { code, details, cause, is_foreign } = refusal
  const lacks = code === 'capability_denied' && details.reason === 'no matching capability'
  const sentence =
    lacks && books && capability !== undefined
      ? lacking(capability, tenant_id, roles.rolesFor(capability, books.roles.changes))
      : refusal.message.replace(did_in_text, (text, kind, hex) =>
          text === did ? person.name : `${kind} ${hex.slice(0, hex_shown)}…`,
        )
  if (sentence === refusal.message) return refusal
  return new Refusal(code, sentence, { ...details, agent_did: did }, cause, is_foreign)
}

function lacking(capability: string, tenant_id: string, roles: readonly string[]): string {
  const may =
    roles.length === 0
      ? 'no role of your organization allows it'
      : `the role${roles.length > 1 ? 's' : ''} ${listed(roles)} may`
  return `You may not use ${capability}; ${may}. Ask an administrator of ${tenant_id}.`
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
}
