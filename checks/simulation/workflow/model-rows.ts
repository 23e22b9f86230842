// What the model reads and keeps of runs.
import type { Shape } from './manifests.ts'

/** What a client asked of a run and what it was answered. */
export interface ModelRun {
  readonly run_id: string
  readonly tenant_id: string
  readonly shape: Shape
  /** Sent, whether or not it was answered. */
  readonly cancels: Set<'stop' | 'compensate'>
  is_signalled: boolean
}

export interface RunRow {
  readonly run_id: string
  readonly tenant_id: string
  readonly manifest_ref: string
  readonly parent_run_id: string | null
  readonly state: string
}

export interface StepRow {
  readonly run_id: string
  readonly path: string
  readonly state: string
  readonly seq: number
}

export interface Event {
  readonly event_type: string
  readonly meta: {
    readonly name?: string
    readonly run?: string
    readonly state?: string
    readonly path?: string
  }
}
