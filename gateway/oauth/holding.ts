// How somebody is signed in, as a gateway reports it to an engine: enough to check that it is valid, but not a credential.
import { Closed, HexHash, PublicKey } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const TokenHolding = Closed({
  kind: Type.Literal('token'),
  grant_hash: HexHash,
  /** The token's own expiry: its grant lasts longer. */
  ends_s: Type.Integer(),
})
const SessionHolding = Closed({ kind: Type.Literal('session'), token_hash: HexHash })
/** An agent on its way to a session: the gateway verified that it holds this key. */
const ProofHolding = Closed({ kind: Type.Literal('proof'), public_key: PublicKey })

export const Holding = Type.Union([TokenHolding, SessionHolding, ProofHolding])
export type Holding = Static<typeof Holding>
