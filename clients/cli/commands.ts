// Every command, and where it lives. Only the one that was asked for is loaded: most of a cold start is loading.
import type { Command } from './command.ts'

interface Listed {
  readonly summary: string
  readonly load: () => Promise<Command>
}

export const commands: Readonly<Record<string, Listed>> = {
  login: {
    summary: 'Sign in through the browser and keep an API key for this machine',
    load: async () => (await import('./commands/login.ts')).login,
  },
  whoami: {
    summary: 'Show who you are here, and what you may call',
    load: async () => (await import('./commands/whoami.ts')).whoami,
  },
  invoke: {
    summary: 'Call an operation: svc invoke MAX audit_query --input \'{"limit": 5}\'',
    load: async () => (await import('./commands/invoke.ts')).invoke,
  },
  explain: {
    summary: 'Tell why a call was allowed or refused',
    load: async () => (await import('./commands/explain.ts')).explain,
  },
  audit: {
    summary: 'Follow, export and verify your audit book',
    load: async () => (await import('./commands/audit.ts')).audit,
  },
  mcp: {
    summary: 'List and call tools, serve them to an MCP client, or write its config',
    load: async () => (await import('./commands/mcp.ts')).mcp,
  },
  doctor: {
    summary: 'Check settings, address, clock, key and rights, and say what to mend',
    load: async () => (await import('./commands/doctor.ts')).doctor,
  },
  completions: {
    summary: 'Print shell completions: bash, zsh or fish',
    load: async () => (await import('./commands/completions.ts')).completions,
  },
  logout: {
    summary: 'Revoke tokens and key, and delete the config file',
    load: async () => (await import('./commands/logout.ts')).logout,
  },
}
