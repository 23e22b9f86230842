// The caller a message was admitted for. The MCP library passes `AuthInfo` to the handlers unchanged; it carries the engine.
import type { AuthInfo } from '@modelcontextprotocol/server'
import type { ToolEngine } from './engine.ts'

export interface Admitted {
  readonly ok: true
  /** Calls as this caller, with the credential of this request. */
  readonly engine: ToolEngine
  /** Binds sessions and limits: the same for all requests of one caller, unique to it. */
  readonly caller: string
}

/** The token is not passed on: handlers do not need it. */
export function admittedAs({ engine, caller }: Admitted): AuthInfo {
  return { token: '', clientId: caller, scopes: [], extra: { engine } }
}

export function engineAdmitted(info: AuthInfo | undefined): ToolEngine | undefined {
  return info?.extra?.engine as ToolEngine | undefined
}
