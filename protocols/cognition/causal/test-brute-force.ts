// Brute force over all worlds. Shares no code with what it checks.
import type { ModelContent } from './network.ts'

type Named = Readonly<Record<string, string>>

interface World {
  readonly states: Readonly<Record<string, string>>
  readonly probability: number
}

/** All worlds under an intervention, without impossible ones. */
export function* worldsOf(content: ModelContent, done: Named = {}): Generator<World> {
  const order = sorted(content)
  function* extend(at: number, states: Record<string, string>, probability: number): Generator<World> {
    if (probability === 0) return
    const variable = order[at]
    if (!variable) {
      yield { states: { ...states }, probability }
      return
    }
    const forced = done[variable.name]
    for (const [place, state] of variable.states.entries()) {
      if (forced !== undefined && forced !== state) continue
      const own = forced === undefined ? variable.cpt![rowOf(variable, states, content) + place]! : 1
      states[variable.name] = state
      yield* extend(at + 1, states, probability * own)
    }
    delete states[variable.name]
  }
  yield* extend(0, {}, 1)
}

/** P(outcome = each of its states | do(done), given); undefined if the evidence is impossible. */
export function enumerate(
  content: ModelContent,
  outcome: string,
  done: Named,
  evidence: Named,
): Record<string, number> | undefined {
  return shares(
    [...worldsOf(content, done)]
      .filter(({ states }) => agrees(states, evidence))
      .map(({ states, probability }) => [states[outcome]!, probability]),
  )
}

/** Roots are drawn once for both worlds; the rest follows in each. */
export function enumerateTwins(
  content: ModelContent,
  outcome: string,
  done: Named,
  evidence: Named,
): Record<string, number> | undefined {
  const roots = content.variables.filter(({ parents }) => parents.length === 0).map(({ name }) => name)
  const worlds = [...worldsOf(content)].filter(({ states }) => agrees(states, evidence))
  return shares(
    worlds.map(({ states, probability }) => {
      const root_states = Object.fromEntries(roots.map((root) => [root, states[root]!]))
      const [other] = [...worldsOf(content, { ...root_states, ...done })]
      return [other!.states[outcome]!, probability]
    }),
  )
}

function shares(weighted: readonly (readonly [string, number])[]): Record<string, number> | undefined {
  const total = weighted.reduce((sum, [, weight]) => sum + weight, 0)
  if (total === 0) return undefined
  const distribution: Record<string, number> = {}
  for (const [state, weight] of weighted) distribution[state] = (distribution[state] ?? 0) + weight / total
  return distribution
}

function agrees(states: Named, evidence: Named): boolean {
  return Object.entries(evidence).every(([name, state]) => states[name] === state)
}

function rowOf(variable: ModelContent['variables'][number], states: Named, content: ModelContent): number {
  let row = 0
  for (const parent of variable.parents) {
    const own = content.variables.find(({ name }) => name === parent)!
    row = row * own.states.length + own.states.indexOf(states[parent]!)
  }
  return row * variable.states.length
}

function sorted({ variables }: ModelContent): ModelContent['variables'] {
  const placed: ModelContent['variables'][number][] = []
  while (placed.length < variables.length) {
    const names = new Set(placed.map(({ name }) => name))
    placed.push(
      variables.find(
        ({ name, parents }) => !names.has(name) && parents.every((parent) => names.has(parent)),
      )!,
    )
  }
  return placed
}
