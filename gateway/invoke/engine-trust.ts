// Which engines are served here, and how requests and answers are signed.
import type { SigningKey } from '@svc/contract/signing/signature'

export interface EngineTrust {
  /** Trusted engines, including this one. */
  readonly dids: ReadonlySet<string>
  /** Signs the answers; undefined where this engine has no key. */
  readonly signer: SigningKey | undefined
  /** False where any replica has seen this id of this engine. */
  claim(engine_did: string, id: string, until_ms: number): Promise<boolean>
  /** Throws where a body takes too long to arrive. */
  inTime<Value>(arriving: Promise<Value>): Promise<Value>
}
