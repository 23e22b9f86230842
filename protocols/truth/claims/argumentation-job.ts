// Decides a large dispute in a worker thread.
import {
  type Argument,
  defeatsAmong,
  type Label,
  labelGrounded,
  type RaisedAttack,
  type Weights,
} from './argumentation.ts'

export interface Dispute {
  readonly claims: ReadonlyMap<string, Argument>
  readonly attacks: readonly RaisedAttack[]
  readonly weights: Weights
}

export function compute({ claims, attacks, weights }: Dispute): Map<string, Label> {
  return labelGrounded(claims.keys(), defeatsAmong(claims, attacks, weights))
}
