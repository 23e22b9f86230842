// Notifies only those followers whose own tool list changed.

export interface ListChanges {
  /** `look` returns the caller's current list as a string; `tell` is called when it changed. Returns the unsubscribe function. */
  follow(look: Look, tell: () => void): () => void
  /** Something may have changed. Repeated signals are coalesced, and lists are checked one at a time. */
  changed(): void
}

export type Look = () => Promise<string>

interface Follower {
  readonly look: Look
  readonly tell: () => void
  /** Undefined if it could not be read. */
  seen: Promise<string | undefined>
}

/** Bounded by the number of streams, which is limited elsewhere. */
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
