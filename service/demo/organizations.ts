// The three organizations of the demo. Every name says that it is one.

export interface DemoPerson {
  readonly login: string
  readonly name: string
  readonly role: 'administrator' | 'finance' | 'auditor' | 'operator' | 'viewer'
  /** Sits in the council, and may do everything. */
  readonly is_member?: boolean
}

export interface DemoAgent {
  readonly name: string
  readonly summary: string
  readonly department: string
  /** A person's login or another agent's name. */
  readonly parent: string
  readonly capabilities: readonly string[]
  /** Calls on a busy day. */
  readonly calls_a_day: number
}

export interface DemoOrganization {
  readonly tenant_id: string
  readonly name: string
  readonly people: readonly DemoPerson[]
  readonly agents: readonly DemoAgent[]
  /** Dollars a day and a month. */
  readonly departments: Readonly<Record<string, readonly [day: string, month: string]>>
}

const everyday = [
  'svc.max.audit_log_entry',
  'svc.max.audit_query',
  'svc.mars.*',
  'svc.mim.*',
  'svc.motet.emit',
]
const worker = [
  ...everyday,
  'svc.mind.store_memory',
  'svc.moon.execute_workflow',
  'svc.maker.execute_action',
  'svc.weather.forecast',
]

export const demo_organizations: readonly DemoOrganization[] = [
  {
    tenant_id: 'demo-aurora',
    name: 'Aurora Robotics (demo)',
    people: [
      { login: 'ada@aurora.example', name: 'Ada Berg', role: 'administrator', is_member: true },
      { login: 'tomas@aurora.example', name: 'Tomas Lind', role: 'administrator', is_member: true },
      { login: 'mei@aurora.example', name: 'Mei Tan', role: 'finance', is_member: true },
      { login: 'jonas@aurora.example', name: 'Jonas Holm', role: 'auditor' },
      { login: 'ines@aurora.example', name: 'Ines Costa', role: 'viewer' },
    ],
    departments: { engineering: ['6', '120'], purchasing: ['3', '60'], support: ['0.002', '0.05'] },
    agents: [
      {
        name: 'Planner',
        summary: 'Plans the production of the week.',
        department: 'engineering',
        parent: 'ada@aurora.example',
        capabilities: worker,
        calls_a_day: 18,
      },
      {
        name: 'Inspector',
        summary: 'Checks parts against their drawings.',
        department: 'engineering',
        parent: 'Planner',
        capabilities: worker,
        calls_a_day: 14,
      },
      {
        name: 'Buyer',
        summary: 'Orders parts from suppliers.',
        department: 'purchasing',
        parent: 'mei@aurora.example',
        capabilities: [...worker, 'svc.moat.propose', 'svc.made.*'],
        calls_a_day: 10,
      },
      {
        name: 'Helpdesk',
        summary: 'Answers customers.',
        department: 'support',
        parent: 'tomas@aurora.example',
        capabilities: everyday,
        calls_a_day: 12,
      },
    ],
  },
  {
    tenant_id: 'demo-borealis',
    name: 'Borealis Logistics (demo)',
    people: [
      { login: 'lars@borealis.example', name: 'Lars Nygaard', role: 'administrator', is_member: true },
      { login: 'petra@borealis.example', name: 'Petra Novak', role: 'operator' },
      { login: 'sam@borealis.example', name: 'Sam Okafor', role: 'finance' },
    ],
    departments: { dispatch: ['5', '100'], customs: ['2', '40'] },
    agents: [
      {
        name: 'Router',
        summary: 'Finds routes for trucks and trains.',
        department: 'dispatch',
        parent: 'lars@borealis.example',
        capabilities: [...worker, 'svc.moat.propose', 'svc.made.*'],
        calls_a_day: 16,
      },
      {
        name: 'Tracker',
        summary: 'Follows shipments.',
        department: 'dispatch',
        parent: 'Router',
        capabilities: everyday,
        calls_a_day: 15,
      },
      {
        name: 'Customs clerk',
        summary: 'Prepares customs papers.',
        department: 'customs',
        parent: 'lars@borealis.example',
        capabilities: worker,
        calls_a_day: 8,
      },
    ],
  },
  {
    tenant_id: 'demo-cobalt',
    name: 'Cobalt Insurance (demo)',
    people: [
      { login: 'ruth@cobalt.example', name: 'Ruth Meyer', role: 'administrator', is_member: true },
      { login: 'omar@cobalt.example', name: 'Omar Haddad', role: 'auditor' },
    ],
    departments: { claims: ['4', '80'] },
    agents: [
      {
        name: 'Assessor',
        summary: 'Assesses damage.',
        department: 'claims',
        parent: 'ruth@cobalt.example',
        capabilities: [...worker, 'svc.moat.propose', 'svc.made.*', 'svc.moot.hear', 'svc.moot.rule'],
        calls_a_day: 11,
      },
      {
        name: 'Fraud watch',
        summary: 'Looks for claims that repeat.',
        department: 'claims',
        parent: 'Assessor',
        capabilities: everyday,
        calls_a_day: 6,
      },
    ],
  },
]
