// The imports and exports of a WebAssembly core module, read from its binary form before anything compiles it.

export interface Limits {
  readonly min: number
  readonly max: number | undefined
  readonly is_64: boolean
  readonly is_shared: boolean
}

export interface CoreModule {
  readonly memories: readonly Limits[]
  readonly tables: readonly Limits[]
  /** Of imports and exports, as the module writes them: any text. */
  readonly names: readonly string[]
}

const import_section = 2
const table_section = 4
const memory_section = 5
const export_section = 7
const table_kind = 1
const memory_kind = 2
const entries_max = 100_000

/** Undefined if it is no readable module. */
export function readCoreModule(bytes: Uint8Array): CoreModule | undefined {
  const asks: Asks = { memories: [], tables: [], names: [] }
  const { memories, tables } = asks
  const reader = new Reader(bytes)
  try {
    if (reader.u32() !== 0x6d736100 || reader.u32() !== 1) return undefined
    while (!reader.atEnd) {
      const kind = reader.byte()
      const section = reader.part(reader.leb())
      if (kind === import_section) readImports(section, asks)
      else if (kind === table_section) repeat(section, () => tables.push(readTable(section)))
      else if (kind === memory_section) repeat(section, () => memories.push(section.limits()))
      else if (kind === export_section) readExports(section, asks)
    }
    return asks
  } catch {
    return undefined
  }
}

interface Asks {
  readonly memories: Limits[]
  readonly tables: Limits[]
  readonly names: string[]
}

function readImports(reader: Reader, { memories, tables, names }: Asks): void {
  repeat(reader, () => {
    names.push(reader.name(), reader.name())
    const kind = reader.byte()
    if (kind === table_kind) {
      skipType(reader)
      tables.push(reader.limits())
    } else if (kind === memory_kind) memories.push(reader.limits())
    else if (kind === 0) reader.leb()
    else if (kind === 3) {
      skipType(reader)
      reader.byte()
    } else if (kind === 4) {
      reader.byte()
      reader.leb()
    } else throw new RangeError('an import of an unknown kind')
  })
}

function readExports(reader: Reader, { names }: Asks): void {
  repeat(reader, () => {
    names.push(reader.name())
    reader.byte()
    reader.leb()
  })
}

/** A table with an initializer begins with 0x40 0x00; what follows its limits is then not needed. */
function readTable(reader: Reader): Limits {
  const has_value = reader.peek() === 0x40
  if (has_value) reader.skip(2)
  skipType(reader)
  const limits = reader.limits()
  if (has_value) throw new RangeError('a table with a value to fill it')
  return limits
}

/** A value type: one byte, or 0x63 or 0x64 followed by a heap type. */
function skipType(reader: Reader): void {
  const type = reader.byte()
  if (type === 0x63 || type === 0x64) reader.leb()
}

function repeat(reader: Reader, work: () => void): void {
  const count = reader.leb()
  if (count > entries_max) throw new RangeError('more entries than any module has')
  for (let i = 0; i < count; i++) work()
}

// A class because it tracks its position.
class Reader {
  at = 0
  readonly #bytes: Uint8Array
  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }
  get atEnd(): boolean {
    return this.at >= this.#bytes.length
  }
  peek(): number | undefined {
    return this.#bytes[this.at]
  }
  byte(): number {
    const byte = this.#bytes[this.at++]
    if (byte === undefined) throw new RangeError('the module ends too early')
    return byte
  }
  skip(count: number): void {
    this.at += count
  }
  /** The next bytes alone: if a section could read on, many short ones would each read the whole module. */
  part(length: number): Reader {
    const from = this.at
    this.skip(length)
    return new Reader(this.#bytes.subarray(from, this.at))
  }
  name(): string {
    const length = this.leb()
    const from = this.at
    this.skip(length)
    if (this.at > this.#bytes.length) throw new RangeError('a name ends too late')
    return Buffer.from(this.#bytes.subarray(from, this.at)).toString('utf8')
  }
  u32(): number {
    return this.byte() + this.byte() * 2 ** 8 + this.byte() * 2 ** 16 + this.byte() * 2 ** 24
  }
  /** Unsigned; exact for all realistic modules. */
  leb(): number {
    let [value, scale] = [0, 1]
    for (let i = 0; i < 10; i++) {
      const byte = this.byte()
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value
      scale *= 128
    }
    throw new RangeError('a number of more than ten bytes')
  }
  limits(): Limits {
    const flags = this.byte()
    const min = this.leb()
    const max = flags & 1 ? this.leb() : undefined
    if (flags & 8) this.leb()
    return { min, max, is_64: (flags & 4) !== 0, is_shared: (flags & 2) !== 0 }
  }
}
