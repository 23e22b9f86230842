// A simulated network between processes: requests and answers may be late, reordered, doubled or lost.
import { currentProcess, type SimulatedProcess, type World } from './world.ts'

export type Handler = (request: string) => Promise<string>

export interface NetworkFaults {
  /** Of 0 to 1, for each message. */
  lost: number
  doubled: number
  /** Extra delay of each message, at most. */
  delay_ms_max: number
}

export class Network {
  readonly faults: NetworkFaults = { lost: 0, doubled: 0, delay_ms_max: 0 }
  readonly #world: World
  readonly #servers = new Map<string, { process: SimulatedProcess; handle: Handler }>()
  readonly #partitions = new Set<string>()

  constructor(world: World) {
    this.#world = world
  }

  /** Requests to this name run `handle` in the process. */
  serve(name: string, process: SimulatedProcess, handle: Handler): void {
    this.#servers.set(name, { process, handle })
  }

  /** Nothing passes between the two, in either direction. */
  partition(process_name: string, server_name: string): void {
    this.#partitions.add(`${process_name} ${server_name}`)
  }

  heal(): void {
    this.#partitions.clear()
    Object.assign(this.faults, { lost: 0, doubled: 0, delay_ms_max: 0 })
  }

  /** From the simulated process that runs; rejects where no answer comes in time. */
  async call(server_name: string, request: string, wait_ms_max: number): Promise<string> {
    const client = currentProcess()
    if (!client) throw new Error('only a simulated process has a network')
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const timer = setTimeout(() => reject(new Error(`${server_name} did not answer`)), wait_ms_max)
    const isCut = () => this.#partitions.has(`${client.name} ${server_name}`)
    const server = this.#servers.get(server_name)
    const answer = (text: string) => {
      if (!isCut()) this.#pass(client, `answer of ${server_name}`, () => resolve(text))
    }
    if (server && !isCut()) {
      this.#pass(server.process, `request to ${server_name}`, () => {
        server.handle(request).then(answer, () => {})
      })
    }
    try {
      return await promise
    } finally {
      clearTimeout(timer)
    }
  }

  #pass(process: SimulatedProcess, name: string, run: () => void): void {
    const { random, now_ms } = this.#world
    const copies = random.chance(this.faults.lost) ? 0 : random.chance(this.faults.doubled) ? 2 : 1
    for (let i = 0; i < copies; i++) {
      const due_ms = now_ms + random.between(0, this.faults.delay_ms_max)
      this.#world.add({ name, process, due_ms, run: () => process.run(run) })
    }
  }
}
