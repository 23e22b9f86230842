// A request to the service, before it has credentials.
export interface Request {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string | undefined>>
  readonly body?: string
  /** Without an answer, the outcome of a write is unknown; a read can be repeated. */
  readonly changes: boolean
}
