// Stages 4 and 5 before the token of stage 3 is there, so that Redis takes it and reserves the budget in one question.
import type { Admitted, Budgeted, Guarded, Take } from './call.ts'
import type { Ports } from './ports.ts'
import { gateCapability } from './stages/4-gate-capability.ts'
import { breakCircuit } from './stages/5-break-circuit.ts'
import { type BudgetPlan, concludeBudget, planBudget } from './stages/5-reserve-budget.ts'

/** Of one call. It counts only if the call gets its token. */
export class Ahead {
  /** Takes what the stages write: a call without a token must not show it. */
  #copy: Admitted | undefined
  #plan: BudgetPlan | undefined
  #refusal: unknown

  /** What to reserve. Undefined where a stage refuses, or would wait: then they are passed in order. */
  judge(call: Admitted, ports: Ports): readonly Take[] | undefined {
    const copy = { ...call }
    try {
      const authorised = gateCapability(copy, ports)
      if (authorised instanceof Promise) {
        authorised.catch(() => {})
        return undefined
      }
      this.#plan = planBudget(breakCircuit(authorised, ports), ports)
    } catch (refusal) {
      this.#refusal = refusal
    }
    this.#copy = copy
    return this.#plan?.takes
  }

  /** Passes stages 4 and 5 by what was judged. Undefined where they must be passed in order. */
  pass(call: Admitted, ports: Ports): Budgeted | Promise<Budgeted> | undefined {
    const { allowance } = call
    if (!this.#copy || (this.#plan && !allowance.reservation)) return undefined
    Object.assign(call, this.#copy, { allowance })
    // It took no time of its own.
    if (call.stage > 4) call.ended_ms[4] = call.ended_ms[3]!
    if (!this.#plan) throw this.#refusal
    return concludeBudget(call as Guarded, this.#plan, allowance.reservation!.lacking, ports)
  }
}
