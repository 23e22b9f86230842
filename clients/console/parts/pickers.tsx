// Pickers by name: nobody types a DID.
import { Autocomplete, Select } from '@mantine/core'
import { useState } from 'react'
import { useOperation } from '../shell/use-operation.ts'
import { useSession } from '../shell/use-session.tsx'
import { words } from '../words/en.ts'
import { shortened } from './shorten.ts'
import { nameIn, useAgentNames } from './use-agent-names.ts'

interface Props {
  readonly label: string
  readonly value: string
  readonly hint?: string
  readonly is_required?: boolean
  /** What stands there while nobody is chosen. */
  readonly placeholder?: string
  onChange(value: string): void
}

const listed_max = 100
const did_form = /^did:oas:[^:\s]+:[^:\s]+:[0-9a-f]{64}$/

/** Agents of this organization by name. Those chosen that are not listed are shown by their shortened DID. */
export function useAgentChoices(chosen: readonly string[], typed = ''): { value: string; label: string }[] {
  const names = useAgentNames(typed)
  const agents = [...names].map(([value, name]) => ({ value, label: `${name} · ${hashOf(value)}` }))
  const others = chosen.filter((did) => did !== '' && !names.has(did))
  return [...agents, ...others.map((value) => ({ value, label: shortened(value, 16) }))]
}

const hashOf = (did: string) => shortened(did, 12).split(':').at(-1)

/** One that is not listed, where there are many, can be pasted as a DID. */
export function AgentPicker({ label, value, hint, is_required = false, placeholder, onChange }: Props) {
  const [typed, setTyped] = useState('')
  const agents = useAgentChoices([value], typed)
  return (
    <Select
      label={label}
      description={hint}
      placeholder={placeholder ?? words.pick_agent}
      searchable
      clearable={!is_required}
      required={is_required}
      nothingFoundMessage={words.nobody_matches}
      data={agents}
      value={value === '' ? null : value}
      onSearchChange={(text) => {
        setTyped(text)
        if (did_form.test(text.trim())) onChange(text.trim())
      }}
      onChange={(did) => onChange(did ?? '')}
    />
  )
}

/** `acme · agent 1f0c2a7b` */
function didText(did: string): string {
  const [, , tenant = '', kind = '', hash = ''] = did.split(':')
  return `${tenant} · ${kind} ${hash.slice(0, 8)}`
}

/** Identities by name: those of treaties, of the registry and, unless it must be another organization's, one's own. */
function useIdentityChoices(is_foreign: boolean, chosen: string) {
  const { tenant_id } = useSession()
  const own = useOperation('MACS', 'list', { limit: listed_max }, { is_off: is_foreign })
  const treaties = useOperation('MOAT', 'list', { limit: listed_max })
  const registry = useOperation('MARS', 'query_registry', { kind: 'agent', limit: listed_max })
  const parties = (treaties.answer?.items ?? []).flatMap((treaty) => treaty.parties)
  const sources = [
    [words.own_identities, (own.answer?.items ?? []).map(({ did, name }) => [did, name ?? ''] as const)],
    [words.treaty_parties, parties.map(({ did }) => [did, ''] as const)],
    [
      words.registered,
      (registry.answer?.entries ?? []).map((entry) => [entry.subject, nameIn(entry)] as const),
    ],
    [words.typed_in, [[chosen, '']] as const],
  ] as const
  const listed = new Set([''])
  return sources.flatMap(([group, identities]) => {
    const items = identities.flatMap(([did, name]) => {
      const is_own = did.split(':')[2] === tenant_id
      if (listed.has(did) || (is_foreign && is_own && did !== chosen)) return []
      listed.add(did)
      return [{ value: did, label: name === '' ? didText(did) : `${name} · ${didText(did)}` }]
    })
    return items.length > 0 ? [{ group, items }] : []
  })
}

/** An identity by its name and organization. One that is not listed can be pasted as a DID. */
export function IdentityPicker(props: Props & { readonly is_foreign?: boolean }) {
  const { label, value, hint, is_required = false, is_foreign = false, onChange } = props
  return (
    <Select
      label={label}
      description={hint}
      placeholder={words.pick_identity}
      searchable
      clearable={!is_required}
      required={is_required}
      nothingFoundMessage={words.no_identity}
      data={useIdentityChoices(is_foreign, value)}
      value={value === '' ? null : value}
      onSearchChange={(typed) => did_form.test(typed.trim()) && onChange(typed.trim())}
      onChange={(did) => onChange(did ?? '')}
    />
  )
}

/** Organizations with which there is a treaty are offered; another can be typed. */
export function TenantPicker({ label, value, hint, is_required = false, onChange }: Props) {
  const { tenant_id } = useSession()
  const { answer } = useOperation('MOAT', 'list', { limit: listed_max })
  const parties = (answer?.items ?? []).flatMap((treaty) => treaty.parties.map((party) => party.tenant))
  return (
    <Autocomplete
      label={label}
      description={hint}
      placeholder={words.pick_tenant}
      required={is_required}
      data={[...new Set(parties)].filter((name) => name !== tenant_id)}
      value={value}
      onChange={onChange}
    />
  )
}
