// Inputs as values, and refusals that are expected inside a target.

/** The JSON value of a text; undefined where it is none. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The fields of a JSON object; none of anything else. */
export function fieldsIn(text: string): Record<string, unknown> {
  return fieldsOf(valueIn(text))
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  const is_object = typeof value === 'object' && value !== null && !Array.isArray(value)
  return is_object ? (value as Record<string, unknown>) : {}
}

type ErrorClass = abstract new (...args: never[]) => Error

/** Undefined where it throws an error of exactly one of these classes. */
export async function attempt<Result>(
  work: () => Result | Promise<Result>,
  ...classes: ErrorClass[]
): Promise<Result | undefined> {
  try {
    return await work()
  } catch (error) {
    if (classes.some((error_class) => (error as object | null)?.constructor === error_class)) return undefined
    throw error
  }
}
