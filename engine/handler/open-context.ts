// The context of one call, with every need as a lazy property.

import type { Needs } from '@svc/contract/needs/needs'
import type { Placed } from '../call.ts'
import type { Ports } from '../ports.ts'
import { engine_needs } from './engine-needs.ts'
import { HandlerContext, type Redispatch } from './handler-context.ts'
import type { WorldNeeds } from './world-needs.ts'

type ContextClass = new (call: Placed, ports: Ports, redispatch: Redispatch) => HandlerContext & Needs

/** One class per engine: needs a call does not read cost nothing. */
const classes = new WeakMap<WorldNeeds, ContextClass>()

export function openContext(call: Placed, ports: Ports, redispatch: Redispatch): HandlerContext & Needs {
  let Context = classes.get(ports.needs)
  if (!Context) {
    Context = contextClass(ports.needs)
    classes.set(ports.needs, Context)
  }
  return new Context(call, ports, redispatch)
}

function contextClass(world: WorldNeeds): ContextClass {
  class NeedingContext extends HandlerContext {
    readonly #asking: Parameters<(typeof engine_needs)['engine']>[0]

    constructor(call: Placed, ports: Ports, redispatch: Redispatch) {
      super(call, ports, redispatch)
      this.#asking = { context: this as HandlerContext as HandlerContext & Needs, call, ports }
    }

    static {
      for (const [need, provide] of Object.entries({ ...engine_needs, ...world }))
        Object.defineProperty(NeedingContext.prototype, need, {
          get(this: NeedingContext) {
            return provide(this.#asking)
          },
        })
    }
  }
  // The getters above are what the type promises.
  return NeedingContext as unknown as ContextClass
}
