// Work left after an operation's rows are committed. Its result does not change the answer.
import type { Log } from '../ports.ts'

const works_max = 16

export class AfterCommit {
  readonly #works: (() => Promise<void>)[] = []

  get is_empty(): boolean {
    return this.#works.length === 0
  }

  add(work: () => Promise<void>): void {
    if (this.#works.length >= works_max)
      throw new Error(`an operation may leave at most ${works_max} things to do after its commit`)
    this.#works.push(work)
  }

  async run(log: Log, correlation_id: string): Promise<void> {
    for (const work of this.#works.splice(0)) {
      try {
        await work()
      } catch (error) {
        log.warn({ err: error, correlation_id }, 'work after a commit failed')
      }
    }
  }
}
