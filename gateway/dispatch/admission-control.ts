// Limits concurrent calls and the bytes of their bodies. Whatever exceeds them is refused at once. An organization may take three times
// as many places as it leaves free, so there is always room for others.
import { type Refusal, refuse } from '@svc/contract/refusal'
import type { Clock } from '@svc/engine/ports'

/** The reason of a call refused by admission control. */
export const engine_busy = 'engine busy'
const retry_ms_min = 500
/** Randomized, or all callers refused at one moment would retry at one moment. */
const retry_ms_spread = 1_500
/** How many places an organization may have for each that is free. Its first call needs none beside it. */
const places_for_a_free_one = 3

export interface AdmissionLimits {
  readonly calls_max: number
  readonly body_bytes_max: number
}

export interface AdmissionControl {
  /** A slot for one call, or a refusal. The caller must release it exactly once. */
  enter(tenant_id?: string): Place
  readonly calls: number
  readonly body_bytes: number
  /** How many calls were refused. */
  readonly shed: number
}

/** Only counters are kept per call, so a released slot can do no harm. */
export interface Place {
  /** Whose call it is, once that is known; refuses where its organization has too many. */
  belongTo(tenant_id: string): void
  /** Refuses where this many more bytes would not fit now; nothing is reserved for announced bytes. */
  expect(bytes: number): void
  /** Counts received bytes, or refuses them. */
  hold(bytes: number): void
  /** The call waits for its own caller, who may be slow on purpose: meanwhile another may use the slot. */
  stepAside(): void
  /** Takes a slot again; refuses where none is free. */
  stepBack(): void
  leave(): void
}

export function openAdmission(
  limits: AdmissionLimits,
  clock: Clock,
  whose: 'engine' | 'gateway' = 'engine',
): AdmissionControl {
  const usage: Held = { calls: 0, of_tenants: new Map(), body_bytes: 0, shed: 0 }
  const refuseBusy = (what: string): Refusal => {
    usage.shed++
    return refuse('no_endpoint_available', `This ${whose} is busy with ${what}; try again a little later.`, {
      reason: whose === 'engine' ? engine_busy : 'gateway busy',
      retry_after_ms: Math.round(retry_ms_min + retry_ms_spread * clock.random()),
    })
  }
  return {
    enter: (tenant_id) => new TakenPlace(usage, limits, refuseBusy, tenant_id),
    get calls() {
      return usage.calls
    },
    get body_bytes() {
      return usage.body_bytes
    },
    get shed() {
      return usage.shed
    },
  }
}

interface Held {
  calls: number
  readonly of_tenants: Map<string, number>
  body_bytes: number
  shed: number
}

class TakenPlace implements Place {
  readonly #held: Held
  readonly #limits: AdmissionLimits
  readonly #refuseBusy: (what: string) => Refusal
  #tenant_id: string | undefined
  #own_bytes = 0
  #left = false
  #aside = false

  constructor(
    usage: Held,
    limits: AdmissionLimits,
    refuseBusy: (what: string) => Refusal,
    tenant_id: string | undefined,
  ) {
    this.#held = usage
    this.#limits = limits
    this.#refuseBusy = refuseBusy
    this.#tenant_id = tenant_id
    this.#take()
  }

  belongTo(tenant_id: string): void {
    if (this.#left || this.#tenant_id !== undefined) return
    this.#giveBack()
    this.#aside = true
    this.#tenant_id = tenant_id
    this.stepBack()
  }

  /** One body alone always fits, however small the limit. */
  expect(bytes: number): void {
    const { body_bytes } = this.#held
    const { body_bytes_max } = this.#limits
    if (body_bytes > this.#own_bytes && body_bytes + bytes > body_bytes_max)
      throw this.#refuseBusy(`${body_bytes_max} bytes of requests, all it holds at a time`)
  }

  hold(bytes: number): void {
    if (this.#left) return
    this.expect(bytes)
    this.#own_bytes += bytes
    this.#held.body_bytes += bytes
  }

  stepAside(): void {
    if (this.#left || this.#aside) return
    this.#aside = true
    this.#giveBack()
  }

  stepBack(): void {
    if (this.#left || !this.#aside) return
    this.#take()
    this.#aside = false
  }

  leave(): void {
    if (this.#left) return
    this.#left = true
    if (!this.#aside) this.#giveBack()
    this.#held.body_bytes -= this.#own_bytes
  }

  #take(): void {
    const { calls_max } = this.#limits
    const { calls, of_tenants } = this.#held
    if (calls >= calls_max) throw this.#refuseBusy(`${calls_max} calls, all it takes at a time`)
    if (this.#tenant_id !== undefined) {
      const own = of_tenants.get(this.#tenant_id) ?? 0
      if (own >= places_for_a_free_one * (calls_max - calls))
        throw this.#refuseBusy(`${own} calls of your organization, and the rest of its places is for others`)
      of_tenants.set(this.#tenant_id, own + 1)
    }
    this.#held.calls++
  }

  #giveBack(): void {
    this.#held.calls--
    if (this.#tenant_id === undefined) return
    const { of_tenants } = this.#held
    const left = of_tenants.get(this.#tenant_id)! - 1
    if (left > 0) of_tenants.set(this.#tenant_id, left)
    else of_tenants.delete(this.#tenant_id)
  }
}
