// Shared memory from the main thread to the writer thread: how far the journal is written, and that there is work.

/** A position in the journal, at the end of a frame. */
export interface Position {
  readonly segment: number
  readonly offset: number
}

const offset_bits = 32n
const offset_mask = (1n << offset_bits) - 1n
const cell_wake = 0
const cell_outbox = 1
const cell_hurry = 2
const position_bytes = 8
const cells = 3

export class Signals {
  readonly buffer: SharedArrayBuffer
  readonly #position: BigInt64Array
  readonly #cells: Int32Array

  constructor(buffer = new SharedArrayBuffer(position_bytes + cells * Int32Array.BYTES_PER_ELEMENT)) {
    this.buffer = buffer
    this.#position = new BigInt64Array(buffer, 0, 1)
    this.#cells = new Int32Array(buffer, position_bytes, cells)
  }

  /** One atomic store for segment and offset: a reader never sees half a move. */
  publish(position: Position): void {
    Atomics.store(this.#position, 0, (BigInt(position.segment) << offset_bits) | BigInt(position.offset))
    this.wake()
  }

  written(): Position {
    const packed = Atomics.load(this.#position, 0)
    return { segment: Number(packed >> offset_bits), offset: Number(packed & offset_mask) }
  }

  wake(): void {
    Atomics.add(this.#cells, cell_wake, 1)
    Atomics.notify(this.#cells, cell_wake)
  }

  wakes(): number {
    return Atomics.load(this.#cells, cell_wake)
  }

  /** Resolves at the next wake after `wake_count` was read, or on timeout. */
  async awaitWake(wake_count: number, timeout_ms: number): Promise<void> {
    await Atomics.waitAsync(this.#cells, cell_wake, wake_count, timeout_ms).value
  }

  /** A transaction with events was committed; the count tells which ones a read has covered. */
  countOutbox(): void {
    Atomics.add(this.#cells, cell_outbox, 1)
    this.wake()
  }

  outboxCount(): number {
    return Atomics.load(this.#cells, cell_outbox)
  }

  /** While somebody waits for a commit, the writer does not wait for a fuller batch. */
  changeHurry(by: 1 | -1): void {
    Atomics.add(this.#cells, cell_hurry, by)
    if (by === -1) return
    Atomics.notify(this.#cells, cell_hurry)
    this.wake()
  }

  /** Resolves as soon as somebody waits for a commit, or on timeout. */
  async awaitHurry(timeout_ms: number): Promise<void> {
    await Atomics.waitAsync(this.#cells, cell_hurry, 0, timeout_ms).value
  }

  hurried(): boolean {
    return Atomics.load(this.#cells, cell_hurry) > 0
  }
}

/** Negative where `a` comes first. */
export function comparePositions(a: Position, b: Position): number {
  return a.segment - b.segment || a.offset - b.offset
}
