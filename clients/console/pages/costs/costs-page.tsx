// Usage and cost, budgets, contracts and markets.
import { Tabs } from '../../parts/tabs.tsx'
import type { PageProps } from '../../shell/address.ts'
import { Contracts } from './contracts.tsx'
import { Envelopes } from './envelopes.tsx'
import { Market } from './market.tsx'
import { Spend } from './spend.tsx'
import { StatementView } from './statement.tsx'

export function CostsPage({ place }: PageProps) {
  return (
    <Tabs
      place={place}
      tabs={[
        { word: 'spend', name: 'Spend', show: () => <Spend /> },
        { word: 'envelopes', name: 'Envelopes', show: () => <Envelopes /> },
        { word: 'statement', name: 'Statement', show: () => <StatementView query={place.query} /> },
        { word: 'contracts', name: 'Contracts and assets', show: () => <Contracts /> },
        { word: 'market', name: 'Market', show: () => <Market instrument={place.query.instrument} /> },
      ]}
    />
  )
}
