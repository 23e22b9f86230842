// Every page of the console: its path in the address, its name, and the permissions it needs.
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import type { PageProps } from './shell/address.ts'

interface PageRow {
  readonly word: string
  readonly name: string
  readonly summary: string
  /** The page is offered to callers who may call at least one of these. */
  readonly needs: readonly (readonly [protocol: string, operation: string])[]
  readonly Page: LazyExoticComponent<ComponentType<PageProps>>
}

export const pages: readonly PageRow[] = [
  {
    word: 'now',
    name: 'Now',
    summary: 'Live metrics',
    needs: [['MOMENT', 'snapshot']],
    Page: lazy(async () => ({ default: (await import('./pages/now/now-page.tsx')).NowPage })),
  },
  {
    word: 'journey',
    name: 'Journey',
    summary: 'One request through identity and the eight stages',
    needs: [['MAX', 'audit_query']],
    Page: lazy(async () => ({ default: (await import('./pages/journey/journey-page.tsx')).JourneyPage })),
  },
  {
    word: 'playground',
    name: 'Playground',
    summary: 'Any operation as a form',
    needs: [],
    Page: lazy(async () => ({
      default: (await import('./pages/playground/playground-page.tsx')).PlaygroundPage,
    })),
  },
  {
    word: 'audit-log',
    name: 'Audit log',
    summary: 'Every decision, verified in this browser',
    needs: [['MAX', 'audit_query']],
    Page: lazy(async () => ({
      default: (await import('./pages/audit-log/audit-log-page.tsx')).AuditLogPage,
    })),
  },
  {
    word: 'approvals',
    name: 'Approvals',
    summary: 'Calls that wait for the consent of people',
    needs: [['MAXIM', 'approvals']],
    Page: lazy(async () => ({
      default: (await import('./pages/approvals/approvals-page.tsx')).ApprovalsPage,
    })),
  },
  {
    word: 'institutions',
    name: 'Institutions',
    summary: 'Treaties, councils, cases, policies',
    needs: [
      ['MOAT', 'list'],
      ['MACE', 'list'],
      ['MOOT', 'list'],
      ['MAXIM', 'list'],
    ],
    Page: lazy(async () => ({
      default: (await import('./pages/institutions/institutions-page.tsx')).InstitutionsPage,
    })),
  },
  {
    word: 'money',
    name: 'Money',
    summary: 'Spend, envelopes, statements, markets',
    needs: [
      ['MANA', 'budget'],
      ['MEAL', 'statement'],
      ['MARKET', 'query_orderbook'],
    ],
    Page: lazy(async () => ({ default: (await import('./pages/money/money-page.tsx')).MoneyPage })),
  },
  {
    word: 'mesh',
    name: 'Mesh',
    summary: 'Registered agents, endpoints, devices and workflows',
    needs: [
      ['MAZE', 'topology'],
      ['MARS', 'query_registry'],
      ['MOON', 'list'],
    ],
    Page: lazy(async () => ({ default: (await import('./pages/mesh/mesh-page.tsx')).MeshPage })),
  },
  {
    word: 'people',
    name: 'People',
    summary: 'Who signs in, with which roles',
    needs: [['MACS', 'people']],
    Page: lazy(async () => ({ default: (await import('./pages/people/people-page.tsx')).PeoplePage })),
  },
  {
    word: 'access',
    name: 'Access',
    summary: 'Agents, keys and delegations',
    needs: [],
    Page: lazy(async () => ({ default: (await import('./pages/access/access-page.tsx')).AccessPage })),
  },
]
