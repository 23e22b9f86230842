// What the steps of this part work on.
import type { Random } from '../random.ts'
import type { World } from '../world.ts'
import type { Engine } from './engine.ts'
import type { LedgerModel } from './model.ts'
import type { Agent, Organizations } from './organizations.ts'
import type { Input, Operation, Request, Requests } from './requests.ts'

export interface LedgerState {
  readonly world: World
  readonly organizations: Organizations
  readonly engines: readonly Engine[]
  readonly requests: Requests
  readonly model: LedgerModel
  /** The latest time of any engine's clock so far. */
  latest_ms: number
}

/** Often to two engines at once, as a client that did not wait for its answer. */
export function ask(
  { engines, requests }: LedgerState,
  random: Random,
  agent: Agent,
  tenant_id: string,
  operation: Operation,
  input: Input,
): Request {
  const request = requests.add(agent, tenant_id, operation, input)
  const copies = random.chance(0.25) ? 2 : 1
  for (let i = 0; i < copies; i++) requests.send(random.pick(engines), request)
  return request
}

export function agentsOf({ organizations }: LedgerState): Agent[] {
  return [...organizations.agents.values()]
}
