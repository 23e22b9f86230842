// Every page of the console: its path in the address, its name, and the permissions it needs.
import {
  type Icon,
  IconActivityHeartbeat,
  IconArrowsExchange,
  IconBell,
  IconBuildingBank,
  IconBuildings,
  IconCoin,
  IconInbox,
  IconKey,
  IconListSearch,
  IconReport,
  IconSettings,
  IconTerminal2,
  IconTopologyStar3,
} from '@tabler/icons-react'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { Session } from '../api/session.ts'
import { page_words } from '../words/en-pages.ts'
import type { PageProps } from './address.ts'

export interface PageRow {
  readonly word: string
  readonly name: string
  readonly summary: string
  /** What people type to find it. */
  readonly also?: string
  /** Any one of these lets the page show something; without one it says what is missing. */
  readonly needs: readonly (readonly [protocol: string, operation: string])[]
  /** Offered only to people of the organization that runs the engine. */
  readonly is_operators?: boolean
  readonly Icon: Icon
  readonly Page: LazyExoticComponent<ComponentType<PageProps>>
  /** Begins to load it, before it can be drawn. */
  preload(): void
}

/** Loaded when it is first opened. */
function loaded(load: () => Promise<ComponentType<PageProps>>): Pick<PageRow, 'Page' | 'preload'> {
  let loading: Promise<{ default: ComponentType<PageProps> }> | undefined
  const once = () => {
    loading ??= load().then(
      (Page) => ({ default: Page }),
      (error) => {
        loading = undefined
        throw error
      },
    )
    return loading
  }
  // Tried again where the page is drawn, which also shows why it fails.
  return { Page: lazy(once), preload: () => void once().catch(() => {}) }
}

export const pages: readonly PageRow[] = [
  {
    word: 'overview',
    ...page_words.overview,
    needs: [
      ['MOMENT', 'snapshot'],
      ['MAX', 'audit_query'],
    ],
    Icon: IconActivityHeartbeat,
    ...loaded(async () => (await import('../pages/overview/overview-page.tsx')).OverviewPage),
  },
  {
    word: 'requests',
    ...page_words.requests,
    needs: [['MAX', 'audit_query']],
    Icon: IconArrowsExchange,
    ...loaded(async () => (await import('../pages/requests/requests-page.tsx')).RequestsPage),
  },
  {
    word: 'playground',
    ...page_words.playground,
    needs: [],
    Icon: IconTerminal2,
    ...loaded(async () => (await import('../pages/playground/playground-page.tsx')).PlaygroundPage),
  },
  {
    word: 'audit-log',
    ...page_words['audit-log'],
    needs: [['MAX', 'audit_query']],
    Icon: IconListSearch,
    ...loaded(async () => (await import('../pages/audit-log/audit-log-page.tsx')).AuditLogPage),
  },
  {
    word: 'reports',
    ...page_words.reports,
    needs: [
      ['MAX', 'compliance_report'],
      ['MAX', 'audit_query'],
      ['MAX', 'list_views'],
    ],
    Icon: IconReport,
    ...loaded(async () => (await import('../pages/reports/reports-page.tsx')).ReportsPage),
  },
  {
    word: 'inbox',
    ...page_words.inbox,
    needs: [
      ['MAXIM', 'approvals'],
      ['MACS', 'access_requests'],
      ['MACE', 'list'],
      ['MOAT', 'list'],
      ['MOOT', 'list'],
      ['MOON', 'list'],
    ],
    Icon: IconInbox,
    ...loaded(async () => (await import('../pages/inbox/inbox-page.tsx')).InboxPage),
  },
  {
    word: 'alerts',
    ...page_words.alerts,
    needs: [
      ['MOTIF', 'list_alerts'],
      ['MOTIF', 'list_alert_rules'],
    ],
    Icon: IconBell,
    ...loaded(async () => (await import('../pages/alerts/alerts-page.tsx')).AlertsPage),
  },
  {
    word: 'organizations',
    ...page_words.organizations,
    needs: [
      ['MOAT', 'list'],
      ['MACE', 'list'],
      ['MOOT', 'list'],
      ['MAXIM', 'list'],
    ],
    Icon: IconBuildingBank,
    ...loaded(async () => (await import('../pages/organizations/organizations-page.tsx')).OrganizationsPage),
  },
  {
    word: 'costs',
    ...page_words.costs,
    needs: [
      ['MANA', 'budget'],
      ['MEAL', 'statement'],
      ['MARKET', 'query_orderbook'],
    ],
    Icon: IconCoin,
    ...loaded(async () => (await import('../pages/costs/costs-page.tsx')).CostsPage),
  },
  {
    word: 'mesh',
    ...page_words.mesh,
    needs: [
      ['MAZE', 'topology'],
      ['MARS', 'query_registry'],
      ['MOON', 'list'],
    ],
    Icon: IconTopologyStar3,
    ...loaded(async () => (await import('../pages/mesh/mesh-page.tsx')).MeshPage),
  },
  {
    word: 'access',
    ...page_words.access,
    needs: [],
    Icon: IconKey,
    ...loaded(async () => (await import('../pages/access/access-page.tsx')).AccessPage),
  },
  {
    word: 'tenants',
    ...page_words.tenants,
    needs: [],
    is_operators: true,
    Icon: IconBuildings,
    ...loaded(async () => (await import('../pages/tenants/tenants-page.tsx')).TenantsPage),
  },
  {
    word: 'settings',
    ...page_words.settings,
    needs: [],
    Icon: IconSettings,
    ...loaded(async () => (await import('../pages/settings/settings-page.tsx')).SettingsPage),
  },
]

/** Those that are offered to whoever is signed in; any can be opened by its address. */
export function offeredTo({ runs_engine }: Pick<Session, 'runs_engine'>): readonly PageRow[] {
  return pages.filter(({ is_operators = false }) => runs_engine || !is_operators)
}

/** Addresses of earlier versions, which people have bookmarked. */
export const moved: Readonly<Record<string, string>> = {
  now: 'overview',
  journey: 'requests',
  approvals: 'inbox',
  institutions: 'organizations',
  money: 'costs',
  people: 'access',
}
