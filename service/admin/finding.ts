// One line of the doctor: the check, its status, what was observed and what to do.

export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly seen: string
  readonly advice: string | null
}

export function well(check: string, observation: string): Finding {
  return { check, status: 'ok', seen: observation, advice: null }
}

export function doubtful(check: string, observation: string, advice: string): Finding {
  return { check, status: 'warn', seen: observation, advice }
}

export function broken(check: string, observation: string, advice: string): Finding {
  return { check, status: 'fail', seen: observation, advice }
}

/** A setting that cannot be read is reported by the check of the settings; the others are still checked. */
export function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

const words_max = 300

/** An error's message in one line, without credentials in addresses. */
export function reasonOf(error: unknown): string {
  const { message, code, errors } = error as { message?: string; code?: string; errors?: unknown[] }
  // When several addresses fail, Node hides the reason of each in `errors`.
  const text = message || (errors?.[0] as Error | undefined)?.message || code || String(error)
  return text
    .replace(/\/\/[^@\s/]*@/g, '//')
    .replace(/\s+/g, ' ')
    .slice(0, words_max)
}

/** Findings of a check, or that it timed out; an exception in one check does not stop the others. */
export async function bounded(
  check: string,
  wait_ms_max: number,
  look: () => Promise<readonly Finding[]>,
): Promise<{ findings: readonly Finding[]; hangs: boolean }> {
  const { promise: too_late, resolve } = Promise.withResolvers<{ findings: Finding[]; hangs: boolean }>()
  const slow = broken(
    check,
    `no answer within ${wait_ms_max / 1000} s`,
    'find out why it hangs, then run the doctor again',
  )
  const timer = setTimeout(() => resolve({ findings: [slow], hangs: true }), wait_ms_max)
  const looking = look().then(
    (findings) => ({ findings, hangs: false }),
    (error) => ({
      findings: [broken(check, reasonOf(error), 'this could not be checked; see the reason')],
      hangs: false,
    }),
  )
  try {
    return await Promise.race([looking, too_late])
  } finally {
    clearTimeout(timer)
  }
}
