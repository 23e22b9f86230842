// Mining may take long and must not take for ever, nor the whole process: it counts its steps, and lets others go between them.

const steps_in_a_turn = 250_000

/** Work that stops now and then where others may go on. */
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

  /** True where it is time to let others go, and then not for a while. */
  isTurnOver(): boolean {
    if (this.#steps < this.#turn_ends) return false
    this.#turn_ends = this.#steps + steps_in_a_turn
    return true
  }
}

/** Runs it to its end, a turn of the event loop at a time. */
export async function mineInTurns<Found>(mining: Mining<Found>, signal: AbortSignal): Promise<Found> {
  for (;;) {
    const { done, value } = mining.next()
    if (done) return value
    signal.throwIfAborted()
    await new Promise((resolve) => setImmediate(resolve))
  }
}
