// What happened outside of the database, counted where no rollback, crash or restart reaches it.
import { type SimulatedProcess, Violation, type World } from '../world.ts'

type Failure = 'adapter_error' | 'policy_denied' | 'rate_limited' | undefined

interface Behaviour {
  readonly delay_ms: number
  readonly code: Failure
  /** Calls that fail before it succeeds. */
  failures: number
  is_answer_lost: boolean
}

interface UnderWay {
  readonly name: string
  readonly process: SimulatedProcess
}

/** A stop that covers a tenant: from its answer until somebody asks to lift it, nothing may begin. */
interface Stop {
  readonly tenant_id: string
  is_answered: boolean
  /** A lift was under way at some time since it was sent, and may have come after it. */
  is_lifted: boolean
}

export class Effects {
  readonly #world: World
  readonly #behaviours = new Map<string, Behaviour>()
  readonly #done: string[] = []
  readonly #under_way = new Set<UnderWay>()
  readonly #stops: Stop[] = []
  readonly #lifts = new Set<{ readonly tenant_id: string; readonly process: SimulatedProcess }>()
  violation: Violation | undefined

  constructor(world: World) {
    this.#world = world
  }

  /** One more call of this step. */
  call(name: string): { delay_ms: number; failure: Failure; is_answer_lost: boolean } {
    const behaviour = this.#behaviours.get(name) ?? this.#draw(name)
    const { delay_ms, code, is_answer_lost } = behaviour
    const is_failing = behaviour.failures > 0
    if (is_failing) behaviour.failures--
    else behaviour.is_answer_lost = false
    return { delay_ms, failure: is_failing ? code : undefined, is_answer_lost: is_answer_lost && !is_failing }
  }

  #draw(name: string): Behaviour {
    const { random } = this.#world
    const code = random.pick(['adapter_error', 'adapter_error', 'rate_limited', 'policy_denied'] as const)
    const behaviour: Behaviour = {
      delay_ms: random.pick([0, 0, 0, 100, 2_000, 6_000]),
      code,
      failures: random.chance(0.25) ? (code === 'policy_denied' ? 1_000 : random.between(1, 3)) : 0,
      is_answer_lost: random.chance(0.1),
    }
    this.#behaviours.set(name, behaviour)
    return behaviour
  }

  enter(name: string, process: SimulatedProcess): UnderWay {
    const under_way = { name, process }
    this.#under_way.add(under_way)
    this.#world.note(`${process.name} begins ${name}`)
    return under_way
  }

  leave(under_way: UnderWay): void {
    this.#under_way.delete(under_way)
  }

  /** The intent is committed: a stop that was answered before it must have refused it. */
  intended(tenant_id: string, name: string): void {
    const isInForce = (stop: Stop) => stop.is_answered && !stop.is_lifted && stop.tenant_id === tenant_id
    if (this.#stops.some(isInForce)) this.#break(`${name} began after a stop that covers it`)
  }

  happen(name: string): void {
    if (this.#done.includes(name)) this.#break(`${name} happened twice`)
    this.#done.push(name)
    this.#world.note(`${name} happens`)
  }

  /** Sent. Returns what to call once it is answered. */
  stopping(tenant_id: string): () => void {
    const is_lifted = [...this.#lifts].some((lift) => lift.tenant_id === tenant_id && lift.process.is_alive)
    const stop = { tenant_id, is_answered: false, is_lifted }
    this.#stops.push(stop)
    return () => {
      stop.is_answered = true
    }
  }

  /** Whether the latch is still set is not known from here on. Returns what to call once it is answered. */
  lifting(tenant_id: string, process: SimulatedProcess): () => void {
    for (const stop of this.#stops) if (stop.tenant_id === tenant_id) stop.is_lifted = true
    const lift = { tenant_id, process }
    this.#lifts.add(lift)
    return () => void this.#lifts.delete(lift)
  }

  has(name: string): boolean {
    return this.#done.includes(name)
  }

  get done(): readonly string[] {
    return this.#done
  }

  /** As an operator finds it out: undefined while an engine may still be at it. */
  outcomeOf(name: string): boolean | undefined {
    if (this.has(name)) return true
    const processes = [...this.#world.processes.values()]
    if (processes.some((process) => process.is_alive && process.is_paused)) return undefined
    const is_open = [...this.#under_way].some((one) => one.name === name && one.process.is_alive)
    return is_open ? undefined : false
  }

  /** Thrown into a step it would only fail the step, so the next check of the scenario throws it. */
  #break(message: string): void {
    this.violation ??= new Violation(message)
  }
}
