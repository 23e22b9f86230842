// Which engines are served here, and how what they ask and are answered is signed.
import type { SigningKey } from '@svc/contract/signing/signature'

export interface EngineTrust {
  /** Engines that are served here, this one among them. */
  readonly dids: ReadonlySet<string>
  /** Signs the answers; undefined where this engine was given no key. */
  readonly signer: SigningKey | undefined
  /** False where any replica has seen this id of this engine. */
  claim(engine_did: string, id: string, until_ms: number): Promise<boolean>
  /** Raises where a body takes longer to arrive than it may. */
  inTime<Value>(arriving: Promise<Value>): Promise<Value>
}
