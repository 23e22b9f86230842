// One hostile plugin, and what must come of it.
import type { WasiGrant } from '@svc/adapters/plugins/sandbox/words'

/** Where it ends, and what is said of it there. */
export type Fate =
  /** By the translator: it is never run. */
  | { readonly refused: RegExp }
  /** Its process began, and it does not serve. */
  | { readonly unstarted: RegExp }
  /** This instance is thrown away. */
  | { readonly trapped: RegExp }
  /** Its process ended, or was ended. */
  | { readonly died: RegExp }
  | 'killed at its deadline'
  | { readonly answered: string | RegExp }
  | { readonly says_no: string }

export interface HostileCase {
  readonly name: string
  make(): Promise<Uint8Array>
  /** Several where it depends on which limit is reached first. */
  readonly fate: Fate | readonly Fate[]
  readonly wasi?: readonly WasiGrant[]
  /** What breaks the translator itself is translated as in an engine, in a process of its own. */
  readonly breaks_translator?: true
  /** Where it hangs before it serves, nobody waits long. */
  readonly start_ms_max?: number
}

export const hangs_at_start_ms = 2_000
