// By what somebody is signed in, as a gateway names it to an engine: enough to ask whether it stands, and no door opens to it.
import { Closed, HexHash } from '@svc/contract/schema'
import { type Static, Type } from 'typebox'

const TokenHolding = Closed({
  kind: Type.Literal('token'),
  grant_hash: HexHash,
  /** The token's own end: its grant goes on for longer. */
  ends_s: Type.Integer(),
})
const SessionHolding = Closed({ kind: Type.Literal('session'), token_hash: HexHash })

export const Holding = Type.Union([TokenHolding, SessionHolding])
export type Holding = Static<typeof Holding>
