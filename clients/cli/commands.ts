// All commands. Each is loaded on demand to keep a cold start fast.
import type { Command } from './command.ts'

interface Listed {
  readonly summary: string
  /** Subcommands for shell completions: name and summary. */
  readonly subcommands?: Readonly<Record<string, string>>
  readonly load: () => Promise<Command>
}

export const commands: Readonly<Record<string, Listed>> = {
  login: {
    summary: 'Sign in through the browser and store an API key for this machine',
    load: async () => (await import('./commands/login.ts')).login,
  },
  whoami: {
    summary: 'Show who you are here, and what you may call',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
  operations: {
    summary: 'List the operations of the engine, or find some by words',
    load: async () => (await import('./commands/operations.ts')).operations,
  },
  describe: {
    summary: 'Show the input, the answer and an example of an operation',
    load: async () => (await import('./commands/describe.ts')).describe,
  },
  invoke: {
    summary: 'Call an operation of a protocol, or dry-run it',
    load: async () => (await import('./commands/invoke.ts')).invoke,
  },
  approvals: {
    summary: 'List, show, approve and refuse calls that wait for approval',
    subcommands: {
      list: 'Show the calls that wait for your approval',
      show: 'Show one in full: what was asked, its cost and its effects',
      approve: 'Approve one call',
      refuse: 'Refuse one call',
    },
    load: async () => (await import('./commands/approvals.ts')).approvals,
  },
  explain: {
    summary: 'Explain why a call was allowed or refused, or why somebody may call an operation',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  keys: {
    summary: 'Make, list and revoke API keys, and change own keys, of yourself or a descendant',
    subcommands: {
      create: 'Make an API key',
      list: 'Show keys and sessions',
      revoke: 'Revoke a key, or end a session',
      rotate: 'Commit to the next own key, or change to it',
      recover: 'Put a new key in place of a lost or stolen one',
    },
    load: async () => (await import('./commands/keys.ts')).keys,
  },
  webhooks: {
    summary: 'Set, list and remove webhooks: addresses that receive events of your audit log',
    subcommands: {
      set: 'Have events posted to an address',
      list: 'Show all, and how their deliveries go',
      remove: 'Stop one for good',
    },
    load: async () => (await import('./commands/webhooks.ts')).webhooks,
  },
  alerts: {
    summary: 'Set alert rules, and list, acknowledge and silence alerts',
    subcommands: {
      list: 'Show alerts that fire or did',
      acknowledge: 'Take one on',
      rules: 'Show all rules, and those that are offered',
      set: 'Set or change a rule',
      'set-defaults': 'Set the rules that are offered',
      silence: 'Have nobody told of a rule for a while',
      remove: 'Remove a rule',
    },
    load: async () => (await import('./commands/alerts.ts')).alerts,
  },
  audit: {
    summary: 'Follow, export and verify your audit log',
    subcommands: {
      tail: 'Follow the records as they are written',
      export: 'Write the audit log to a file that anyone can verify',
      verify: 'Check an export, or the audit log of the engine',
    },
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  tail: {
    summary: 'Follow your audit log; the short form of svc audit tail',
    load: async () => (await import('./commands/audit.ts')).tail,
  },
  report: {
    summary: 'Issue a compliance report, save it as PDF or CSV, and verify it offline',
    subcommands: {
      issue: 'Issue a report on a period',
      fetch: 'Save a report that was issued',
      verify: 'Check the file of a report offline',
    },
    load: async () => (await import('./commands/report.ts')).report,
  },
  views: {
    summary: 'Save queries under a name, get them as CSV, and have them mailed by schedule',
    subcommands: {
      set: 'Save a query, or change it',
      list: 'Show yours, and those of your organization',
      fetch: 'Get the rows of one as CSV',
      remove: 'Remove one',
    },
    load: async () => (await import('./commands/views.ts')).views,
  },
  verify: {
    summary: 'Check a proof or an exported audit log offline',
    load: async () => (await import('./commands/verify.ts')).verify,
  },
  mcp: {
    summary: 'List and call tools, serve them to an MCP client, or write its config',
    subcommands: {
      list: 'Show the tools you may call',
      call: 'Call one tool',
      serve: 'Serve the tools to an MCP client',
      connect: 'Write the config file of an MCP client',
    },
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  config: {
    summary: 'Show and change settings, and choose a profile',
    subcommands: {
      list: 'Every setting in force, and where it comes from',
      get: 'One setting, for scripts',
      set: 'Store a setting in the file of the profile',
      unset: 'Remove a setting from the file',
      profiles: 'The profiles on this machine',
      use: 'Use a profile from now on',
    },
    load: async () => (await import('./commands/config.ts')).config,
  },
  doctor: {
    summary: 'Check settings, address, clock, key and permissions, and say what to fix',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  completions: {
    summary: 'Print shell completions: bash, zsh or fish',
    subcommands: { bash: 'For bash', zsh: 'For zsh', fish: 'For fish' },
    load: async () => (await import('./commands/completions.ts')).completions,
  },
  logout: {
    summary: 'Revoke tokens and key, and delete the config file',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
}
