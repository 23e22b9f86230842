import type { Bounds } from '../list-page.ts'

/** Of one organization. */
export const workloads_max = 200

export interface NewWorkload {
  readonly workload_id: string
  readonly did: string
  readonly issuer: string
  readonly audience: string
  /** The accepted texts of each claim; all claims must fit. */
  readonly claims: Readonly<Record<string, readonly string[]>>
}

export interface ListedWorkload extends NewWorkload {
  /** Its issuer's keys are stored here, by the operator. */
  readonly has_keys: boolean
  readonly created_at: Date
  readonly last_used_at: Date | null
}

/** Which tokens of other platforms act as which agents of this tenant. */
export interface Workloads {
  /** Why the credential of this call may add none; undefined where it may. */
  whyNot(): Promise<string | undefined>
  /** How many there are. Nobody else adds one until this transaction ends. */
  lockAndCount(): Promise<number>
  add(workload: NewWorkload): Promise<void>
  find(workload_id: string): Promise<ListedWorkload | undefined>
  /** Newest first. */
  list(did: string | undefined, bounds: Bounds): Promise<readonly ListedWorkload[]>
  /** Ends its sessions too, and what they began. */
  remove(workload_id: string): Promise<void>
  /** All of an agent; how many there were. */
  removeOf(did: string): Promise<number>
}
