// Cmd-K: pages, operations, agents, treaties, and anything that looks like an id.
import { Spotlight, type SpotlightActionGroupData, spotlight } from '@mantine/spotlight'
import { type Icon, IconHash, IconRobot, IconScript, IconSearch, IconTerminal2 } from '@tabler/icons-react'
import { useState } from 'react'
import { plural } from '../parts/figures.ts'
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
  const agents = useOperation('MACS', 'list', { limit: 100 }, { is_off: is_idle })
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
  if (is_idle) return groupOf('Pages', page_targets)
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
    description: may === 'no' ? 'Playground, not permitted' : 'Playground',
    href: hashOf('playground', [protocol, operation]),
    Icon: IconTerminal2,
  }))
  const people = matching(agents.answer?.items ?? [], typed, ({ name, did }) => `${name ?? ''} ${did}`).map(
    ({ did, name, entity_kind, capabilities }) => ({
      id: did,
      label: name ?? did,
      description: `${entity_kind}, ${plural(capabilities, 'capability', 'capabilities')}`,
      href: hashOf('access', ['agents', did]),
      Icon: IconRobot,
    }),
  )
  return [
    ...groupOf('Ids', id_targets),
    ...groupOf('Pages', page_targets),
    ...groupOf('Operations', operations),
    ...groupOf('Agents', people),
    ...groupOf('Treaties', treaties),
  ]
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
    label: `Treaty with ${othersOf(parties)}`,
    description: treaty_id,
    href: hashOf('organizations', ['treaties', treaty_id]),
    Icon: IconScript,
  }))
}
