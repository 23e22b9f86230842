// The circuits, looked up without building a key: this runs twice in every call.
import { type Circuit, newCircuit } from './circuit.ts'

const circuits_max = 2_000

export interface Circuits {
  find(protocol: string, endpoint: string): Circuit | undefined
  /** Undefined at the limit, until a round of probes has forgotten some. */
  findOrAdd(protocol: string, endpoint: string, now_ms: number): Circuit | undefined
  forget(circuit: Circuit): void
  all(): Circuit[]
}

export function newCircuits(): Circuits {
  const by_protocol = new Map<string, Map<string, Circuit>>()
  let count = 0
  const find = (protocol: string, endpoint: string) => by_protocol.get(protocol)?.get(endpoint)
  const all = () => [...by_protocol.values()].flatMap((by_endpoint) => [...by_endpoint.values()])
  const forget = (circuit: Circuit) => {
    const by_endpoint = by_protocol.get(circuit.protocol)
    if (!by_endpoint?.delete(circuit.endpoint)) return
    // A probe of it that is still in flight has no effect.
    circuit.moves++
    count--
    if (by_endpoint.size === 0) by_protocol.delete(circuit.protocol)
  }
  return {
    find,
    forget,
    all,
    findOrAdd(protocol, endpoint, now_ms) {
      const existing = find(protocol, endpoint)
      if (existing) return existing
      if (count >= circuits_max) return undefined
      const circuit = newCircuit(protocol, endpoint, now_ms)
      const by_endpoint = by_protocol.get(protocol) ?? new Map<string, Circuit>()
      by_protocol.set(protocol, by_endpoint.set(endpoint, circuit))
      count++
      return circuit
    },
  }
}
