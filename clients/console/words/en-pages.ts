// The pages: their names, what they are for, and what people type to find them.

export const page_words = {
  overview: {
    name: 'Overview',
    summary: 'Health, traffic, refusals, latency and spend',
    also: 'home dashboard now live metrics health',
  },
  requests: {
    name: 'Requests',
    summary: 'Calls as they happen, and why one was refused',
    also: 'journey trace calls history stages why refused',
  },
  playground: {
    name: 'Playground',
    summary: 'Any operation as a form',
    also: 'try run dry run call operation',
  },
  'audit-log': {
    name: 'Audit log',
    summary: 'Every decision, verified in this browser',
    also: 'search audit log records verify export proof checkpoints',
  },
  reports: {
    name: 'Reports',
    summary: 'Signed compliance reports, and saved views by schedule',
    also: 'compliance pdf csv soc2 iso auditor views schedule mail',
  },
  inbox: {
    name: 'Inbox',
    summary: 'What waits for your decision',
    also: 'approvals approve waiting access requests vote sign answer',
  },
  alerts: {
    name: 'Alerts',
    summary: 'What goes wrong, and who is told',
    also: 'alarm rules threshold notify silence acknowledge incidents',
  },
  organizations: {
    name: 'Organizations',
    summary: 'Treaties, councils, cases and policies',
    also: 'institutions treaties motions courts policies dissolution',
  },
  costs: {
    name: 'Costs',
    summary: 'Spend, envelopes, statements and markets',
    also: 'money budget runway spend statement market',
  },
  mesh: {
    name: 'Mesh',
    summary: 'Agents, endpoints, devices and workflows',
    also: 'map topology registry plugins mailboxes runs',
  },
  access: {
    name: 'Access',
    summary: 'People, agents, keys and delegations',
    also: 'people roles invite keys agents delegations workloads',
  },
  tenants: {
    name: 'Tenants',
    summary: 'Every organization of this engine',
    also: 'tenants organizations operator tiers customers',
  },
  settings: {
    name: 'Settings',
    summary: 'Webhooks, retention and witnesses of the log, sign-in, mail and tracing',
    also: 'webhooks alerts retention archive witnesses single sign-on oidc sso mail smtp trace level logging',
  },
} as const
