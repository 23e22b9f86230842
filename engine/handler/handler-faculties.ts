// What a handler is given as it is: what thinking and acting need beyond rows, and what the engine knows of itself.

import { tiers } from '@svc/contract/authority/tier'
import type { Compute } from '@svc/contract/needs/computation'
import type { Faculties } from '@svc/contract/needs/faculties'
import type { StandIn } from '@svc/contract/operation-context'
import { refuse } from '@svc/contract/refusal'
import type { Placed } from '../call.ts'
import { deadlineOf } from '../limits/budget.ts'
import { bucketSize } from '../limits/limits.ts'
import type { Ports } from '../ports.ts'
import { allPlaces, allServed, findServed } from '../routing/served-operations.ts'

export abstract class HandlerFaculties implements Faculties {
  readonly #asked: Placed['asked']
  readonly #operation: Placed['operation']
  readonly #ports: Ports
  readonly #correlation_id: string

  constructor({ asked, operation, correlation_id }: Placed, ports: Ports) {
    this.#asked = asked
    this.#operation = operation
    this.#correlation_id = correlation_id
    this.#ports = ports
  }

  get deadline_ms() {
    return deadlineOf({ operation: this.#operation, asked: this.#asked })
  }
  get telemetry() {
    return this.#ports.telemetry
  }
  get embedder() {
    return this.#ports.faculties.embedder
  }
  get model() {
    return this.#ports.faculties.model
  }
  /** The caller's own tenant waits and pays for it, whoever is called; and no longer than its tier allows. */
  get compute(): Compute {
    const { credential } = this.#asked
    const { compute } = this.#ports.faculties
    const { compute_ms_max } = tiers[credential.tier]
    return (job, input, deadline_ms) => compute(job, input, Math.min(deadline_ms, compute_ms_max), credential)
  }
  get news() {
    return this.#ports.faculties.news
  }
  get roster() {
    return this.#ports.faculties.roster
  }
  get vitals() {
    return this.#ports.faculties.vitals
  }
  get mail() {
    return this.#ports.faculties.mail
  }
  get tools() {
    return this.#ports.faculties.tools
  }
  get devices() {
    return this.#ports.faculties.devices
  }
  countTokens(texts: readonly string[]) {
    return this.#ports.faculties.countTokens(texts, this.#asked.credential)
  }

  findOperation(protocol: string, operation: string) {
    return findServed(this.#ports.registry, protocol, operation)
  }
  operations() {
    return allServed(this.#ports.registry)
  }
  places() {
    return allPlaces(this.#ports.registry, this.#ports.breaker, this.#asked.credential.tenant_id)
  }
  bucketOf(protocol: string) {
    const { registry, settings } = this.#ports
    const rate = registry.versions(protocol)?.[0]?.facts.rate
    return rate && bucketSize(settings.limits, rate, this.#asked.credential.tier)
  }

  /** Work that outlives its call is done with what its caller's credential carried, and nothing more. */
  standIn(): StandIn {
    if (this.#asked.within?.ceilings)
      throw refuse(
        'policy_denied',
        'A plugin cannot leave work behind that goes on as its caller; do it in the call.',
        {
          reason: 'called by a plugin',
        },
      )
    const { key_id, did, tenant_id, tier, capabilities } = this.#asked.credential
    const depth = this.#asked.within?.depth ?? 0
    return { key_id, did, tenant_id, tier, capabilities, correlation_id: this.#correlation_id, depth }
  }
}
