// Interfaces as a component sees them: nothing is found in one but what was put there. It may name what it imports as it likes, and
// every object of JavaScript has a `constructor`.

export type Interface = Readonly<Record<string, unknown>>

export function bare(interfaces: Readonly<Record<string, Interface>>): Readonly<Record<string, Interface>> {
  const bared = Object.entries(interfaces).map(([name, members]) => {
    for (const member of Object.values(members)) bareClass(member)
    return [name, withoutParents(members)] as const
  })
  return withoutParents(Object.fromEntries(bared))
}

function withoutParents<T extends object>(members: T): T {
  return Object.assign(Object.create(null), members)
}

/** A resource, whose methods are found by name as well; a plain function has no prototype of its own. */
function bareClass(member: unknown): void {
  if (typeof member !== 'function' || !member.prototype) return
  Object.setPrototypeOf(member, null)
  Object.setPrototypeOf(member.prototype, null)
  Reflect.deleteProperty(member.prototype, 'constructor')
}
