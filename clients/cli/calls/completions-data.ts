// What generated/completions.json holds: loaded when asked for, because a cold start should not pay for it.

export interface FieldFacts {
  readonly type: string
  readonly required: boolean
  readonly description?: string
  readonly values?: readonly unknown[]
}

export interface OperationFacts {
  readonly summary: string
  readonly effect: string
  readonly input: Readonly<Record<string, FieldFacts>>
  readonly example: unknown
}

export interface Completions {
  readonly protocols: Readonly<
    Record<string, { version: string; summary: string; operations: Readonly<Record<string, OperationFacts>> }>
  >
}

export async function loadCompletions(): Promise<Completions> {
  const { default: data } = await import('../../../generated/completions.json', { with: { type: 'json' } })
  // Seen as JSON, each operation has a type of its own; as a table, all have one.
  return data as unknown as Completions
}
