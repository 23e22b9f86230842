import type { Target } from './target.ts'

/** The settings the engine of this target would run with, as far as they can be read. */
export interface Premises {
  readonly target: Target
  readonly host: string
  readonly port: number
  readonly metrics_port: number
  readonly agent_did: string | undefined
  readonly tenant_id: string | undefined
  readonly audit_dir: string
  readonly audit_bytes_max: number
}
