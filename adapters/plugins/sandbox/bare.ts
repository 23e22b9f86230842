// Interfaces without inherited members. A component may name any import, and every JavaScript object has a
// `constructor`.

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

/** A resource's methods are looked up by name as well; a plain function has no prototype of its own. */
function bareClass(member: unknown): void {
  if (typeof member !== 'function' || !member.prototype) return
  Object.setPrototypeOf(member, null)
  Object.setPrototypeOf(member.prototype, null)
  Reflect.deleteProperty(member.prototype, 'constructor')
}
