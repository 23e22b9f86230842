// Every value of a union, in the order a page shows them.

/** The compiler reports a missing or extra value, so a page cannot forget a new one. */
export function everyOf<Value extends string>(values: Readonly<Record<Value, true>>): readonly Value[] {
  return Object.keys(values) as Value[]
}
