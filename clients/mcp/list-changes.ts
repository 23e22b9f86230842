// Who is told that the list of tools changed: only those whose own list did.

export interface ListChanges {
  /** `look` answers the caller's list as it is now, as one text; `tell` is called when it is another. Answers how to leave. */
  follow(look: Look, tell: () => void): () => void
  /** Something may have changed. However often that is said, the lists are looked at one after another. */
  changed(): void
}

export type Look = () => Promise<string>

interface Follower {
  readonly look: Look
  readonly tell: () => void
  /** Undefined where it could not be looked at. */
  seen: Promise<string | undefined>
}

/** As many followers as there are streams, which have limits of their own. */
export function listChanges(onFault: (fault: unknown) => void): ListChanges {
  const followers = new Set<Follower>()
  let [looking, again] = [false, false]
  const lookAt = (look: Look) =>
    look().catch((fault) => {
      onFault(fault)
      return undefined
    })
  const compare = async (follower: Follower) => {
    const before = await follower.seen
    follower.seen = lookAt(follower.look)
    const now = await follower.seen
    if (now === undefined || now === before || !followers.has(follower)) return
    try {
      follower.tell()
    } catch (fault) {
      onFault(fault)
    }
  }
  const compareAll = async () => {
    looking = true
    do {
      again = false
      for (const follower of [...followers]) if (followers.has(follower)) await compare(follower)
    } while (again)
    looking = false
  }
  return {
    follow(look, tell) {
      const follower = { look, tell, seen: lookAt(look) }
      followers.add(follower)
      return () => void followers.delete(follower)
    },
    changed() {
      again = true
      if (!looking) void compareAll()
    },
  }
}
