// Scopes of an access token, in the words of the consent page.
import type { Surface } from './site.ts'

export const scopes = {
  'svc.call': 'Call operations as you, with the capabilities your identity holds.',
  'svc.keys': 'Make, list and revoke API keys that act as you.',
} as const

/** Keys are issued by the engine's own endpoint; MCP has calls only. */
export function scopesOf(surface: Surface): readonly string[] {
  return surface === 'mcp' ? ['svc.call'] : Object.keys(scopes)
}

/** A client that names no scope requests both. */
export const default_scope = Object.keys(scopes).join(' ')

/** Known to every OpenID client; they need no decision by the person. */
export const openid_scopes = ['openid', 'offline_access'] as const

/** The command line, known without registration. */
export const built_in_client = 'svc-cli'
