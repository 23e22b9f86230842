// Background work on several cases: the failure of one does not block the others.

export async function eachCase(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const faults: unknown[] = []
  for (const id of ids) await work(id).catch((fault: unknown) => faults.push(fault))
  if (faults.length > 0)
    throw new AggregateError(faults, `${faults.length} cases could not be brought up to date`)
}
