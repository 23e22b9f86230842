// A journal nobody writes any more: what is left in it goes into the chain, and then it is removed.
import { openBook } from './book.ts'
import type { BookOptions } from './book-options.ts'
import { dropDirectory, listSegments, lockDirectory } from './journal-directory.ts'

export async function adoptJournal(options: BookOptions): Promise<void> {
  const { dir } = options
  const book = await openBook(options)
  try {
    await book.flush()
  } finally {
    await book.close()
  }
  const unlock = await lockDirectory(dir)
  // Committed segments are deleted, and the one this book opened has nothing in it: more than that is somebody else's.
  const is_drained = [...listSegments(dir).values()].every((bytes) => bytes === 0)
  if (is_drained) return dropDirectory(dir, unlock)
  unlock()
  throw new Error(`The audit journal in ${dir} still holds records; it is looked at again.`)
}
