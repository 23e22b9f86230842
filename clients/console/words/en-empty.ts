// What will appear where there is nothing yet, and the one next step; a step leads to the Playground.

export const empty = {
  workflows: {
    says: 'No runs yet. Runs of your workflows appear here with each step.',
    step: 'Register a workflow',
  },
  devices: {
    says: 'No device yet. Devices at the MQTT broker of this engine appear here with what they measure.',
    step: 'Register a device',
  },
  registry: {
    says: 'Nothing of this kind is registered yet. Agents, treaties, policies and others appear here once they are published.',
    step: 'Register an agent',
  },
  mailboxes: {
    says: 'No mailbox yet. Mailboxes of your agents appear here with how many messages wait.',
    step: 'Send a message',
  },
  endpoints: {
    says: 'No service outside this engine yet. Services appear here with their state; the operator adds one with',
    command: 'svc-engine admin protocol add',
  },
  plugins: {
    says: 'No plugin yet. Plugins appear here with their state; the operator makes and installs one with',
    command: 'svc-engine plugin new, build, sign, install',
  },
  contracts: {
    says: 'No contracts yet. What two organizations owe each other appears here.',
    step: 'Create a contract',
  },
  assets: { says: 'You own no assets and have published none.', step: 'Publish an asset' },
  envelopes: {
    says: 'No envelopes: every agent spends from the whole runway.',
    step: 'Give a department a budget',
  },
  holds: { says: 'Nothing is held. A hold stops spending until somebody ends it.', step: 'Hold spending' },
  usage: 'No usage in this period. Choose an earlier one above.',
  trades: 'No trades yet. Orders that met appear here with their price.',
  market: {
    says: 'Choose what is traded above. Its order book appears here, with what is bid and asked, the last trades and your own orders.',
    step: 'See all assets',
  },
  delegations: {
    says: 'No delegations. What one agent delegates to another appears here as a tree.',
    step: 'Delegate a capability',
  },
  cases: { says: 'No cases match. Disputes under your treaties appear here.', step: 'File a case' },
  identities: {
    says: 'No identity matches.',
    step: 'Derive one from yours',
  },
} as const
