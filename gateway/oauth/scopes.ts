// What an access token can be asked for, in the words the consent page uses.
import type { Surface } from './site.ts'

export const scopes = {
  'svc.call': 'Call operations as you, with the capabilities your identity holds.',
  'svc.keys': 'Make, list and revoke API keys that act as you.',
} as const

/** Keys are made at the engine's own door; over MCP there is only calling. */
export function scopesOf(surface: Surface): readonly string[] {
  return surface === 'mcp' ? ['svc.call'] : Object.keys(scopes)
}

/** A client that names no scope is asked about both. */
export const default_scope = Object.keys(scopes).join(' ')

/** Known to every OpenID client. They add nothing a person would have to decide. */
export const openid_scopes = ['openid', 'offline_access'] as const

/** The command line, known without registration. */
export const built_in_client = 'svc-cli'
