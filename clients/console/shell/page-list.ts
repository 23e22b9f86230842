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
}

export const pages: readonly PageRow[] = [
  {
    word: 'overview',
    name: 'Overview',
    summary: 'Health, traffic, refusals, latency and spend',
    also: 'home dashboard now live metrics health',
    needs: [
      ['MOMENT', 'snapshot'],
      ['MAX', 'audit_query'],
    ],
    Icon: IconActivityHeartbeat,
    Page: lazy(async () => ({ default: (await import('../pages/overview/overview-page.tsx')).OverviewPage })),
  },
  {
    word: 'requests',
    name: 'Requests',
    summary: 'Calls as they happen, and why one was refused',
    also: 'journey trace calls history stages why refused',
    needs: [['MAX', 'audit_query']],
    Icon: IconArrowsExchange,
    Page: lazy(async () => ({ default: (await import('../pages/requests/requests-page.tsx')).RequestsPage })),
  },
  {
    word: 'playground',
    name: 'Playground',
    summary: 'Any operation as a form',
    also: 'try run dry run call operation',
    needs: [],
    Icon: IconTerminal2,
    Page: lazy(async () => ({
      default: (await import('../pages/playground/playground-page.tsx')).PlaygroundPage,
    })),
  },
  {
    word: 'audit-log',
    name: 'Audit log',
    summary: 'Every decision, verified in this browser',
    also: 'search audit log records verify export proof checkpoints',
    needs: [['MAX', 'audit_query']],
    Icon: IconListSearch,
    Page: lazy(async () => ({
      default: (await import('../pages/audit-log/audit-log-page.tsx')).AuditLogPage,
    })),
  },
  {
    word: 'reports',
    name: 'Reports',
    summary: 'Signed compliance reports, and saved views by schedule',
    also: 'compliance pdf csv soc2 iso auditor views schedule mail',
    needs: [
      ['MAX', 'compliance_report'],
      ['MAX', 'audit_query'],
      ['MAX', 'list_views'],
    ],
    Icon: IconReport,
    Page: lazy(async () => ({ default: (await import('../pages/reports/reports-page.tsx')).ReportsPage })),
  },
  {
    word: 'inbox',
    name: 'Inbox',
    summary: 'What waits for your decision',
    also: 'approvals approve waiting access requests vote sign answer',
    needs: [
      ['MAXIM', 'approvals'],
      ['MACS', 'access_requests'],
      ['MACE', 'list'],
      ['MOAT', 'list'],
      ['MOOT', 'list'],
      ['MOON', 'list'],
    ],
    Icon: IconInbox,
    Page: lazy(async () => ({
      default: (await import('../pages/inbox/inbox-page.tsx')).InboxPage,
    })),
  },
  {
    word: 'alerts',
    name: 'Alerts',
    summary: 'What goes wrong, and who is told',
    also: 'alarm rules threshold notify silence acknowledge incidents',
    needs: [
      ['MOTIF', 'list_alerts'],
      ['MOTIF', 'list_alert_rules'],
    ],
    Icon: IconBell,
    Page: lazy(async () => ({ default: (await import('../pages/alerts/alerts-page.tsx')).AlertsPage })),
  },
  {
    word: 'organizations',
    name: 'Organizations',
    summary: 'Treaties, councils, cases and policies',
    also: 'institutions treaties motions courts policies dissolution',
    needs: [
      ['MOAT', 'list'],
      ['MACE', 'list'],
      ['MOOT', 'list'],
      ['MAXIM', 'list'],
    ],
    Icon: IconBuildingBank,
    Page: lazy(async () => ({
      default: (await import('../pages/organizations/organizations-page.tsx')).OrganizationsPage,
    })),
  },
  {
    word: 'costs',
    name: 'Costs',
    summary: 'Spend, envelopes, statements and markets',
    also: 'money budget runway spend statement market',
    needs: [
      ['MANA', 'budget'],
      ['MEAL', 'statement'],
      ['MARKET', 'query_orderbook'],
    ],
    Icon: IconCoin,
    Page: lazy(async () => ({ default: (await import('../pages/costs/costs-page.tsx')).CostsPage })),
  },
  {
    word: 'mesh',
    name: 'Mesh',
    summary: 'Agents, endpoints, devices and workflows',
    also: 'map topology registry plugins mailboxes runs',
    needs: [
      ['MAZE', 'topology'],
      ['MARS', 'query_registry'],
      ['MOON', 'list'],
    ],
    Icon: IconTopologyStar3,
    Page: lazy(async () => ({ default: (await import('../pages/mesh/mesh-page.tsx')).MeshPage })),
  },
  {
    word: 'access',
    name: 'Access',
    summary: 'People, agents, keys and delegations',
    also: 'people roles invite keys agents delegations workloads',
    needs: [],
    Icon: IconKey,
    Page: lazy(async () => ({ default: (await import('../pages/access/access-page.tsx')).AccessPage })),
  },
  {
    word: 'tenants',
    name: 'Tenants',
    summary: 'Every organization of this engine',
    also: 'tenants organizations operator tiers customers',
    needs: [],
    is_operators: true,
    Icon: IconBuildings,
    Page: lazy(async () => ({ default: (await import('../pages/tenants/tenants-page.tsx')).TenantsPage })),
  },
  {
    word: 'settings',
    name: 'Settings',
    summary: 'Webhooks, retention and witnesses of the log, sign-in, mail and tracing',
    also: 'webhooks alerts retention archive witnesses single sign-on oidc sso mail smtp trace level logging',
    needs: [],
    Icon: IconSettings,
    Page: lazy(async () => ({ default: (await import('../pages/settings/settings-page.tsx')).SettingsPage })),
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
