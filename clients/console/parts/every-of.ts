// Every value a field may have, in the order a page shows them.

/** The compiler names the value that is missing, or is none: a page cannot forget a new one. */
export function everyOf<Value extends string>(values: Readonly<Record<Value, true>>): readonly Value[] {
  return Object.keys(values) as Value[]
}
