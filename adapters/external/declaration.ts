// The declaration of a remote protocol version: the catalogue's facts if there are any, otherwise the minimum.
import type { AnswerProof } from '@svc/contract/foreign/external-protocol'
import type { OperationFacts } from '@svc/contract/operation-facts'
import type { Declaration, ProtocolFacts } from '@svc/contract/protocol'
import { AnyObject } from '@svc/contract/schema'
import { compareVersions, parseVersion } from '@svc/engine/routing/semver'

/** The engine's deadline is later than the call's, so that the reason is the service's own. */
const grace_ms = 1_000

export interface Outside {
  readonly name: string
  readonly version: string
  readonly operations: readonly string[]
  readonly timeout_ms: number
  readonly answers?: AnswerProof
}

/** `known` are all versions of this protocol in the catalogue; none if it is not in there. */
export function declareOutside(outside: Outside, declarations: readonly Declaration[]): Declaration {
  const nearest = nearestVersion(outside.version, declarations)
  const deadline_ms = outside.timeout_ms + grace_ms
  const { answers = 'signed' } = outside
  if (nearest?.version === outside.version)
    return { ...nearest, answers, operations: mapFacts(nearest.operations, deadline_ms) }
  const operations = Object.fromEntries(
    outside.operations.map((operation) => [operation, factsOf(operation, outside, nearest, deadline_ms)]),
  )
  const facts = nearest ?? untypedProtocol(outside.name)
  return { ...facts, version: outside.version, answers, operations }
}

/** The same version, else the newest older one, else the oldest. */
function nearestVersion(version: string, declarations: readonly Declaration[]): Declaration | undefined {
  const declared_version = parseVersion(version)!
  const sorted = declarations.toSorted((a, b) =>
    compareVersions(parseVersion(a.version)!, parseVersion(b.version)!),
  )
  const not_newer = sorted.filter((one) => compareVersions(parseVersion(one.version)!, declared_version) <= 0)
  return not_newer.at(-1) ?? sorted[0]
}

function mapFacts(operations: Declaration['operations'], deadline_ms: number): Declaration['operations'] {
  return Object.fromEntries(
    Object.entries(operations).map(([name, facts]) => [name, { ...facts, deadline_ms }]),
  )
}

function factsOf(
  operation: string,
  { name, version }: Outside,
  nearest: Declaration | undefined,
  deadline_ms: number,
): OperationFacts {
  const facts =
    nearest && Object.hasOwn(nearest.operations, operation) ? nearest.operations[operation] : undefined
  if (!nearest || !facts) return { ...untypedOperation(name), deadline_ms }
  const majors = [version, nearest.version].map((text) => parseVersion(text)!.numbers[0])
  // A new major version may change schemas; what an operation may do to whom stays.
  const schemas = majors[0] === majors[1] ? {} : { input: AnyObject, output: AnyObject, example: {} }
  return { ...facts, ...schemas, deadline_ms }
}

function untypedProtocol(id: string): Omit<ProtocolFacts, 'version'> {
  return {
    id,
    plane: 'execution',
    estate: 'protocol',
    rate: 'standard',
    category: 'svc-infrastructure',
    summary: `A remote service that answers for ${id}.`,
  }
}

/** Treated like a write: without a schema there is no promise. */
function untypedOperation(name: string): OperationFacts {
  return {
    summary: `An operation of ${name}, which runs remotely and takes any object.`,
    effect: 'write',
    level: 'L1',
    meters: ['seconds'],
    input: AnyObject,
    output: AnyObject,
    example: {},
  }
}
