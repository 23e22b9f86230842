// How far witnesses have cosigned a chain: each by the largest of its cosigned checkpoints whose root these records have.
import { bad_cosignature, cosignedAt, readWitnessKey, type WitnessKey } from './verify-cosignature.ts'
import { Fault } from './verify-header.ts'
import type { Note } from './verify-note.ts'

export interface Witnessed {
  /** Records up to this one are vouched for by as many witnesses as are needed, one where none are. */
  readonly size: number
  readonly by: readonly {
    readonly name: string
    readonly size: number
    /** When it saw that, in seconds of the epoch. */
    readonly at_seconds: number
  }[]
}

const keys_max = 64

export class Witnesses {
  readonly #seen = new Map<WitnessKey, { size: number; at_seconds: number }>()
  #keys: readonly WitnessKey[] = []
  #needed = 0

  trust(texts: readonly string[] = [], needed = 0): void {
    if (!Number.isSafeInteger(needed) || needed < 0) throw new Fault('the witnesses needed are no number')
    this.#needed = needed
    const keys = new Map<string, WitnessKey>()
    for (const text of texts) keys.set(text, readOrFault(text))
    this.#keys = [...keys.values()]
    if (keys.size > keys_max) throw new Fault(`more than ${keys_max} keys of witnesses are given`)
    if (this.#needed > keys.size) {
      throw new Fault(`${this.#needed} witnesses are needed, and the keys of ${keys.size} are given`)
    }
  }

  /** For notes whose root was found to be that of the records. */
  take(note: Note): void {
    for (const key of this.#keys) {
      const at_seconds = cosignedAt(note, key)
      if (at_seconds === undefined) continue
      if (at_seconds === bad_cosignature) {
        throw new Fault(
          `the cosignature of ${key.name} under the checkpoint of size ${note.size} is not its own`,
        )
      }
      if (note.size >= (this.#seen.get(key)?.size ?? 0)) this.#seen.set(key, { size: note.size, at_seconds })
    }
  }

  finish(): void {
    if (this.#needed > this.#seen.size) {
      throw new Fault(
        `${this.#needed} witnesses are needed, and ${this.#seen.size} of yours have cosigned a checkpoint of this chain`,
      )
    }
  }

  verdict(): { witnessed?: Witnessed } {
    if (this.#keys.length === 0) return {}
    const by = [...this.#seen].map(([{ name }, seen]) => ({ name, ...seen }))
    by.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1))
    return { witnessed: { size: by[Math.max(1, this.#needed) - 1]?.size ?? 0, by } }
  }
}

function readOrFault(text: string): WitnessKey {
  try {
    return readWitnessKey(text)
  } catch (error) {
    throw new Fault((error as Error).message)
  }
}
