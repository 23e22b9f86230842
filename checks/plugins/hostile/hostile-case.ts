// One hostile plugin, and its expected outcome.
import type { WasiGrant } from '@svc/adapters/plugins/sandbox/words'

/** Where it ends, and with which message. */
export type Fate =
  /** By the translator: it never runs. */
  | { readonly refused: RegExp }
  /** Its process started, but does not serve. */
  | { readonly unstarted: RegExp }
  /** This instance is discarded. */
  | { readonly trapped: RegExp }
  /** Its process ended, or was killed. */
  | { readonly died: RegExp }
  | 'killed at its deadline'
  | { readonly answered: string | RegExp }
  | { readonly says_no: string }

export interface HostileCase {
  readonly name: string
  make(): Promise<Uint8Array>
  /** Several if it depends on which limit is reached first. */
  readonly fate: Fate | readonly Fate[]
  readonly wasi?: readonly WasiGrant[]
  /** One that breaks the translator is translated as in an engine, in a separate process. */
  readonly breaks_translator?: true
  /** For one that hangs before it serves. */
  readonly start_ms_max?: number
}

export const hangs_at_start_ms = 2_000
