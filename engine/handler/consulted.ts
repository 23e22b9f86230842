// What one protocol lets another ask through the engine: each runs inside the asking operation's own transaction.
import type { OperationContext, RegistryEntry } from '@svc/contract/operation-context'

/** Whether an organization as a whole has decided something. */
export type Authorizer = (context: OperationContext, wanted: AuthorityWanted) => Promise<string>

export interface AuthorityWanted {
  /** `MOAT.sign` */
  readonly operation: string
  readonly subject: string
  readonly ref: string | undefined
}

/** Where protocols make known what they have made. */
export type Registrar = (context: OperationContext, entry: RegistryEntry) => Promise<string>

/** What a probability of some forecaster has really meant so far; undefined where nobody has published that. */
export type Calibrator = (
  context: OperationContext,
  forecaster: string,
  probability: number,
) => Promise<number | undefined>
