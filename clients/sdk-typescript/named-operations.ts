// `client.max.audit_query(...)`: every operation of the catalogue as a method.
import { protocols } from '../../generated/sdk-operations.ts'
import type { Catalogue } from '../../generated/sdk-types.ts'
import type { CallOptions } from './call-options.ts'
import { SvcError } from './errors.ts'
import { nearest } from './nearest.ts'

type Operations<P extends keyof Catalogue> = {
  readonly [O in keyof Catalogue[P]]: Catalogue[P][O] extends { input: infer Input; output: infer Output }
    ? (input: Input, options?: CallOptions) => Promise<Output>
    : never
}

/** `client.max.audit_query(...)`: every protocol by its lower-case name, every operation by its own. */
export type ProtocolClients = { readonly [P in keyof Catalogue as Lowercase<P & string>]: Operations<P> }

type Call = (protocol: string, operation: string, input: unknown, options?: CallOptions) => Promise<unknown>

export function nameOperations(call: Call): ProtocolClients {
  const named = Object.entries(protocols).map(([id, { operations }]) => {
    const methods = Object.keys(operations).map((operation) => [
      operation,
      (input: unknown = {}, options?: CallOptions) => call(id, operation, input, options),
    ])
    const operations_by_name = Object.fromEntries(methods) as Record<string, unknown>
    return [
      id.toLowerCase(),
      answerForMissing(operations_by_name, (name) => refuseOperation(id, name, Object.keys(operations))),
    ]
  })
  return Object.fromEntries(named)
}

/** Gives untyped callers a helpful error instead of "undefined is not a function". */
export function refuseUnknownProtocols<Client extends object>(client: Client): Client {
  return answerForMissing(client, (protocol) =>
    answerForMissing({}, (operation) => () => {
      const hint = nearest(protocol, Object.keys(protocols))?.toLowerCase()
      const message =
        `This client knows no protocol ${protocol}${hint ? `; did you mean ${hint}?` : '.'} ` +
        'One that an engine has beyond the catalogue is called by ' +
        `client.dispatch('${protocol.toUpperCase()}', '${operation}', input).`
      return Promise.reject(new SvcError({ code: 'unknown_protocol', message, reason: 'unknown protocol' }))
    }),
  )
}

function refuseOperation(protocol: string, name: string, operation_names: readonly string[]) {
  return () => {
    const hint = nearest(name, operation_names)
    const message =
      `This client knows no operation ${name} of ${protocol}; ` +
      (hint ? `did you mean ${hint}?` : `it has ${operation_names.join(', ')}.`)
    return Promise.reject(new SvcError({ code: 'unknown_operation', message, reason: 'unknown operation' }))
  }
}

/** Properties that `await`, printing and test tools read of any object. */
const asked_of_anything: ReadonlySet<PropertyKey> = new Set(['then', 'catch', 'finally', 'inspect', 'length'])

/** Throws only for names in the form of an operation, so that inspecting the object works. */
function answerForMissing<Members extends object>(
  members: Members,
  missing: (name: string) => unknown,
): Members {
  return new Proxy(members, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target) return Reflect.get(target, name, receiver)
      return /^[a-z][a-z0-9_.]*$/.test(name) && !asked_of_anything.has(name) ? missing(name) : undefined
    },
  })
}
