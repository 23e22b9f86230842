// What planting any fault takes.
import type { Engine, Installation } from './watched-installation.ts'

/** Ends what was planted. */
export type Undo = () => Promise<unknown> | unknown

export const nothing: Undo = () => {}

export const engineOf = ({ engines }: Installation, name = 'a'): Engine => engines.get(name)!

/** Does it over and over, until it is undone. */
export function goOn(step: () => Promise<void>): Undo {
  let stopped = false
  const going = (async () => {
    while (!stopped) await step()
  })()
  return async () => {
    stopped = true
    await going
  }
}
