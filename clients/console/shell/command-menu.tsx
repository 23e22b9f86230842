// Cmd-K: pages, operations, agents, treaties, and anything that looks like an id.
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { type Icon, IconHash, IconRobot, IconScript, IconSearch, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { plural } from '../parts/figures.ts'
import { stateText } from '../parts/shorten.ts'
import { useAgentNames } from '../parts/use-agent-names.ts'
import { words } from '../words/en.ts'
import { hashOf } from './address.ts'
import { idTargets, matching } from './command-search.ts'
import { offeredTo } from './page-list.ts'
import { useOperation } from './use-operation.ts'
import { useSession } from './use-session.tsx'

const shown_max = 8

export function CommandMenu() {
  const [typed, setTyped] = useState('')
  const groups = useGroups(typed)
  return (
    <Spotlight
      lockScroll={false}
      shortcut={['mod + K']}
      query={typed}
      onQueryChange={setTyped}
      actions={groups}
      filter={(_query, actions) => actions}
      nothingFound={words.search_empty}
      scrollable
      maxHeight={420}
      searchProps={{
        placeholder: words.search_hint,
        leftSection: <IconSearch size={18} />,
        'aria-label': words.search,
      }}
    />
  )
}

interface Target {
  readonly id: string
  readonly label: string
  readonly description: string
  readonly href: string
  readonly Icon: Icon
}

/** A group of the menu: what matches what was typed, each with its place. */
function groupOf(group: string, targets: readonly Target[]): SpotlightActionGroupData[] {
  const actions = targets.slice(0, shown_max).map(({ id, label, description, href, Icon }) => ({
    id,
    label,
    description,
    leftSection: <Icon size={18} stroke={1.5} />,
    onClick: () => {
      spotlight.close()
      location.hash = href
    },
  }))
  return actions.length > 0 ? [{ group, actions }] : []
}

function useGroups(typed: string): SpotlightActionGroupData[] {
  const session = useSession()
  const { whoami } = session
  const is_idle = typed.trim() === ''
  const agents = useAgents(typed, is_idle)
  const treaties = useTreaties(typed, is_idle)
  const page_targets = matching(
    offeredTo(session),
    typed,
    ({ name, summary, also }) => `${name} ${summary} ${also ?? ''}`,
  ).map(({ word, name, summary, Icon }) => ({
    id: `page ${word}`,
    label: name,
    description: summary,
    href: hashOf(word),
    Icon,
  }))
  if (is_idle) return groupOf(words.menu.pages, page_targets)
  const id_targets = idTargets(typed).map(({ label, href }) => ({
    id: href,
    label,
    description: typed.trim(),
    href,
    Icon: IconHash,
  }))
  const operations = matching(
    whoami.operations,
    typed,
    ({ protocol, operation }) => `${protocol} ${operation}`,
  ).map(({ protocol, operation, may }) => ({
    id: `operation ${protocol} ${operation}`,
    label: `${protocol} ${operation.replaceAll('_', ' ')}`,
    description: may === 'no' ? words.menu.playground_barred : words.menu.playground,
    href: hashOf('playground', [protocol, operation]),
    Icon: IconTerminal2,
  }))
  return [
    ...groupOf(words.menu.ids, id_targets),
    ...groupOf(words.menu.pages, page_targets),
    ...groupOf(words.menu.operations, operations),
    ...groupOf(words.menu.agents, agents),
    ...groupOf(words.menu.treaties, treaties),
  ]
}

function useAgents(typed: string, is_off: boolean): readonly Target[] {
  const names = useAgentNames(typed, { is_off })
  const { answer } = useOperation('MACS', 'list', { limit: 100 }, { is_off })
  const listed = new Map((answer?.items ?? []).map((identity) => [identity.did, identity]))
  return matching([...names], typed, ([did, name]) => `${name} ${did}`).map(([did, name]) => {
    const { entity_kind = 'Agent', capabilities } = listed.get(did) ?? {}
    const may = capabilities === undefined ? [] : [plural(capabilities, 'capability', 'capabilities')]
    return {
      id: did,
      label: name,
      description: [stateText(entity_kind), ...may].join(', '),
      href: hashOf('access', ['agents', did]),
      Icon: IconRobot,
    }
  })
}

function useTreaties(typed: string, is_off: boolean): readonly Target[] {
  const { tenant_id } = useSession()
  const { answer } = useOperation('MOAT', 'list', { limit: 100 }, { is_off })
  const othersOf = (parties: readonly { tenant: string }[]) =>
    parties.flatMap(({ tenant }) => (tenant === tenant_id ? [] : [tenant])).join(', ')
  return matching(
    answer?.items ?? [],
    typed,
    ({ treaty_id, parties }) => `treaty ${treaty_id} ${othersOf(parties)}`,
  ).map(({ treaty_id, parties }) => ({
    id: treaty_id,
    label: words.menu.treaty_with(othersOf(parties)),
    description: treaty_id,
    href: hashOf('organizations', ['treaties', treaty_id]),
    Icon: IconScript,
  }))
}
