// Tenants: every organization of the engine, for whoever runs it.
import { useMemo } from 'react'
import { askRoute, type Session } from '../../api/session.ts'
import type { ListColumn, ListDescription } from '../../list/describe.ts'
import { ListPage } from '../../list/list-page.tsx'
import { Count, Fact, Stat, When } from '../../parts/figure.tsx'
import { countText } from '../../parts/figures.ts'
import { TextView } from '../../parts/json-view.tsx'
import { StateBadge } from '../../parts/words.tsx'
import { useSession } from '../../shell/use-session.tsx'
import { words } from '../../words/en.ts'
import { OperatorOnly } from '../settings/operator-only.tsx'

const text = words.tenants

interface Tenant {
  readonly tenant_id: string
  readonly name: string
  readonly tier: string
  readonly created_at: string
  readonly live_keys: number
  readonly charter_members: number
  readonly people: number
  readonly audit_records: number
  readonly is_sealed: boolean
  readonly calls: number
  readonly refused: number
  readonly failed: number
}

export function TenantsPage() {
  return (
    <OperatorOnly is_operators why_not={text.not_operator}>
      <TenantList />
    </OperatorOnly>
  )
}

function TenantList() {
  const session = useSession()
  const list = useMemo(() => listOf(session), [session])
  return <ListPage list={list} />
}

function listOf(session: Session): ListDescription<Tenant> {
  return {
    name: text.name,
    columns,
    filters: [{ field: 'search', label: text.search, kind: 'text', placeholder: text.search_hint }],
    keyOf: ({ tenant_id }) => tenant_id,
    async read({ search }, after) {
      const query = new URLSearchParams({ ...(search && { search }), ...(after && { after }) })
      interface Answer {
        readonly items: readonly Tenant[]
        readonly next_after?: string
      }
      const page = await askRoute<Answer>(session, 'GET', `/admin/tenants?${query}`)
      return { rows: page.items, next: page.next_after }
    },
    panel: (tenant_id, tenant) => ({
      title: tenant?.name ?? tenant_id,
      body: tenant && <TenantView tenant={tenant} />,
    }),
    empty: (
      <>
        {text.none} <code>{text.create}</code>.
      </>
    ),
  }
}

function counted(key: keyof Tenant & string, head: string, countOf: (tenant: Tenant) => number) {
  return {
    key,
    head,
    is_number: true,
    cell: (tenant: Tenant) => <Count of={countOf(tenant)} />,
    text: countOf,
  }
}

const stateOf = ({ is_sealed }: Tenant) => (is_sealed ? text.sealed : text.open)

const columns: readonly ListColumn<Tenant>[] = [
  { key: 'name', head: text.organization, cell: ({ name }) => name, text: ({ name }) => name },
  {
    key: 'tenant_id',
    head: text.id,
    cell: ({ tenant_id }) => <code>{tenant_id}</code>,
    text: ({ tenant_id }) => tenant_id,
  },
  { key: 'tier', head: text.tier, cell: ({ tier }) => tier, text: ({ tier }) => tier },
  {
    key: 'state',
    head: text.state,
    cell: (tenant) => <StateBadge state={stateOf(tenant)} />,
    text: stateOf,
  },
  counted('calls', text.calls, ({ calls }) => calls),
  counted('refused', text.refused, ({ refused }) => refused),
  counted('failed', text.failed, ({ failed }) => failed),
  counted('people', text.people, ({ people }) => people),
  counted('live_keys', text.keys, ({ live_keys }) => live_keys),
  counted('audit_records', text.records, ({ audit_records }) => audit_records),
  {
    key: 'created_at',
    head: text.created,
    cell: ({ created_at }) => <When at={created_at} />,
    text: ({ created_at }) => created_at,
  },
]

function TenantView({ tenant }: { tenant: Tenant }) {
  const { tenant_id, tier, created_at, people, live_keys, charter_members, audit_records } = tenant
  return (
    <>
      <dl className="facts">
        <Fact name={text.id} value={<code>{tenant_id}</code>} />
        <Fact name={text.state} value={<StateBadge state={stateOf(tenant)} />} />
        <Fact name={text.tier} value={tier} />
        <Fact name={text.created} value={<When at={created_at} />} />
      </dl>
      <h3>{text.day}</h3>
      <dl className="stats">
        <Stat name={text.calls_made} value={countText(tenant.calls)} />
        <Stat name={text.refused} value={countText(tenant.refused)} />
        <Stat name={text.failed} value={countText(tenant.failed)} />
      </dl>
      <h3>{text.access}</h3>
      <dl className="facts">
        <Fact name={text.people} value={countText(people)} />
        <Fact name={text.keys} value={countText(live_keys)} />
        <Fact name={text.members} value={countText(charter_members)} />
        <Fact name={text.records} value={countText(audit_records)} />
      </dl>
      <h3>{text.next}</h3>
      {text.commands(tenant_id).map(([label, command]) => (
        <TextView key={label} label={label!} text={command!} />
      ))}
    </>
  )
}
