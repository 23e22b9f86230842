// Translates an HDDL domain and problem. Supported: types, constants, predicates, tasks, methods (ordered
// and partially ordered), actions, objects, initial network, facts and goal; anything else is refused by name.
import type { MethodSource, OperatorSource, SubtaskSource } from '../domain.ts'
import {
  atomOf,
  celOf,
  conjuncts,
  effectsOf,
  keyOf,
  listCel,
  type Names,
  termCel,
  variableName,
  variablesIn,
} from './formula.ts'
import {
  type Expression,
  fieldsOf,
  isList,
  nameAt,
  parameterList,
  readExpressions,
  type Typed,
  typedList,
} from './s-expression.ts'

/** The fact that lists the objects by type. */
const objects_fact = 'objects'
/** The task for the initial network of a problem. */
export const network_task = 'htn'

export interface HddlDomain {
  readonly methods: MethodSource[]
  readonly operators: OperatorSource[]
  readonly state: Record<string, unknown>
  /** What must be true in the end, in CEL: the parts of :goal. */
  readonly goals: string[]
}

/** By task and action: the parameters that name the arguments. */
type Signatures = Map<string, readonly Typed[]>

interface Reading {
  readonly types: Map<string, string>
  readonly objects: Typed[]
  /** By predicate. Maps, because names such as `constructor` exist on objects. */
  readonly facts: Map<string, Map<string, true>>
  readonly signatures: Signatures
  readonly methods: (readonly Expression[])[]
  readonly actions: (readonly Expression[])[]
  network?: readonly Expression[]
  goal?: Expression
}

const [types_max, objects_max, definitions_max] = [1_000, 10_000, 2_000]
const ignored = [':requirements', ':domain', ':functions', ':metric']

export function readHddl(text: string): HddlDomain {
  const reading: Reading = {
    types: new Map(),
    objects: [],
    facts: new Map(),
    signatures: new Map(),
    methods: [],
    actions: [],
  }
  for (const definition of readExpressions(text)) {
    if (!isList(definition) || definition[0] !== 'define')
      throw new Error('the text holds something else than (define …)')
    for (const section of definition.slice(2)) {
      readSection(section, reading)
      refuseMany(reading)
    }
  }
  const operators = reading.actions.map((action) => operatorOf(action, reading))
  const methods = reading.methods.map((method) => methodOf(method, reading.signatures))
  if (reading.network) methods.push(networkOf(reading.network, reading.signatures))
  const facts = [...reading.facts].map(([predicate, entries]) => [predicate, Object.fromEntries(entries)])
  refuseUndeclared(reading.goal ?? [], reading.facts)
  const goals = conjuncts(reading.goal).map((part) => celOf(part, new Map()))
  return {
    methods,
    operators,
    goals,
    state: { ...Object.fromEntries(facts), [objects_fact]: byType(reading) },
  }
}

function readSection(section: Expression, reading: Reading): void {
  if (!isList(section)) throw new Error(`${section} stands where a section should`)
  const [head, ...rest] = section
  switch (head) {
    case ':types':
      for (const { name, type } of typedList(rest, 'the types', types_max)) reading.types.set(name, type)
      return
    case ':constants':
    case ':objects':
      reading.objects.push(...typedList(rest, 'the objects', objects_max))
      return
    case ':predicates':
      for (const one of rest) declare(one, reading)
      return
    case ':task':
    case ':action': {
      const name = nameAt(rest[0], 'a task')
      const { ':parameters': parameters = [] } = Object.fromEntries(fieldsOf(section, 2, name))
      if (reading.signatures.has(name)) throw new Error(`${name} is declared twice`)
      reading.signatures.set(name, parameterList(parameters, name))
      if (head === ':action') reading.actions.push(section)
      return
    }
    case ':method':
      reading.methods.push(section)
      return
    case ':htn':
      reading.network = section
      return
    case ':goal':
      if (reading.goal !== undefined || rest.length !== 1)
        throw new Error(':goal is one formula, and stands once')
      reading.goal = rest[0]!
      return
    case ':init':
      for (const fact of rest) learn(fact, reading)
      return
    default:
      if (!ignored.includes(String(head))) throw new Error(`${String(head)} is not read; leave it out`)
  }
}

/** Each is compiled, and stored with the plan. */
function refuseMany({ methods, signatures, types, objects }: Reading): void {
  if (methods.length + signatures.size > definitions_max)
    throw new Error(`the text defines more than ${definitions_max} tasks, actions and methods`)
  if (types.size > types_max) throw new Error(`the text names more than ${types_max} types`)
  if (objects.length > objects_max) throw new Error(`the text names more than ${objects_max} objects`)
}

function declare(predicate: Expression, { facts }: Reading): void {
  const name = nameAt(isList(predicate) ? predicate[0] : undefined, 'a predicate')
  if (name === objects_fact)
    throw new Error(`a predicate may not be called ${name}: that lists what there is`)
  facts.set(name, new Map())
}

function learn(fact: Expression, { facts }: Reading): void {
  if (isList(fact) && fact[0] === '=') return
  const { predicate, terms } = atomOf(fact)
  const entries = facts.get(predicate)
  if (!entries) throw new Error(`${predicate} in :init is no declared predicate`)
  entries.set(keyOf(terms), true)
}

const connectives = ['and', 'or', 'not', 'imply']

/** A goal over facts that nothing can make true would make every plan fail, and not say why. */
function refuseUndeclared(formula: Expression, facts: Reading['facts']): void {
  if (!isList(formula)) return
  const [head, ...parts] = formula
  if (head === undefined || head === '=') return
  if (head === 'forall' || head === 'exists') {
    refuseUndeclared(parts[1] ?? [], facts)
    return
  }
  if (!connectives.includes(String(head))) {
    if (facts.has(String(head))) return
    throw new Error(`${String(head)} in :goal is no declared predicate`)
  }
  for (const part of parts) refuseUndeclared(part, facts)
}

