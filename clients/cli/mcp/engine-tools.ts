// Descriptions of the engine's tools: from the catalogue, else from the engine's directory.
import { directoryTools } from '@svc/mcp/directory-tools'
import type { KnownTools } from '@svc/mcp/known-tools'
import type { Flags, Terminal } from '../command.ts'
import { settingsOf } from '../settings.ts'

export function engineTools(flags: Flags, terminal: Terminal): KnownTools {
  const { api_url } = settingsOf(flags, terminal)
  return directoryTools({ api_url, fetch: terminal.fetch })
}
