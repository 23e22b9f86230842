// Who a message was let in for. MCP's library hands `AuthInfo` from the edge to the handlers untouched; the engine rides on it.
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { ToolEngine } from './engine.ts'

export interface Admitted {
  readonly ok: true
  /** Calls as this caller, by the credential of this very request. */
  readonly engine: ToolEngine
  /** What sessions and limits are bound to: the same for every request of one caller, and for nobody else's. */
  readonly caller: string
}

/** The token stays outside: nothing beyond the edge has a use for it. */
export function admittedAs({ engine, caller }: Admitted): AuthInfo {
  return { token: '', clientId: caller, scopes: [], extra: { engine } }
}

export function engineAdmitted(info: AuthInfo | undefined): ToolEngine | undefined {
  return info?.extra?.engine as ToolEngine | undefined
}
