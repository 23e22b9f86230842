// generated/completions.json, loaded lazily to keep a cold start fast.

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
  // TypeScript infers a distinct type for each operation in the JSON; here all share one.
  return data as unknown as Completions
}
