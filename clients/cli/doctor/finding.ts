// The result of one check of svc doctor.

export interface Finding {
  readonly check: string
  readonly status: 'ok' | 'warn' | 'fail'
  readonly said: string
  /** What to do about it. */
  readonly todo?: string
  /** The exit code if this is the first failure. */
  readonly exit?: number
}

export function ok(check: string, message: string): Finding {
  return { check, status: 'ok', said: message }
}

export function warn(check: string, message: string, todo: string): Finding {
  return { check, status: 'warn', said: message, todo }
}

export function fail(check: string, message: string, todo: string, exit: number): Finding {
  return { check, status: 'fail', said: message, todo, exit }
}
