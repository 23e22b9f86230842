// Content references: some are random, some are the hash of the content and therefore immutable.
const hashed_form = /^[a-z]+:\/\/[a-z_]+\/(?:sha256:)?[0-9a-f]{64}$/

export function isContentAddressed(ref: string): boolean {
  return hashed_form.test(ref)
}
