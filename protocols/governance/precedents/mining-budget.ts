// Limits the steps of mining and yields to other work in between.

const steps_in_a_turn = 250_000

/** Work that yields regularly. */
export type Mining<Found> = Generator<undefined, Found>

export class MiningBudget {
  readonly #steps_max: number
  #steps = 0
  #turn_ends = steps_in_a_turn

  constructor(steps_max: number) {
    this.#steps_max = steps_max
  }

  get is_spent(): boolean {
    return this.#steps > this.#steps_max
  }

  spend(steps: number): void {
    this.#steps += steps
  }

  /** True if it is time to yield; then false for a number of steps. */
  isTurnOver(): boolean {
    if (this.#steps < this.#turn_ends) return false
    this.#turn_ends = this.#steps + steps_in_a_turn
    return true
  }
}

/** Runs it to the end, one event-loop turn at a time. */
export async function mineInTurns<Found>(mining: Mining<Found>, signal: AbortSignal): Promise<Found> {
  for (;;) {
    const { done, value } = mining.next()
    if (done) return value
    signal.throwIfAborted()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
