// Responses of an Aegis node, checked for shape. Callers check whether they are true.
import type { Static, TSchema } from 'typebox'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { Closed, Hash, ListOf, Timestamp } from '../schema.ts'
import { DelegationLink, DelegationPolicy, StoredChain, StoredHoldings } from './delegation-chain.ts'
import { DelegationChallenge, StoredChallenge } from './delegation-challenge.ts'

/** By the node's own operations. */
const answers = {
  challenge: DelegationChallenge,
  find_challenge: StoredChallenge,
  delegate: Closed({ token_id: Hash, created: Type.Boolean() }),
  chain: StoredChain,
  held: StoredHoldings,
  list: Closed({
    delegations: ListOf(DelegationLink, 0, 100),
    next_cursor: Type.Optional(Type.String({ maxLength: 200 })),
  }),
  policy: DelegationPolicy,
  set_policy: DelegationPolicy,
  revoke: Closed({ revoked: ListOf(Hash, 1, 1_024), at: Timestamp }),
} as const satisfies Record<string, TSchema>

export type NodeAnswers = { [Name in keyof typeof answers]: Static<(typeof answers)[Name]> }

const checks = new Map<string, { Check(value: unknown): boolean }>()

/** Undefined where it is not a response of this operation. */
export function readAnswer<Name extends keyof NodeAnswers>(
  operation: Name,
  received: unknown,
): NodeAnswers[Name] | undefined {
  let check = checks.get(operation)
  if (!check) {
    check = Compile(answers[operation])
    checks.set(operation, check)
  }
  return check.Check(received) ? (received as NodeAnswers[Name]) : undefined
}