/** Objects by their type and all its supertypes. */
function byType({ types, objects }: Reading): Record<string, string[]> {
  const lists = new Map<string, string[]>([['object', []]])
  for (const type of types.keys()) lists.set(type, [])
  for (const { name, type } of objects) {
    const above = new Set<string>()
    for (let one: string | undefined = type; one && !above.has(one); one = types.get(one)) above.add(one)
    for (const one of above.add('object')) {
      const list = lists.get(one) ?? []
      lists.set(one, list)
      list.push(name)
    }
  }
  return Object.fromEntries(lists)
}

function operatorOf(action: readonly Expression[], { signatures }: Reading): OperatorSource {
  const name = nameAt(action[1], 'an action')
  const fields = fieldsOf(action, 2, name)
  const parameters = signatures.get(name)!
  const names = argumentNames(parameters)
  const { effects, cost } = effectsOf(fields.get(':effect'), names)
  const preconditions = [
    ...typeChecks(parameters, names),
    ...conjuncts(fields.get(':precondition')).map((part) => celOf(part, names)),
  ]
  return { name, preconditions, effects, ...(cost > 0 && { cost }) }
}

function methodOf(section: readonly Expression[], signatures: Signatures): MethodSource {
  const name = nameAt(section[1], 'a method')
  const fields = fieldsOf(section, 2, name)
  const { predicate: task, terms } = atomOf(fields.get(':task') ?? [])
  const signature = signatures.get(task)
  if (signature?.length !== terms.length)
    throw new Error(`${name} is for ${task}, which is not declared like that`)
  const names = new Map<string, string>()
  const checks: string[] = []
  for (const [place, term] of terms.entries()) {
    const argument = `args.${variableName(signature[place]!.name)}`
    if (term.startsWith('?') && !names.has(term)) names.set(term, argument)
    else checks.push(`${argument} == ${termCel(term, names)}`)
  }
  return { name, task, ...bodyOf(fields, names, checks, signatures, name) }
}

function networkOf(section: readonly Expression[], signatures: Signatures): MethodSource {
  const body = bodyOf(fieldsOf(section, 1, ':htn'), new Map(), [], signatures, ':htn')
  return { name: 'the problem', task: network_task, ...body }
}

/** Variables not bound by the task are chosen, each from what fits the bindings so far. */
function bodyOf(
  fields: ReadonlyMap<string, Expression>,
  names: Map<string, string>,
  checks: readonly string[],
  signatures: Signatures,
  what: string,
): Pick<MethodSource, 'choose' | 'preconditions' | 'subtasks' | 'order'> {
  const parameters = parameterList(fields.get(':parameters') ?? [], what)
  const conditions = conjuncts(fields.get(':precondition'))
  const used_by = conditions.map((part) => [...variablesIn(part)])
  const bound = parameters.filter(({ name }) => names.has(`?${name}`))
  const choose = parameters
    .filter(({ name }) => !names.has(`?${name}`))
    .map(({ name, type }) => {
      const variable = variableName(name)
      const with_this = new Map(names).set(`?${name}`, 'this_one')
      const fitting = conditions.filter((_, place) => {
        const used = used_by[place]!
        return used.includes(`?${name}`) && used.every((one) => with_this.has(one))
      })
      names.set(`?${name}`, `args.chosen_${variable}`)
      const filter = fitting.map((part) => celOf(part, with_this)).join(' && ')
      const from = filter === '' ? listCel(type) : `${listCel(type)}.filter(this_one, ${filter})`
      return { name: `chosen_${variable}`, from }
    })
  const preconditions = [
    ...checks,
    ...typeChecks(bound, names),
    ...conditions.map((part) => celOf(part, names)),
  ]
  return { choose, preconditions, ...networkIn(fields, names, signatures, what) }
}

function networkIn(
  fields: ReadonlyMap<string, Expression>,
  names: Names,
  signatures: Signatures,
  what: string,
) {
  const ordered = fields.get(':ordered-subtasks') ?? fields.get(':ordered-tasks')
  const entries = conjuncts(ordered ?? fields.get(':subtasks') ?? fields.get(':tasks'))
  const subtasks = entries.map((entry, place): SubtaskSource => {
    if (!isList(entry)) throw new Error(`${what} has a subtask without brackets`)
    const is_named = isList(entry[1])
    const id = is_named ? nameAt(entry[0], `a label in ${what}`) : `s${place + 1}`
    const { predicate: task, terms } = atomOf(is_named ? entry[1]! : entry)
    const signature = signatures.get(task)
    if (signature?.length !== terms.length)
      throw new Error(`${what} uses ${task}, which is not declared like that`)
    const args = terms.map((term, at) => [variableName(signature[at]!.name), { $cel: termCel(term, names) }])
    return { id, task, args: Object.fromEntries(args) }
  })
  if (ordered !== undefined) return { subtasks }
  const order = conjuncts(fields.get(':ordering') ?? fields.get(':order')).map((pair) => {
    if (!isList(pair) || pair[0] !== '<') throw new Error(`${what} has an ordering that is no (< a b)`)
    return [nameAt(pair[1], 'a label'), nameAt(pair[2], 'a label')]
  })
  return { subtasks, order }
}

function argumentNames(parameters: readonly Typed[]): Map<string, string> {
  return new Map(parameters.map(({ name }) => [`?${name}`, `args.${variableName(name)}`]))
}

function typeChecks(parameters: readonly Typed[], names: Names): string[] {
  return parameters
    .filter(({ type }) => type !== 'object')
    .map(({ name, type }) => `${names.get(`?${name}`)} in ${listCel(type)}`)
}
