// Sentences of the page Mesh.

export const devices = {
  devices: 'Devices',
  device: 'Device',
  broker: 'Broker',
  state: 'State',
  last_seen: 'Last seen',
  sensors: 'Sensors',
  actuators: 'Actuators',
  no_reading: 'nothing yet',
  range: (low: string, high: string) => `${low} to ${high}`,
  unknown: 'unknown',
  not_confirmed: 'not confirmed',
  on: 'on',
  off: 'off',
} as const

export const mailboxes = {
  mailboxes: 'Mailboxes',
  mailbox: 'Mailbox',
  waiting: 'Waiting',
  delivered: 'Delivered',
  scheduled: 'Scheduled',
  dead: 'Dead letters',
  size: 'Size',
  oldest: 'Oldest waiting',
  opened: 'Opened',
} as const

export const registry = {
  kind: 'Kind of entry',
  kinds: {
    agent: 'Agents',
    treaty: 'Treaties',
    policy: 'Policies',
    asset: 'Assets',
    plugin: 'Plugins',
    report: 'Reports',
    verdict: 'Verdicts',
    chain_seal: 'Seals of audit logs',
    schema: 'Schemas',
    model: 'Models',
    artifact: 'Artifacts',
  },
  subject: 'Subject',
  state: 'State',
  version: 'Version',
  organization: 'Organization',
  registered: 'Registered',
  signed: 'Signed',
  entry: 'Entry',
  what: 'What is registered',
} as const
