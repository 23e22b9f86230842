// What thinking and acting need beyond rows: the same things for a handler and for the engine that hands them over.

import type { Tools } from '../foreign/tools.ts'
import type { Compute, ComputeOwner } from './computation.ts'
import type { Devices } from './devices.ts'
import type { Embedder } from './embedding.ts'
import type { MailRoom } from './mail-room.ts'
import type { Vitals } from './measurement.ts'
import type { Model } from './model.ts'
import type { News } from './news.ts'
import type { Roster } from './roster.ts'

export interface Faculties {
  /** Texts as vectors. */
  readonly embedder: Embedder
  /** Undefined where no model is configured: then the built-in path answers. */
  readonly model: Model | undefined
  /** Runs what takes long in a thread. */
  readonly compute: Compute
  /** Waits for what others do, without holding rows. */
  readonly news: News
  /** Tools of servers outside that the operator allows. */
  readonly tools: Tools
  /** Mail between identities and organizations. */
  readonly mail: MailRoom
  /** Devices over a broker. */
  readonly devices: Devices
  /** Who and what there is, for lists. */
  readonly roster: Roster
  /** How the engine is, and what it has measured. */
  readonly vitals: Vitals
  /** Tokens as they are billed: o200k_base. */
  countTokens(texts: readonly string[], owner?: ComputeOwner): Promise<number>
}
